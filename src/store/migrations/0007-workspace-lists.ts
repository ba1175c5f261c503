import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { index } from './column-types.ts';

/** Finds the domains of a workspace by their status, and by the state of their certificates, in order of their names. */
export function workspaceLists(): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await index(db, 'domains', ['workspace_id', 'status', 'name']);
      await index(db, 'certificates', ['workspace_id', 'state', 'hostname']);
    },
  };
}
