import { sql } from 'kysely';
import { furthestAttemptAt } from '../../domain/furthest-attempt.ts';
import type { Reader, Tables, Transaction } from '../engine/statement.ts';
import type { DueDelivery, DueWebhook } from '../store.ts';

// The deliveries of a webhook about one domain are a queue: one row, which has the time of the next attempt and the lease. A row stays as it is while its
// webhook is disabled, and after the webhook was deleted until `pruneDeliveries` deletes what waited in it.

/** A due time before all others: of a test, and of what somebody asked for. */
export const AHEAD = 0;

/** Queues that enabling a webhook makes due at once: a tenth of a second. */
export const RESUMED_AT_ONCE = 10_000;

/** Due queues of a webhook that are counted: no more of them are begun at once. */
const DUE_COUNTED = 20;

interface QueueKey {
  webhookId: string;
  queue: string;
}

export async function findDueWebhooks(reader: Reader, now: number): Promise<DueWebhook[]> {
  const rows = await reader.all(selectDueWebhooks, { now, furthest: furthestAttemptAt(now) });
  return rows.map(({ webhookId, due, dueAt, failingSince }) => ({
    webhookId,
    due: Math.max(1, due),
    dueAt: dueAt === AHEAD || dueAt > now ? now : dueAt,
    isFailing: failingSince !== null,
  }));
}

export async function leaseDelivery(
  tx: Transaction,
  webhookId: string,
  { now, leaseMs }: { now: number; leaseMs: number },
): Promise<DueDelivery | null> {
  const select = tx.isLocal ? selectDue : lockDue;
  const due =
    (await tx.one(select, { webhookId, from: AHEAD, to: now })) ??
    (await tx.one(select, { webhookId, from: furthestAttemptAt(now), to: Number.MAX_SAFE_INTEGER }));
  if (due === null) return null;
  const { queue } = due;
  const lease = tx.newId('lease');
  await tx.execute(leaseQueue, { webhookId, queue, lease, until: now + leaseMs });
  // In a statement of its own, which sees what was committed before the queue was locked.
  const first = await tx.one(selectFirst, { webhookId, queue });
  if (first === null) {
    await tx.execute(deleteEmptyQueue, { webhookId, queue });
    return null;
  }
  const secrets = await tx.all(selectSecrets, { webhookId, now });
  const { message: json, ...about } = first;
  const message = json === null ? null : JSON.parse(json);
  return { ...about, webhookId, queue, lease, secrets, message, domainId: message?.domain.id ?? null };
}

/** Ends a lease; false, and nothing is done, where it is no longer held. */
export async function releaseQueue(
  tx: Transaction,
  held: QueueKey & { lease: string },
  dueAt: number,
): Promise<boolean> {
  return (await tx.execute(updateReleased, { ...held, dueAt })) > 0;
}

/** Deletes a queue in which nothing waits. It is locked first, so that a delivery that is added meanwhile is either seen or adds the queue again. */
export async function endQueue(tx: Transaction, key: QueueKey): Promise<void> {
  await tx.execute(lockQueue, key);
  await tx.execute(deleteEmptyQueue, key);
}

/** Makes a queue due before all others of its webhook. One that is leased stays so. */
export async function putAhead(tx: Transaction, webhookId: string, queue: string): Promise<void> {
  await tx.execute(updateDue, { webhookId, queue, dueAt: AHEAD });
}

/** Makes due what waits for its next attempt, `RESUMED_AT_ONCE` queues at most. */
export async function resumeQueues(tx: Transaction, webhookId: string, now: number): Promise<void> {
  await tx.execute(updateResumed, { webhookId, now, limit: RESUMED_AT_ONCE });
}

/** Begins a statement that reads `waiting (id)`: the webhooks with queues. A loose index scan: its cost does not depend on how many queues a webhook has. */
export const WAITING_WEBHOOKS = sql`
  with recursive waiting (id) as (
    select (select webhook_id from webhook_queues where webhook_id > '' order by webhook_id limit 1)
    union all
    select (select webhook_id from webhook_queues where webhook_id > waiting.id order by webhook_id limit 1)
    from waiting where id is not null
  )`;

function selectDueWebhooks(db: Tables, p: { now: number; furthest: number }) {
  return {
    compile: () =>
      sql<{ webhookId: string; due: number; dueAt: number; failingSince: number | null }>`
        ${WAITING_WEBHOOKS}
        select id as "webhookId", earliest as "dueAt", failing_since as "failingSince", (
          select count(*) from (
            select 1 from webhook_queues where webhook_id = scheduled.id and next_attempt_at <= ${p.now} limit ${sql.lit(DUE_COUNTED)}
          ) as counted
        ) as due
        from (
          select webhooks.id, failing_since,
            (select min(next_attempt_at) from webhook_queues where webhook_id = webhooks.id) as earliest,
            (select max(next_attempt_at) from webhook_queues where webhook_id = webhooks.id) as latest
          from waiting join webhooks on webhooks.id = waiting.id where disabled_at is null
        ) as scheduled
        where earliest <= ${p.now} or latest > ${p.furthest}
      `.compile(db),
  };
}

interface DueSlots {
  webhookId: string;
  from: number;
  to: number;
}

/** The most overdue. As a range of both columns, for PostgreSQL's planner (`certificate/fairness.ts`). */
function selectDue(db: Tables, p: DueSlots) {
  return db
    .selectFrom('webhookQueues')
    .where((of) => of(of.refTuple('webhookId', 'nextAttemptAt'), '>=', of.tuple(p.webhookId, p.from)))
    .where((of) => of(of.refTuple('webhookId', 'nextAttemptAt'), '<=', of.tuple(p.webhookId, p.to)))
    .orderBy('webhookId')
    .orderBy('nextAttemptAt')
    .limit(1)
    .select('queue');
}

/** For several writers: passes over what another transaction has locked. */
export function lockDue(db: Tables, p: DueSlots) {
  return selectDue(db, p).forUpdate().skipLocked();
}

function queueOf(db: Tables, p: QueueKey) {
  return db.updateTable('webhookQueues').where('webhookId', '=', p.webhookId).where('queue', '=', p.queue);
}

function leaseQueue(db: Tables, p: QueueKey & { lease: string; until: number }) {
  return queueOf(db, p).set({ nextAttemptAt: p.until, lease: p.lease });
}

function updateReleased(db: Tables, p: QueueKey & { lease: string; dueAt: number }) {
  return queueOf(db, p).where('lease', '=', p.lease).set({ lease: null, nextAttemptAt: p.dueAt });
}

function updateDue(db: Tables, p: QueueKey & { dueAt: number }) {
  return queueOf(db, p).where('lease', 'is', null).set({ nextAttemptAt: p.dueAt });
}

function lockQueue(db: Tables, p: QueueKey) {
  return queueOf(db, p).set((of) => ({ lease: of.ref('lease') }));
}

function updateResumed(db: Tables, p: { webhookId: string; now: number; limit: number }) {
  return db
    .updateTable('webhookQueues')
    .where('webhookId', '=', p.webhookId)
    .where('queue', 'in', (of) =>
      of
        .selectFrom('webhookQueues')
        .where('webhookId', '=', p.webhookId)
        .where('nextAttemptAt', '>', p.now)
        // The result of one that is leased will be saved.
        .where('lease', 'is', null)
        .orderBy('nextAttemptAt')
        .limit(p.limit)
        .select('queue'),
    )
    .set({ nextAttemptAt: p.now });
}

function deleteEmptyQueue(db: Tables, p: QueueKey) {
  return db
    .deleteFrom('webhookQueues')
    .where('webhookId', '=', p.webhookId)
    .where('queue', '=', p.queue)
    .where((of) =>
      of.not(
        of.exists(
          of
            .selectFrom('webhookDeliveries')
            .where('webhookId', '=', p.webhookId)
            .where('queue', '=', p.queue)
            .where('finishedAt', 'is', null)
            .select('seq'),
        ),
      ),
    );
}

function selectFirst(db: Tables, p: QueueKey) {
  return db
    .selectFrom('webhookDeliveries as deliveries')
    .innerJoin('webhooks', 'webhooks.id', 'deliveries.webhookId')
    .where('deliveries.webhookId', '=', p.webhookId)
    .where('deliveries.queue', '=', p.queue)
    .where('deliveries.finishedAt', 'is', null)
    .orderBy('deliveries.seq')
    .limit(1)
    .select([
      'deliveries.id as deliveryId',
      'deliveries.eventId',
      'deliveries.type',
      'deliveries.message',
      'deliveries.happenedAt',
      'deliveries.createdAt as waitingSince',
      'deliveries.attempts',
      'webhooks.workspaceId',
      'webhooks.url',
    ]);
}

/** Those that sign now, the newest first. */
function selectSecrets(db: Tables, p: { webhookId: string; now: number }) {
  return db
    .selectFrom('webhookSecrets')
    .where('webhookId', '=', p.webhookId)
    .where((of) => of.or([of('expiresAt', 'is', null), of('expiresAt', '>', p.now)]))
    .orderBy(sql`expires_at is null`, 'desc')
    .select(['id', 'secret']);
}
