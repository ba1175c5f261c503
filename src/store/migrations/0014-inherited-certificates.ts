import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { type ColumnTypes, index } from './column-types.ts';

/**
 * Certificates that go on serving after a takeover; when a CA last failed to validate a name; when a process of a role was last there. The previous release
 * writes none of it; what it deletes of a certificate deletes the inherited one too.
 */
export function inheritedCertificates(types: ColumnTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      const { integer, bytes, text } = types;
      await types
        .table(db, 'inherited_certificates')
        .addColumn('hostname', text, (c) =>
          c.primaryKey().notNull().references('certificates.hostname').onDelete('cascade'),
        )
        .addColumn('chain', text, (c) => c.notNull())
        .addColumn('private_key', bytes, (c) => c.notNull())
        .addColumn('not_after', integer, (c) => c.notNull())
        .execute();
      await index(db, 'inherited_certificates', ['not_after']);
      // Finds secrets by their prefix: format and key id.
      await db.schema
        .createIndex('inherited_certificates_by_key_id')
        .on('inherited_certificates')
        .expression(sql`substr(private_key, 1, 9)`)
        .execute();
      await types
        .table(db, 'heartbeats')
        .addColumn('role', text, (c) => c.primaryKey().notNull())
        .addColumn('seen_at', integer, (c) => c.notNull())
        .execute();
      // Last: PostgreSQL locks out every reader of the table until the migration is committed.
      await db.schema.alterTable('certificates').addColumn('authorization_failed_at', integer).execute();
    },
  };
}
