import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { type ColumnTypes, index } from './column-types.ts';

/**
 * Domains that were deleted and can still be restored, with their certificates. In tables of their own, so that no query, index or quota of live domains, in whichever
 * release, has to leave them out. The previous release writes neither: what it deletes cannot be restored.
 */
export function deletedDomains(types: ColumnTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      const { integer, bytes, text } = types;
      await types
        .table(db, 'deleted_domains')
        .addColumn('id', text, (c) => c.primaryKey().notNull())
        .addColumn('workspace_id', text, (c) => c.notNull())
        .addColumn('name', text, (c) => c.notNull())
        .addColumn('domain', text, (c) => c.notNull())
        .addColumn('redirect', text)
        .addColumn('suspension', text)
        .addColumn('deleted_at', integer, (c) => c.notNull())
        .addColumn('kept_until', integer, (c) => c.notNull())
        .addColumn('superseded_at', integer)
        .execute();
      await index(db, 'deleted_domains', ['name', 'workspace_id']);
      await index(db, 'deleted_domains', ['kept_until']);
      await types
        .table(db, 'deleted_certificates')
        .addColumn('domain_id', text, (c) =>
          c.primaryKey().notNull().references('deleted_domains.id').onDelete('cascade'),
        )
        .addColumn('hostname', text, (c) => c.notNull())
        .addColumn('issuer', text, (c) => c.notNull())
        .addColumn('chain', text, (c) => c.notNull())
        .addColumn('private_key', bytes, (c) => c.notNull())
        .addColumn('not_before', integer, (c) => c.notNull())
        .addColumn('not_after', integer, (c) => c.notNull())
        .addColumn('issued_at', integer, (c) => c.notNull())
        .addColumn('renewal', text, (c) => c.notNull())
        .execute();
      // Finds secrets by their prefix: format and key id.
      await db.schema
        .createIndex('deleted_certificates_by_key_id')
        .on('deleted_certificates')
        .expression(sql`substr(private_key, 1, 9)`)
        .execute();
    },
  };
}
