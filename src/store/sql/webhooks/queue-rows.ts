import type { Tables, Transaction } from '../statement.ts';

// Queues of a webhook that is disabled have no due time, so that claims do not pass over them; of one that was deleted they are removed.

/** Queues that one transaction parks. */
const PARKED_AT_ONCE = 1000;

/** Takes queues of a webhook off the schedule unless it is enabled: a part of them, if there are many. */
export async function parkQueues(tx: Transaction, webhookId: string, now: number): Promise<void> {
  const webhook = await tx.one(selectState, { webhookId });
  const queues = { webhookId, now, limit: PARKED_AT_ONCE };
  if (webhook === null) await tx.execute(deleteQueues, queues);
  else if (webhook.disabledAt !== null) await tx.execute(updateParked, queues);
}

/** Makes the parked queues of a webhook due at `now`. */
export async function resumeQueues(tx: Transaction, webhookId: string, now: number): Promise<void> {
  await tx.execute(updateResumed, { webhookId, now });
}

export async function makeQueueDue(tx: Transaction, webhookId: string, queue: string, now: number): Promise<void> {
  await tx.execute(updateDue, { webhookId, queue, now });
}

function selectState(db: Tables, p: { webhookId: string }) {
  return db.selectFrom('webhooks').where('id', '=', p.webhookId).select('disabled_at as disabledAt');
}

/** But those that are leased: their results will be saved. */
function scheduled(db: Tables, p: { webhookId: string; now: number; limit: number }) {
  return db
    .selectFrom('webhook_queues')
    .where('webhook_id', '=', p.webhookId)
    .where('next_attempt_at', 'is not', null)
    .where((of) => of.or([of('lease', 'is', null), of('next_attempt_at', '<=', p.now)]))
    .limit(p.limit)
    .select('queue');
}

function updateParked(db: Tables, p: { webhookId: string; now: number; limit: number }) {
  return db
    .updateTable('webhook_queues')
    .where('webhook_id', '=', p.webhookId)
    .where('queue', 'in', scheduled(db, p))
    .set({ next_attempt_at: null, waiting_since: null, lease: null });
}

function deleteQueues(db: Tables, p: { webhookId: string; now: number; limit: number }) {
  return db.deleteFrom('webhook_queues').where('webhook_id', '=', p.webhookId).where('queue', 'in', scheduled(db, p));
}

function updateResumed(db: Tables, p: { webhookId: string; now: number }) {
  return db
    .updateTable('webhook_queues')
    .where('webhook_id', '=', p.webhookId)
    .where('next_attempt_at', 'is', null)
    .set((of) => ({
      next_attempt_at: p.now,
      waiting_since: of
        .selectFrom('webhook_deliveries as first')
        .whereRef('first.webhook_id', '=', 'webhook_queues.webhook_id')
        .whereRef('first.queue', '=', 'webhook_queues.queue')
        .where('first.finished_at', 'is', null)
        .orderBy('first.seq')
        .limit(1)
        .select('first.created_at'),
    }));
}

/** One that is leased stays so. */
function updateDue(db: Tables, p: { webhookId: string; queue: string; now: number }) {
  return db
    .updateTable('webhook_queues')
    .where('webhook_id', '=', p.webhookId)
    .where('queue', '=', p.queue)
    .where('lease', 'is', null)
    .set({ next_attempt_at: p.now });
}
