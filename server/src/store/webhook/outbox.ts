import { sql } from 'kysely';
import type { DomainEventType } from '../../domain/domain-event.ts';
import type { WebhookEventType, WebhookMessage } from '../../domain/webhook-message.ts';
import { pick, type Tables, type Transaction } from '../engine/statement.ts';
import type { Schema } from '../schema/schema.ts';

/** An event as it is added to the outbox. */
export interface OutboxEvent {
  eventId: string;
  type: WebhookEventType;
  message: WebhookMessage;
  at: number;
}

/** Adds a delivery of an event to each of these webhooks, at the end of the queue of its domain. */
export function addDeliveries(tx: Transaction, webhookIds: string[], event: OutboxEvent): void {
  const { eventId, type, at } = event;
  const queue = event.message.domain.id;
  const message = JSON.stringify(event.message);
  // In one order, so that two transactions that lock the queues of one domain do not wait for each other.
  for (const webhookId of webhookIds.toSorted()) {
    const id = tx.newId('dlv');
    addDelivery(tx, { id, webhookId, queue, eventId, type, message, happenedAt: at, at, dueAt: at });
  }
}

const DELIVERY = ['id', 'webhookId', 'queue', 'eventId', 'type', 'message', 'happenedAt'] as const;

export interface NewDelivery extends Pick<Schema['webhookDeliveries'], (typeof DELIVERY)[number]> {
  at: number;
  /** The time for the queue, if there is none yet. */
  dueAt: number;
}

/** The queue is locked before the number of the delivery is drawn: so deliveries are in the order in which their transactions commit. */
export function addDelivery(tx: Transaction, delivery: NewDelivery): void {
  tx.write(lockQueue, delivery);
  tx.write(insertDelivery, delivery);
}

/** The webhooks that are sent an event; part of the statement that adds it. */
export function selectSubscribers(db: Tables, p: { workspaceId: string; subscription: string }) {
  return (
    db
      .selectFrom('webhooks')
      .where('webhooks.workspaceId', '=', p.workspaceId)
      .where('webhooks.disabledAt', 'is', null)
      // Not `like`: SQLite prepares a statement anew for each pattern.
      .where(sql<boolean>`(webhooks.types is null or replace(webhooks.types, ${p.subscription}, '') <> webhooks.types)`)
      .select('webhooks.id')
  );
}

/** The part of `webhooks.types` that subscribes to a type. */
export function subscriptionTo(type: DomainEventType): string {
  return JSON.stringify(type);
}

/** Adds the queue, or locks it until the end of the transaction. */
function lockQueue(db: Tables, p: { webhookId: string; queue: string; dueAt: number }) {
  return db
    .insertInto('webhookQueues')
    .values({ webhookId: p.webhookId, queue: p.queue, nextAttemptAt: p.dueAt, lease: null })
    .onConflict((on) =>
      on.columns(['webhookId', 'queue']).doUpdateSet((of) => ({ lease: of.ref('webhookQueues.lease') })),
    );
}

export function insertDelivery(db: Tables, p: NewDelivery) {
  return db.insertInto('webhookDeliveries').values({ ...pick(p, DELIVERY), createdAt: p.at, attempts: sql.lit(0) });
}
