import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { index } from './column-types.ts';

/** Finds the domain of a token that was published at the name of another one. */
export function domainTokens(): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await index(db, 'domains', ['token']);
    },
  };
}
