import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { index } from './column-types.ts';

/** Finds the deliveries of a webhook by what became of them, in order of their ids. */
export function deliveryStates(): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await index(db, 'webhook_deliveries', ['webhook_id', 'outcome', 'id']);
    },
  };
}
