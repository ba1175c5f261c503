import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { type ColumnTypes, index } from './column-types.ts';

/**
 * Webhooks whose parked queues are still to be resumed or deleted, in steps; when a webhook last failed; and indexes by which old deliveries and old
 * responses are found. The previous release writes neither the table nor the column.
 */
export function webhookUpkeep(types: ColumnTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      const { integer, text } = types;
      await types
        .table(db, 'changed_webhooks')
        .addColumn('webhook_id', text, (c) => c.primaryKey().notNull())
        .addColumn('changed_at', integer, (c) => c.notNull())
        .execute();
      await index(db, 'changed_webhooks', ['changed_at']);
      await index(db, 'webhook_deliveries', ['created_at']);
      await db.schema
        .createIndex('webhook_deliveries_with_response')
        .on('webhook_deliveries')
        .columns(['webhook_id', 'last_attempt_at', 'seq'])
        .where(sql.ref('last_response'), 'is not', null)
        .execute();
      // Last: PostgreSQL locks out every reader of the table until the migration is committed, and indexes take their time.
      await db.schema.alterTable('webhooks').addColumn('last_failed_at', integer).execute();
    },
  };
}
