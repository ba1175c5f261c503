import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from './column-types.ts';

/** Domains that their workspace suspended, and workspaces that the operator did. The previous release serves them as before, and deletes the first with the domain. */
export function suspensions(types: ColumnTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      const { integer, text } = types;
      await types
        .table(db, 'suspensions')
        .addColumn('domain_id', text, (c) => c.primaryKey().notNull().references('domains.id').onDelete('cascade'))
        .addColumn('status', integer, (c) => c.notNull())
        .addColumn('suspended_at', integer, (c) => c.notNull())
        .execute();
      const workspaces = () => db.schema.alterTable('workspaces');
      await workspaces().addColumn('suspended_status', integer).execute();
      await workspaces().addColumn('suspended_at', integer).execute();
    },
  };
}
