import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from './column-types.ts';

/** Who made and who revoked a set-up link, and an index to count those of a domain that work. The previous release writes neither column. */
export function setupLinkActors({ text }: ColumnTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createIndex('setup_links_not_revoked')
        .on('setup_links')
        .columns(['domain_id', 'expires_at'])
        .where(sql.ref('revoked_at'), 'is', null)
        .execute();
      // Last: PostgreSQL locks out every reader of the table until the migration is committed.
      await db.schema.alterTable('setup_links').addColumn('created_by', text).execute();
      await db.schema.alterTable('setup_links').addColumn('revoked_by', text).execute();
    },
  };
}
