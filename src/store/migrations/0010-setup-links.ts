import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { type ColumnTypes, index } from './column-types.ts';

/** Set-up links of domains; what a workspace shows with them; and the origins of all workspaces, by which preflights are answered. */
export function setupLinks(types: ColumnTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      const { integer, bytes, text } = types;
      await types
        .table(db, 'setup_links')
        .addColumn('id', text, (c) => c.primaryKey().notNull())
        .addColumn('workspace_id', text, (c) => c.notNull().references('workspaces.id'))
        .addColumn('domain_id', text, (c) => c.notNull().references('domains.id').onDelete('cascade'))
        .addColumn('hash', bytes, (c) => c.notNull().unique())
        .addColumn('created_at', integer, (c) => c.notNull())
        .addColumn('expires_at', integer, (c) => c.notNull())
        .addColumn('revoked_at', integer)
        .execute();
      await index(db, 'setup_links', ['domain_id', 'id']);
      await index(db, 'setup_links', ['expires_at']);
      await types
        .table(db, 'setup_pages')
        .addColumn('workspace_id', text, (c) => c.primaryKey().notNull().references('workspaces.id'))
        .addColumn('brand', text, (c) => c.notNull())
        .addColumn('origins', text, (c) => c.notNull())
        .execute();
      await types
        .table(db, 'setup_origins')
        .addColumn('origin', text, (c) => c.notNull())
        .addColumn('workspace_id', text, (c) => c.notNull().references('workspaces.id'))
        .addPrimaryKeyConstraint('setup_origins_key', ['origin', 'workspace_id'])
        .execute();
      await index(db, 'setup_origins', ['workspace_id']);
    },
  };
}
