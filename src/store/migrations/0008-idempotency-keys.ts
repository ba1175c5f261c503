import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { type ColumnTypes, index } from './column-types.ts';

/** Results of creations, kept for repeats. The indexes find those that have expired, and secrets by their prefix: format and key id. */
export function idempotencyKeys(types: ColumnTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      const { integer, bytes, text } = types;
      await types
        .table(db, 'idempotency_keys')
        .addColumn('id', text, (c) => c.primaryKey().notNull())
        .addColumn('fingerprint', text, (c) => c.notNull())
        .addColumn('outcome', text, (c) => c.notNull())
        .addColumn('made', bytes)
        .addColumn('secret', bytes)
        .addColumn('created_at', integer, (c) => c.notNull())
        .execute();
      await index(db, 'idempotency_keys', ['created_at']);
      await db.schema
        .createIndex('idempotency_keys_by_key_id')
        .on('idempotency_keys')
        .expression(sql`substr(secret, 1, 9)`)
        .where(sql.ref('secret'), 'is not', null)
        .execute();
    },
  };
}
