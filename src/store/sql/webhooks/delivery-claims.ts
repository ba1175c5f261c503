import { type InferResult, sql } from 'kysely';
import { furthestAttemptAt } from '../../../domain/webhook-attempts.ts';
import type { DeliveryClaim, DueDelivery } from '../../contract/store.ts';
import type { Tables, Transaction } from '../statement.ts';
import { type DueFinder, type DueQueue, deliverySchedule, selectDueOf } from './delivery-schedule.ts';
import { AHEAD } from './queue-rows.ts';

interface ClaimedDeliveries {
  due: DueDelivery[];
  /** Webhooks with queues to be parked (`parkQueues`). */
  idle: string[];
}

/** How an engine does for many queues what a claim needs. */
export interface ClaimSteps {
  findDue: DueFinder;
  /** Leases queues that are due still to `lease` until `until`. Resolves with those that it got, and the first delivery of each, if there is one. */
  lease(tx: Transaction, queues: readonly DueQueue[], about: LeaseSlots): Promise<LeasedQueue[]>;
  /** Those that sign now, the newest first. */
  findSecrets(tx: Transaction, webhookIds: readonly string[], now: number): Promise<WebhookSecrets>;
  deleteQueues(tx: Transaction, queues: readonly DueQueue[]): Promise<void>;
}

export interface LeaseSlots {
  now: number;
  until: number;
  lease: number;
}

export type LeasedQueue = DueQueue & { first: FirstDelivery | null };

export type FirstDelivery = InferResult<ReturnType<typeof selectFirst>>[number];

/** By webhook. */
export type WebhookSecrets = Map<string, DueDelivery['secrets']>;

/** Queues that one claim repairs, before it selects the due ones. */
const REPAIRED_AT_ONCE = 1000;
/** Fencing tokens are random, since a queue comes and goes: no two leases of one share a token. */
const TOKENS = 2 ** 48;

/** For the claims of one process, which must not overlap. `random` returns numbers in [0, 1). */
export function deliveryClaimer(random: () => number = Math.random) {
  const schedule = deliverySchedule();

  return async (tx: Transaction, claim: DeliveryClaim, steps: ClaimSteps = oneByOne): Promise<ClaimedDeliveries> => {
    const { now, limit, leaseMs } = claim;
    if (limit < 1) return { due: [], idle: [] };
    await tx.execute(resetMisscheduled, { now, furthest: furthestAttemptAt(now), limit: REPAIRED_AT_ONCE });
    const { queues, idle } = await schedule(tx, claim, steps.findDue);
    if (queues.length === 0) return { due: [], idle };
    const lease = Math.floor(random() * TOKENS);
    const leased = await steps.lease(tx, queues, { now, until: now + leaseMs, lease });
    const empty = leased.filter(({ first }) => first === null);
    if (empty.length > 0) await steps.deleteQueues(tx, empty);
    const secrets = await steps.findSecrets(tx, [...new Set(leased.map(({ webhookId }) => webhookId))], now);
    const due = leased.flatMap(({ first, ...queue }) =>
      first === null ? [] : [claimedOf(queue, first, { now, lease, secrets: secrets.get(queue.webhookId) ?? [] })],
    );
    return { due, idle };
  };
}

/** For an engine whose statements cost no round trip. */
const oneByOne: ClaimSteps = {
  async findDue(reader, wanted, now) {
    const found: DueQueue[] = [];
    for (const each of wanted) found.push(...(await reader.all(selectDueOf, { ...each, now })));
    return found;
  },
  async lease(tx, queues, about) {
    const leased: LeasedQueue[] = [];
    for (const due of queues) {
      if ((await tx.execute(leaseQueue, { ...due, ...about })) === 0) continue;
      leased.push({ ...due, first: await tx.one(selectFirst, due) });
    }
    return leased;
  },
  async findSecrets(tx, webhookIds, now) {
    const secrets: WebhookSecrets = new Map();
    for (const webhookId of webhookIds) secrets.set(webhookId, await tx.all(selectSecrets, { webhookId, now }));
    return secrets;
  },
  async deleteQueues(tx, queues) {
    for (const queue of queues) await tx.execute(deleteQueue, queue);
  },
};

function claimedOf(
  { webhookId, queue, dueAt }: DueQueue,
  { message: json, ...first }: FirstDelivery,
  { now, lease, secrets }: { now: number; lease: number; secrets: DueDelivery['secrets'] },
): DueDelivery {
  const message = json === null ? null : JSON.parse(json);
  const domainId = message?.domain.id ?? null;
  return { ...first, webhookId, queue, dueAt: dueAt === AHEAD ? now : dueAt, lease, secrets, message, domainId };
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
