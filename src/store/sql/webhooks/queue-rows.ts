import { sql } from 'kysely';
import type { Reader, Tables, Transaction } from '../statement.ts';

// Queues of a webhook that is disabled are parked: they have no due time, so that claims do not pass over them. There may be one for each domain of a
// workspace, so they are parked, resumed and deleted in steps. What is left of a webhook that was enabled or deleted is noted in `changed_webhooks`, by the
// transaction that changed it: a step that a crash loses is taken again.

/** A due time before all others: of a test, and of what somebody asked for. */
export const AHEAD = 0;

/** Queues that one step changes: a few milliseconds. */
const AT_ONCE = 1000;
/** Webhooks that one step looks at. */
const WEBHOOKS_AT_ONCE = 20;

/** Takes queues of webhooks off the schedule that are not to be claimed: parks those of a disabled webhook, deletes those of one that was deleted. */
export async function parkQueues(tx: Transaction, webhookIds: readonly string[], now: number): Promise<void> {
  const limit = shareOf(webhookIds);
  for (const webhookId of webhookIds.toSorted()) {
    const webhook = await tx.one(selectState, { webhookId });
    if (webhook === null) await tx.execute(deleteQueues, { webhookId, now, limit });
    else if (webhook.disabledAt !== null) await tx.execute(updateParked, { webhookId, now, limit });
  }
}

/** Notes that the parked queues of a webhook are to be resumed or deleted, in the transaction that enables or deletes it. */
export async function noteChanged(tx: Transaction, webhookId: string, now: number): Promise<void> {
  await tx.execute(upsertChanged, { webhookId, now });
}

/** Those for which `resumeQueues` has something to do, the oldest change first. */
export async function findChangedWebhooks(reader: Reader): Promise<string[]> {
  return (await reader.all(selectChanged, { limit: WEBHOOKS_AT_ONCE })).map(({ id }) => id);
}

/** The next step for each of these webhooks: makes parked queues due at `now`, or deletes them where the webhook was deleted. */
export async function resumeQueues(tx: Transaction, webhookIds: readonly string[], now: number): Promise<void> {
  const limit = shareOf(webhookIds);
  for (const webhookId of webhookIds.toSorted()) {
    if ((await resumeSome(tx, { webhookId, now, limit })) < limit) await tx.execute(deleteChanged, { webhookId });
  }
}

async function resumeSome(tx: Transaction, step: QueueStep): Promise<number> {
  const webhook = await tx.one(selectState, step);
  if (webhook === null) return tx.execute(deleteQueues, step);
  return webhook.disabledAt === null ? tx.execute(updateResumed, step) : 0;
}

function shareOf(webhookIds: readonly string[]): number {
  return Math.ceil(AT_ONCE / webhookIds.length);
}

/** Makes a queue due before all others of its webhook. One that is leased stays so. */
export async function putAhead(tx: Transaction, webhookId: string, queue: string): Promise<void> {
  await tx.execute(updateDue, { webhookId, queue, dueAt: AHEAD });
}

interface QueueStep {
  webhookId: string;
  now: number;
  limit: number;
}

function selectState(db: Tables, p: { webhookId: string }) {
  return db.selectFrom('webhooks').where('id', '=', p.webhookId).select('disabled_at as disabledAt');
}

/** But those that are leased: their results will be saved. */
function scheduled(db: Tables, p: QueueStep) {
  return db
    .selectFrom('webhook_queues')
    .where('webhook_id', '=', p.webhookId)
    .where('next_attempt_at', 'is not', null)
    .where((of) => of.or([of('lease', 'is', null), of('next_attempt_at', '<=', p.now)]))
    .limit(p.limit)
    .select('queue');
}

function updateParked(db: Tables, p: QueueStep) {
  return db
    .updateTable('webhook_queues')
    .where('webhook_id', '=', p.webhookId)
    .where('queue', 'in', scheduled(db, p))
    .set({ next_attempt_at: null, waiting_since: null, lease: null });
}

/** Parked or scheduled, but those that are leased. */
function deleteQueues(db: Tables, p: QueueStep) {
  return db
    .deleteFrom('webhook_queues')
    .where('webhook_id', '=', p.webhookId)
    .where('queue', 'in', (of) =>
      of
        .selectFrom('webhook_queues')
        .where('webhook_id', '=', p.webhookId)
        .where((is) => is.or([is('lease', 'is', null), is('next_attempt_at', '<=', p.now)]))
        .limit(p.limit)
        .select('queue'),
    );
}

function updateResumed(db: Tables, p: QueueStep) {
  return db
    .updateTable('webhook_queues')
    .where('webhook_id', '=', p.webhookId)
    .where('queue', 'in', (of) =>
      of
        .selectFrom('webhook_queues')
        .where('webhook_id', '=', p.webhookId)
        .where('next_attempt_at', 'is', null)
        .limit(p.limit)
        .select('queue'),
    )
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

function updateDue(db: Tables, p: { webhookId: string; queue: string; dueAt: number }) {
  return db
    .updateTable('webhook_queues')
    .where('webhook_id', '=', p.webhookId)
    .where('queue', '=', p.queue)
    .where('lease', 'is', null)
    .set({ next_attempt_at: p.dueAt });
}

function upsertChanged(db: Tables, p: { webhookId: string; now: number }) {
  return db
    .insertInto('changed_webhooks')
    .values({ webhook_id: p.webhookId, changed_at: p.now })
    .onConflict((on) => on.column('webhook_id').doUpdateSet({ changed_at: p.now }));
}

function selectChanged(db: Tables, p: { limit: number }) {
  return db
    .selectFrom('changed_webhooks')
    .where('changed_at', '>', sql.lit(0))
    .orderBy('changed_at')
    .limit(p.limit)
    .select('webhook_id as id');
}

function deleteChanged(db: Tables, p: { webhookId: string }) {
  return db.deleteFrom('changed_webhooks').where('webhook_id', '=', p.webhookId);
}
