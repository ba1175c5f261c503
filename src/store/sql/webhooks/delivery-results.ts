import type { DeliveryAttempt, DeliveryResult, DeliveryStore } from '../../contract/store.ts';
import type { Tables, Transaction } from '../statement.ts';
import { healthOf, saveHealth } from './webhook-health.ts';

type Save = Parameters<DeliveryStore['saveDeliveries']>[0];

/** One by one. */
export async function saveDeliveries(tx: Transaction, { results, ...about }: Save) {
  const saved: DeliveryResult[] = [];
  for (const result of results) if (await saveResult(tx, result, about.now)) saved.push(result);
  return { disabled: await saveHealth(tx, healthOf(saved), about) };
}

/** False, and nothing is saved, where the lease is no longer held. */
async function saveResult(tx: Transaction, result: DeliveryResult, now: number): Promise<boolean> {
  const { webhookId, queue, outcome } = result;
  const dueAt = outcome.kind === 'retry' ? outcome.nextAttemptAt : now;
  if ((await tx.execute(releaseQueue, { ...result, dueAt })) === 0) return false;
  if (result.attempt !== null) await tx.execute(updateDelivery, attemptSlots(result, result.attempt, now));
  else if (outcome.kind === 'failed') await tx.execute(giveUp, { ...result, now });
  if (outcome.kind === 'retry' || outcome.kind === 'released') return true;
  const next = await tx.one(selectNext, { webhookId, queue });
  if (next === null) await tx.execute(deleteQueue, { webhookId, queue });
  else await tx.execute(updateWaiting, { webhookId, queue, since: next.createdAt });
  return true;
}

/** An attempt as it is saved. */
interface AttemptSlots extends DeliveryAttempt {
  webhookId: string;
  deliveryId: string;
  outcome: 'delivered' | 'failed' | null;
  finishedAt: number | null;
}

export function attemptSlots(
  { webhookId, deliveryId, outcome: { kind } }: DeliveryResult,
  attempt: DeliveryAttempt,
  now: number,
): AttemptSlots {
  const outcome = kind === 'delivered' || kind === 'failed' ? kind : null;
  return { webhookId, deliveryId, ...attempt, outcome, finishedAt: outcome && now };
}

function releaseQueue(db: Tables, p: { webhookId: string; queue: string; lease: number; dueAt: number }) {
  return db
    .updateTable('webhook_queues')
    .where('webhook_id', '=', p.webhookId)
    .where('queue', '=', p.queue)
    .where('lease', '=', p.lease)
    .set({ lease: null, next_attempt_at: p.dueAt });
}

function updateDelivery(db: Tables, p: AttemptSlots) {
  return db
    .updateTable('webhook_deliveries')
    .where('webhook_id', '=', p.webhookId)
    .where('id', '=', p.deliveryId)
    .set((of) => ({
      attempts: of('attempts', '+', 1),
      last_attempt_at: p.at,
      last_duration_ms: p.durationMs,
      last_status: p.status,
      last_error: p.error,
      last_response: p.response,
      outcome: p.outcome,
      finished_at: p.finishedAt,
    }));
}

/** Without an attempt. */
function giveUp(db: Tables, p: { webhookId: string; deliveryId: string; now: number }) {
  return db
    .updateTable('webhook_deliveries')
    .where('webhook_id', '=', p.webhookId)
    .where('id', '=', p.deliveryId)
    .set({ outcome: 'failed', finished_at: p.now });
}

function selectNext(db: Tables, p: { webhookId: string; queue: string }) {
  return db
    .selectFrom('webhook_deliveries')
    .where('webhook_id', '=', p.webhookId)
    .where('queue', '=', p.queue)
    .where('finished_at', 'is', null)
    .orderBy('seq')
    .limit(1)
    .select('created_at as createdAt');
}

function updateWaiting(db: Tables, p: { webhookId: string; queue: string; since: number }) {
  return db
    .updateTable('webhook_queues')
    .where('webhook_id', '=', p.webhookId)
    .where('queue', '=', p.queue)
    .set({ waiting_since: p.since });
}

function deleteQueue(db: Tables, p: { webhookId: string; queue: string }) {
  return db.deleteFrom('webhook_queues').where('webhook_id', '=', p.webhookId).where('queue', '=', p.queue);
}
