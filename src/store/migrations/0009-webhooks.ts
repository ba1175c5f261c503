import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { type ColumnTypes, index } from './column-types.ts';

/**
 * Webhooks, their secrets, the outbox of their deliveries and its schedule; and when a certificate in use counts as expiring. The previous
 * release keeps adding certificates: the default of the new column says that the time was not computed.
 */
export function webhooks(types: ColumnTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await createWebhooks(db, types);
      await createSecrets(db, types);
      await createDeliveries(db, types);
      await createQueues(db, types);
      await extendServedCertificates(db, types);
    },
  };
}

async function createWebhooks(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { integer, text } = types;
  await types
    .table(db, 'webhooks')
    .addColumn('id', text, (c) => c.primaryKey().notNull())
    .addColumn('workspace_id', text, (c) => c.notNull().references('workspaces.id'))
    .addColumn('url', text, (c) => c.notNull())
    .addColumn('types', text)
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('updated_at', integer)
    .addColumn('disabled_at', integer)
    .addColumn('disabled_reason', text)
    .addColumn('failing_since', integer)
    .execute();
  await index(db, 'webhooks', ['workspace_id', 'id']);
  for (const column of ['failing_since', 'disabled_at']) {
    await db.schema
      .createIndex(`webhooks_by_${column}`)
      .on('webhooks')
      .column(column)
      .where(sql.ref(column), 'is not', null)
      .execute();
  }
}

async function createSecrets(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { integer, bytes, text } = types;
  await types
    .table(db, 'webhook_secrets')
    .addColumn('id', text, (c) => c.primaryKey().notNull())
    .addColumn('webhook_id', text, (c) => c.notNull().references('webhooks.id').onDelete('cascade'))
    .addColumn('secret', bytes, (c) => c.notNull())
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('expires_at', integer)
    .execute();
  await index(db, 'webhook_secrets', ['webhook_id']);
  // Finds secrets by their prefix: format and key id.
  await db.schema
    .createIndex('webhook_secrets_by_key_id')
    .on('webhook_secrets')
    .expression(sql`substr(secret, 1, 9)`)
    .execute();
}

async function createDeliveries(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { integer, text } = types;
  await types
    .sequence(types.table(db, 'webhook_deliveries'), 'seq')
    .addColumn('id', text, (c) => c.notNull())
    .addColumn('webhook_id', text, (c) => c.notNull())
    .addColumn('queue', text, (c) => c.notNull())
    .addColumn('event_id', text, (c) => c.notNull())
    .addColumn('type', text, (c) => c.notNull())
    .addColumn('message', text)
    .addColumn('happened_at', integer, (c) => c.notNull())
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('attempts', integer, (c) => c.notNull())
    .addColumn('last_attempt_at', integer)
    .addColumn('last_duration_ms', integer)
    .addColumn('last_status', integer)
    .addColumn('last_error', text)
    .addColumn('last_response', text)
    .addColumn('outcome', text)
    .addColumn('finished_at', integer)
    .addUniqueConstraint('webhook_deliveries_id', ['webhook_id', 'id'])
    .execute();
  // The first delivery of a queue.
  await db.schema
    .createIndex('webhook_deliveries_waiting')
    .on('webhook_deliveries')
    .columns(['webhook_id', 'queue', 'seq'])
    .where(sql.ref('finished_at'), 'is', null)
    .execute();
}

async function createQueues(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { integer, text } = types;
  await types
    .table(db, 'webhook_queues')
    .addColumn('webhook_id', text, (c) => c.notNull())
    .addColumn('queue', text, (c) => c.notNull())
    .addColumn('next_attempt_at', integer)
    .addColumn('waiting_since', integer)
    .addColumn('lease', integer)
    // Begins with the queue, so that claims in order of time have one index of a webhook to choose.
    .addPrimaryKeyConstraint('webhook_queues_key', ['queue', 'webhook_id'])
    .execute();
  await index(db, 'webhook_queues', ['next_attempt_at']);
  await index(db, 'webhook_queues', ['webhook_id', 'next_attempt_at']);
  await index(db, 'webhook_queues', ['waiting_since']);
}

async function extendServedCertificates(db: Kysely<unknown>, { integer }: ColumnTypes): Promise<void> {
  await db.schema
    .alterTable('served_certificates')
    .addColumn('expiring_at', integer, (c) => c.defaultTo(0))
    .execute();
  await index(db, 'served_certificates', ['expiring_at']);
}
