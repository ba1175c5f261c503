import { type InferResult, sql } from 'kysely';
import { furthestAttemptAt } from '../../../domain/webhook-attempts.ts';
import type { DeliveryClaim, DueDelivery } from '../../contract/store.ts';
import type { Reader, Tables, Transaction } from '../statement.ts';
import { type DueQueue, deliverySchedule } from './delivery-schedule.ts';

interface ClaimedDeliveries {
  due: DueDelivery[];
  /** Webhooks with queues to be parked (`queue-rows.ts`). */
  idle: string[];
}

/** Leases queues that are due still to `lease` until `until`. Resolves with those that it got, and the first delivery of each, if there is one. */
export type QueueLeaser = (tx: Transaction, queues: DueQueue[], about: LeaseSlots) => Promise<LeasedQueue[]>;

export interface LeaseSlots {
  now: number;
  until: number;
  lease: number;
}

export type LeasedQueue = DueQueue & { first: FirstDelivery | null };

export type FirstDelivery = InferResult<ReturnType<typeof selectFirst>>[number];

/** Queues that one claim repairs, before it selects the due ones. */
const REPAIRED_AT_ONCE = 1000;
/** Fencing tokens are random, since a queue comes and goes: no two leases of one share a token. */
const TOKENS = 2 ** 48;

/** For the claims of one process, which must not overlap. `random` returns numbers in [0, 1). */
export function deliveryClaimer(random: () => number = Math.random) {
  const schedule = deliverySchedule();

  return async (
    tx: Transaction,
    claim: DeliveryClaim,
    leaseQueues: QueueLeaser = leaseEach,
  ): Promise<ClaimedDeliveries> => {
    const { now, limit, leaseMs } = claim;
    if (limit < 1) return { due: [], idle: [] };
    await tx.execute(resetMisscheduled, { now, furthest: furthestAttemptAt(now), limit: REPAIRED_AT_ONCE });
    const { queues, idle } = await schedule(tx, claim);
    const lease = Math.floor(random() * TOKENS);
    const secrets = new Map<string, DueDelivery['secrets']>();
    const due: DueDelivery[] = [];
    for (const { first, ...leased } of await leaseQueues(tx, queues, { now, until: now + leaseMs, lease })) {
      if (first === null) {
        await tx.execute(deleteQueue, leased);
        continue;
      }
      const { webhookId } = leased;
      const signing = secrets.get(webhookId) ?? (await tx.all(selectSecrets, { webhookId, now }));
      secrets.set(webhookId, signing);
      due.push(claimedOf(leased, first, signing, lease));
    }
    return { due, idle };
  };
}

async function leaseEach(tx: Transaction, queues: DueQueue[], about: LeaseSlots): Promise<LeasedQueue[]> {
  const leased: LeasedQueue[] = [];
  for (const due of queues) {
    if ((await tx.execute(leaseQueue, { ...due, ...about })) === 0) continue;
    leased.push({ ...due, first: await findFirst(tx, due) });
  }
  return leased;
}

async function findFirst(reader: Reader, { webhookId, queue }: DueQueue): Promise<FirstDelivery | null> {
  return reader.one(selectFirst, { webhookId, queue });
}

function claimedOf(
  { webhookId, queue, dueAt }: DueQueue,
  { message: json, ...first }: FirstDelivery,
  secrets: DueDelivery['secrets'],
  lease: number,
): DueDelivery {
  const message = json === null ? null : JSON.parse(json);
  return { ...first, webhookId, queue, dueAt, lease, secrets, message, domainId: message?.domain.id ?? null };
}

function resetMisscheduled(db: Tables, p: { now: number; furthest: number; limit: number }) {
  return {
    compile: () =>
      sql`
        update webhook_queues set next_attempt_at = ${p.now}
        where (webhook_id, queue) in (
          select webhook_id, queue from webhook_queues where next_attempt_at > ${p.furthest} limit ${p.limit}
        )
      `.compile(db),
  };
}

function leaseQueue(db: Tables, p: DueQueue & LeaseSlots) {
  return db
    .updateTable('webhook_queues')
    .where('webhook_id', '=', p.webhookId)
    .where('queue', '=', p.queue)
    .where('next_attempt_at', '<=', p.now)
    .set({ next_attempt_at: p.until, lease: p.lease });
}

function selectFirst(db: Tables, p: { webhookId: string; queue: string }) {
  return db
    .selectFrom('webhook_deliveries as deliveries')
    .innerJoin('webhooks', 'webhooks.id', 'deliveries.webhook_id')
    .where('deliveries.webhook_id', '=', p.webhookId)
    .where('deliveries.queue', '=', p.queue)
    .where('deliveries.finished_at', 'is', null)
    .orderBy('deliveries.seq')
    .limit(1)
    .select(firstColumns);
}

export const firstColumns = [
  'deliveries.id as deliveryId',
  'deliveries.event_id as eventId',
  'deliveries.type',
  'deliveries.message',
  'deliveries.happened_at as happenedAt',
  'deliveries.created_at as waitingSince',
  'deliveries.attempts',
  'webhooks.workspace_id as workspaceId',
  'webhooks.url',
] as const;

/** Those that sign now, the newest first. */
function selectSecrets(db: Tables, p: { webhookId: string; now: number }) {
  return db
    .selectFrom('webhook_secrets')
    .where('webhook_id', '=', p.webhookId)
    .where((of) => of.or([of('expires_at', 'is', null), of('expires_at', '>', p.now)]))
    .orderBy(sql`expires_at is null`, 'desc')
    .select(['id', 'secret']);
}

function deleteQueue(db: Tables, p: { webhookId: string; queue: string }) {
  return db.deleteFrom('webhook_queues').where('webhook_id', '=', p.webhookId).where('queue', '=', p.queue);
}
