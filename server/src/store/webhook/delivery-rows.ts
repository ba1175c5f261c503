import { type InferResult, sql } from 'kysely';
import { TEST_EVENT_TYPE, type WebhookMessage } from '../../domain/webhook-message.ts';
import { defineChange, isOutcome } from '../engine/change.ts';
import type { Reader, Tables, Transaction } from '../engine/statement.ts';
import { NO_DOMAINS, NO_LOCKS, NO_SECRET } from '../engine/write.ts';
import type { AddedDelivery, Delivery, DeliveryPageRequest, Paged } from '../store.ts';
import { addDelivery } from './outbox.ts';
import { AHEAD, endQueue, putAhead, WAITING_WEBHOOKS } from './queue.ts';
import { findWebhook } from './webhook-rows.ts';

/** Waiting deliveries that are counted at most: about a millisecond for each thousand. */
const COUNTED = 10_000;

async function addTestDelivery(
  tx: Transaction,
  workspaceId: string,
  webhookId: string,
  now: number,
): Promise<AddedDelivery> {
  const refused = await refusal(tx, workspaceId, webhookId);
  if (refused !== null) return refused;
  const [id, eventId] = [tx.newId('dlv'), tx.newId('evt')];
  const about = { eventId, type: TEST_EVENT_TYPE, message: null, happenedAt: now } as const;
  addDelivery(tx, { id, webhookId, queue: id, ...about, at: now, dueAt: AHEAD });
  return { kind: 'added', deliveryId: id };
}

async function redeliver(
  tx: Transaction,
  workspaceId: string,
  webhookId: string,
  deliveryId: string,
  now: number,
): Promise<AddedDelivery> {
  const refused = await refusal(tx, workspaceId, webhookId);
  if (refused !== null) return refused;
  const before = await tx.one(selectMessage, { webhookId, id: deliveryId });
  if (before === null) return { kind: 'missing' };
  const { queue, finishedAt, ...event } = before;
  if (finishedAt === null) {
    await putAhead(tx, webhookId, queue);
    return { kind: 'added', deliveryId };
  }
  const id = tx.newId('dlv');
  addDelivery(tx, { ...event, id, webhookId, queue: id, at: now, dueAt: AHEAD });
  return { kind: 'added', deliveryId: id };
}

export const deliveryChanges = {
  addTestDelivery: defineChange({
    perform: addTestDelivery,
    locks: NO_LOCKS,
    audit: { targets: (_, workspaceId, id) => [{ workspaceId, target: id }], isMade: isOutcome('added') },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  redeliver: defineChange({
    perform: redeliver,
    locks: NO_LOCKS,
    audit: {
      targets: (_, workspaceId, id, deliveryId) => [{ workspaceId, target: id, detail: { deliveryId } }],
      isMade: isOutcome('added'),
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
};

async function refusal(tx: Transaction, workspaceId: string, webhookId: string) {
  const webhook = await findWebhook(tx, workspaceId, webhookId);
  if (webhook === null) return { kind: 'missing' } as const;
  return webhook.disabledAt === null ? null : ({ kind: 'disabled' } as const);
}

export async function findDelivery(reader: Reader, workspaceId: string, webhookId: string, id: string) {
  const row = await reader.one(selectDelivery, { workspaceId, webhookId, id });
  return row === null ? null : deliveryOf(row);
}

export async function listDeliveries(
  reader: Reader,
  workspaceId: string,
  webhookId: string,
  { limit, cursor, state }: DeliveryPageRequest,
): Promise<Paged<Delivery>> {
  const slots = { workspaceId, webhookId, outcome: state ?? '', from: cursor ?? LAST_ID, rows: limit + 1 };
  const rows = await reader.all(selectIn(state), slots);
  const items = rows.slice(0, limit).map((row) => deliveryOf({ ...row, response: null }));
  const next = rows[limit];
  return next === undefined ? { items } : { items, next: next.id };
}

/** Above every id. */
const LAST_ID = '~';

export async function deliveryBacklog(reader: Reader) {
  const waiting = await reader.one(countWaiting, { limit: COUNTED });
  const oldest = await reader.one(selectOldest, {});
  const states = await reader.one(countStates, {});
  return {
    waiting: waiting?.count ?? 0,
    oldestAt: oldest?.since ?? null,
    failingWebhooks: states?.failing ?? 0,
    disabledWebhooks: states?.disabled ?? 0,
  };
}

export async function pruneDeliveries(tx: Transaction, before: number, limit: number): Promise<number> {
  const waiting = await tx.all(selectOldWaiting, { before, limit });
  const deleted = await tx.execute(deleteDeliveries, { before, limit });
  for (const queue of waiting) await endQueue(tx, queue);
  return deleted;
}

type DeliveryRow = InferResult<ReturnType<typeof selectDelivery>>[number];

function deliveryOf({ message, outcome, attemptedAt, durationMs, status, error, response, ...row }: DeliveryRow) {
  const domain = message === null ? null : (JSON.parse(message) as WebhookMessage).domain;
  const lastAttempt =
    attemptedAt === null ? null : { at: attemptedAt, durationMs: durationMs ?? 0, status, error, response };
  const names = { domainId: domain?.id ?? null, domainName: domain?.name ?? null };
  // One that is ahead of others is due since it was added.
  const nextAttemptAt = row.nextAttemptAt === null ? null : Math.max(row.nextAttemptAt, row.createdAt);
  return { ...row, ...names, state: outcome ?? 'waiting', lastAttempt, nextAttemptAt } satisfies Delivery;
}

function selectFromDeliveries(db: Tables, p: { workspaceId: string; webhookId: string }) {
  return db
    .selectFrom('webhookDeliveries as deliveries')
    .innerJoin('webhooks', 'webhooks.id', 'deliveries.webhookId')
    .where('deliveries.webhookId', '=', p.webhookId)
    .where('webhooks.workspaceId', '=', p.workspaceId)
    .select([
      'deliveries.id',
      'deliveries.webhookId',
      'deliveries.eventId',
      'deliveries.type',
      'deliveries.message',
      'deliveries.outcome',
      'deliveries.attempts',
      'deliveries.lastAttemptAt as attemptedAt',
      'deliveries.lastDurationMs as durationMs',
      'deliveries.lastStatus as status',
      'deliveries.lastError as error',
      'deliveries.happenedAt',
      'deliveries.createdAt',
      'deliveries.finishedAt',
    ])
    .select((of) =>
      of
        .selectFrom('webhookQueues as queues')
        .whereRef('queues.webhookId', '=', 'deliveries.webhookId')
        .whereRef('queues.queue', '=', 'deliveries.queue')
        .where('deliveries.finishedAt', 'is', null)
        .whereRef('webhooks.disabledAt', 'is', sql.lit(null))
        .where((is) =>
          is.not(
            is.exists(
              is
                .selectFrom('webhookDeliveries as earlier')
                .whereRef('earlier.webhookId', '=', 'deliveries.webhookId')
                .whereRef('earlier.queue', '=', 'deliveries.queue')
                .whereRef('earlier.seq', '<', 'deliveries.seq')
                .where('earlier.finishedAt', 'is', null)
                .select('earlier.seq'),
            ),
          ),
        )
        .select('queues.nextAttemptAt')
        .as('nextAttemptAt'),
    );
}

function selectDelivery(db: Tables, p: { workspaceId: string; webhookId: string; id: string }) {
  return selectFromDeliveries(db, p).where('deliveries.id', '=', p.id).select('deliveries.lastResponse as response');
}

interface DeliveryPageSlots {
  workspaceId: string;
  webhookId: string;
  outcome: string;
  from: string;
  rows: number;
}

function selectIn(state: Delivery['state'] | undefined): typeof selectDeliveries {
  if (state === undefined) return selectDeliveries;
  return state === 'waiting' ? selectWaiting : selectFinished;
}

function selectDeliveries(db: Tables, p: DeliveryPageSlots) {
  return selectFromDeliveries(db, p)
    .where('deliveries.id', '<=', p.from)
    .orderBy('deliveries.id', 'desc')
    .limit(p.rows);
}

function selectWaiting(db: Tables, p: DeliveryPageSlots) {
  return selectFromDeliveries(db, p)
    .where('deliveries.outcome', 'is', null)
    .where('deliveries.id', '<=', p.from)
    .orderBy('deliveries.outcome', 'desc')
    .orderBy('deliveries.id', 'desc')
    .limit(p.rows);
}

/** As a range of all columns of an index, for PostgreSQL's planner (`workspace-domains.ts`). */
function selectFinished(db: Tables, p: DeliveryPageSlots) {
  return selectFromDeliveries(db, p)
    .where(sql<boolean>`${OUTCOME_KEY} >= (${p.webhookId}, ${p.outcome}, '')`)
    .where(sql<boolean>`${OUTCOME_KEY} <= (${p.webhookId}, ${p.outcome}, ${p.from})`)
    .orderBy('deliveries.webhookId', 'desc')
    .orderBy('deliveries.outcome', 'desc')
    .orderBy('deliveries.id', 'desc')
    .limit(p.rows);
}

const OUTCOME_KEY = sql`(deliveries.webhook_id, deliveries.outcome, deliveries.id)`;

function selectMessage(db: Tables, p: { webhookId: string; id: string }) {
  return db
    .selectFrom('webhookDeliveries')
    .where('webhookId', '=', p.webhookId)
    .where('id', '=', p.id)
    .select(['queue', 'eventId', 'type', 'message', 'happenedAt', 'finishedAt']);
}

/** Those of enabled webhooks. Joined in this order: SQLite would begin with the deliveries. */
function countWaiting(db: Tables, p: { limit: number }) {
  return {
    compile: () =>
      sql<{ count: number }>`
        ${WAITING_WEBHOOKS}
        select count(*) as count from (
          select 1 from waiting cross join webhooks cross join webhook_deliveries
          where webhooks.id = waiting.id and disabled_at is null and webhook_id = webhooks.id and finished_at is null
          limit ${p.limit}
        ) as counted
      `.compile(db),
  };
}

/** Ids are in order of creation. */
function selectOldest(db: Tables) {
  return {
    compile: () =>
      sql<{ since: number | null }>`
        ${WAITING_WEBHOOKS}
        select min(created_at) as since from (
          select (
            select created_at from webhook_deliveries
            where webhook_id = webhooks.id and outcome is null order by outcome, id limit 1
          ) as created_at
          from waiting join webhooks on webhooks.id = waiting.id and disabled_at is null
        ) as oldest
      `.compile(db),
  };
}

function countStates(db: Tables) {
  return db.selectNoFrom((of) => [
    of
      .selectFrom('webhooks')
      .where('failingSince', 'is not', null)
      .where('disabledAt', 'is', null)
      .select((c) => c.fn.countAll<number>().as('count'))
      .as('failing'),
    of
      .selectFrom('webhooks')
      .where('disabledAt', 'is not', null)
      .select((c) => c.fn.countAll<number>().as('count'))
      .as('disabled'),
  ]);
}

function selectOld(db: Tables, p: { before: number; limit: number }) {
  return db.selectFrom('webhookDeliveries').where('createdAt', '<', p.before).orderBy('createdAt').limit(p.limit);
}

function selectOldWaiting(db: Tables, p: { before: number; limit: number }) {
  return db
    .selectFrom(selectOld(db, p).select(['webhookId', 'queue', 'finishedAt']).as('old'))
    .where('finishedAt', 'is', null)
    .select(['webhookId', 'queue']);
}

function deleteDeliveries(db: Tables, p: { before: number; limit: number }) {
  return db.deleteFrom('webhookDeliveries').where('seq', 'in', selectOld(db, p).select('seq'));
}
