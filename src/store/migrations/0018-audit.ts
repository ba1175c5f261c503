import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { type ColumnTypes, index } from './column-types.ts';

/** Who changed what, and when each root key was last used. The previous release writes neither. */
export function audit(types: ColumnTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      const { integer, text } = types;
      await types
        .sequence(types.table(db, 'audit_entries'), 'seq')
        .addColumn('id', text, (c) => c.notNull())
        .addColumn('workspace_id', text)
        .addColumn('kind', text, (c) => c.notNull())
        .addColumn('actor', text, (c) => c.notNull())
        .addColumn('action', text, (c) => c.notNull())
        .addColumn('source', text, (c) => c.notNull())
        .addColumn('request_id', text)
        .addColumn('target', text, (c) => c.notNull())
        .addColumn('target_name', text)
        .addColumn('detail', text, (c) => c.notNull())
        .addColumn('created_at', integer, (c) => c.notNull())
        .execute();
      await index(db, 'audit_entries', ['workspace_id', 'seq']);
      await index(db, 'audit_entries', ['created_at']);
      await db.schema.alterTable('root_keys').addColumn('last_used_at', integer).execute();
    },
  };
}
