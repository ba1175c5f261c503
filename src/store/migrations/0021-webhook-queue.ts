import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { type ColumnTypes, index } from './column-types.ts';

/** Queues of webhooks without parking: `changed_webhooks` and `waiting_since` go, and a lease is an id. What waits is due at once. */
export function webhookQueue(types: ColumnTypes): Migration {
  const { integer, text } = types;
  return {
    async up(db: Kysely<unknown>) {
      await db.schema.dropTable('changed_webhooks').execute();
      await db.schema.dropTable('webhook_queues').execute();
      await types
        .table(db, 'webhook_queues')
        .addColumn('webhook_id', text, (c) => c.notNull())
        .addColumn('queue', text, (c) => c.notNull())
        .addColumn('next_attempt_at', integer, (c) => c.notNull())
        .addColumn('lease', text)
        // Begins with the queue, so that claims in order of time have one index of a webhook to choose.
        .addPrimaryKeyConstraint('webhook_queues_key', ['queue', 'webhook_id'])
        .execute();
      await index(db, 'webhook_queues', ['webhook_id', 'next_attempt_at']);
      await sql`
        insert into webhook_queues (webhook_id, queue, next_attempt_at)
        select distinct webhook_id, queue, 0 from webhook_deliveries where finished_at is null
      `.execute(db);
    },
  };
}
