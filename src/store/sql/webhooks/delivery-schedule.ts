import { sql } from 'kysely';
import { furthestAttemptAt } from '../../../domain/webhook-attempts.ts';
import type { DeliveryClaim } from '../../contract/store.ts';
import type { Reader, Tables } from '../statement.ts';
import { findChangedWebhooks } from './queue-rows.ts';

// Fair scheduling: due queues are claimed round robin over webhooks. One with any number of due queues costs the others nothing.

export interface DueQueue {
  webhookId: string;
  queue: string;
  dueAt: number;
}

interface Schedule {
  /** In the order of their claim; at most as many as the claim's limit. */
  queues: DueQueue[];
  /** Webhooks with due queues that are not to be claimed: they are disabled, or were deleted. */
  idle: string[];
}

/** Webhooks that one claim visits at most; the next claim continues there. */
const STEPS = 500;

/** What an idle poll reads, so that it writes nothing. */
interface DeliveryOutlook {
  /** Whether a claim would find anything. */
  isAnyDue: boolean;
  /** Webhooks whose queues are to be resumed first (`queue-rows.ts`). */
  changed: string[];
}

export async function deliveryOutlook(reader: Reader, now: number): Promise<DeliveryOutlook> {
  const found = await reader.one(selectOutlook, { now, furthest: furthestAttemptAt(now) });
  const changed = found?.changed == null ? [] : await findChangedWebhooks(reader);
  return { isAnyDue: found?.due != null || found?.misscheduled != null || changed.length > 0, changed };
}

/** Finds the due queues of each of these webhooks, the most overdue first, at most `limit` of it. */
export type DueFinder = (
  reader: Reader,
  wanted: readonly { webhookId: string; limit: number }[],
  now: number,
) => Promise<DueQueue[]>;

/** For the claims of one process, which must not overlap: each continues the walk of the previous one. */
export function deliverySchedule() {
  let after = '';

  /** Webhooks with due queues, in the order of their ids, in a circle that begins where the last one was left. Reads so many rows at a time. */
  async function* walk(reader: Reader, now: number, rows: number) {
    const start = after;
    let steps = 0;
    for (const isAgain of [false, true]) {
      for (let isEnd = false; !isEnd; ) {
        const visited = await reader.all(walkWebhooks, { now, after, limit: rows });
        for (const each of visited) {
          if (isAgain && each.id > start) return;
          after = each.id;
          if (each.due === 1) yield each;
        }
        steps += visited.at(-1)?.step ?? 0;
        if (steps >= STEPS) return;
        isEnd = visited.length < rows;
      }
      after = '';
      if (start === '') return;
    }
  }

  return async (reader: Reader, claim: DeliveryClaim, findDue: DueFinder): Promise<Schedule> => {
    const { now, limit, beyondFirst, perWebhook, perWorkspace, inFlight } = claim;
    const free = new Map(inFlight.map(({ webhookId, count, most }) => [webhookId, most - count]));
    const ofWorkspace = new Map<string, number>();
    for (const { workspaceId, count } of inFlight) {
      ofWorkspace.set(workspaceId, (ofWorkspace.get(workspaceId) ?? 0) + count);
    }
    const countOf = (workspaceId: string) => ofWorkspace.get(workspaceId) ?? 0;
    const isFull = (webhookId: string, workspaceId: string) =>
      (free.get(webhookId) ?? perWebhook) <= 0 || countOf(workspaceId) >= perWorkspace;
    const full = inFlight.filter(({ webhookId, workspaceId }) => isFull(webhookId, workspaceId)).length;

    const wanted: { webhookId: string; limit: number }[] = [];
    const idle: string[] = [];
    const workspaces = new Map<string, string>();
    // Those that are full would hide the others from a claim with little room.
    for await (const { id, workspaceId, disabledAt } of walk(reader, now, limit + full)) {
      if (workspaceId === null || disabledAt !== null) idle.push(id);
      else if (!isFull(id, workspaceId)) {
        workspaces.set(id, workspaceId);
        wanted.push({ webhookId: id, limit: Math.min(limit, free.get(id) ?? perWebhook) });
      }
      if (wanted.length + idle.length >= limit) break;
    }

    const found = wanted.length === 0 ? [] : await findDue(reader, wanted, now);
    const lists = [...Map.groupBy(found, ({ webhookId }) => webhookId).values()];
    const queues: DueQueue[] = [];
    let beyond = 0;
    for (const due of interleave(lists)) {
      if (queues.length === limit) break;
      const workspaceId = workspaces.get(due.webhookId) ?? '';
      const count = countOf(workspaceId);
      if (count >= perWorkspace || (count > 0 && beyond === beyondFirst)) continue;
      if (count > 0) beyond += 1;
      ofWorkspace.set(workspaceId, count + 1);
      queues.push(due);
    }
    return { queues, idle };
  };
}

/** The first of each list, that which has been due longest before the others; then the second of each. */
function interleave(lists: DueQueue[][]): DueQueue[] {
  const byFirst = lists.toSorted(([a], [b]) => (a?.dueAt ?? 0) - (b?.dueAt ?? 0));
  const longest = Math.max(0, ...byFirst.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => byFirst.flatMap((list) => list.slice(i, i + 1))).flat();
}

/**
 * Webhooks after `after` with any queue that is due, and the webhook at which the walk ended. A loose index scan, as that of certificates'
 * workspaces (`certificates/fairness.ts`): its cost does not depend on how many queues a webhook has.
 */
export function walkWebhooks(db: Tables, p: { now: number; after: string; limit: number }) {
  return {
    compile: () =>
      sql<{ id: string; step: number; due: number; workspaceId: string | null; disabledAt: number | null }>`
        with recursive walk (id, step) as (
          select (
            select webhook_id from webhook_queues where webhook_id > ${p.after} and next_attempt_at is not null
            order by webhook_id limit 1
          ), 1
          union all
          select (
            select webhook_id from webhook_queues where webhook_id > walk.id and next_attempt_at is not null
            order by webhook_id limit 1
          ), step + 1
          from walk where walk.id is not null and step < ${sql.lit(STEPS)}
        )
        select visited.id, step, case when due_at <= ${p.now} then 1 else 0 end as due,
          (select workspace_id from webhooks where webhooks.id = visited.id) as "workspaceId",
          (select disabled_at from webhooks where webhooks.id = visited.id) as "disabledAt"
        from (
          select id, step, (
            select next_attempt_at from webhook_queues
            where (webhook_id, next_attempt_at) >= (walk.id, 0) and (webhook_id, next_attempt_at) <= (walk.id, ${p.now})
            order by webhook_id, next_attempt_at limit 1
          ) as due_at
          from walk where id is not null
        ) as visited
        where due_at <= ${p.now} or step = ${sql.lit(STEPS)}
        limit ${p.limit}
      `.compile(db),
  };
}

/** As a range of both columns, for PostgreSQL's planner (`certificates/fairness.ts`). */
export function selectDueOf(db: Tables, p: { webhookId: string; now: number; limit: number }) {
  return db
    .selectFrom('webhook_queues')
    .where((of) => of(of.refTuple('webhook_id', 'next_attempt_at'), '>=', of.tuple(p.webhookId, sql.lit(0))))
    .where((of) => of(of.refTuple('webhook_id', 'next_attempt_at'), '<=', of.tuple(p.webhookId, p.now)))
    .orderBy('webhook_id')
    .orderBy('next_attempt_at')
    .limit(p.limit)
    .select(['webhook_id as webhookId', 'queue'])
    .select((of) => of.ref('next_attempt_at').$notNull().as('dueAt'));
}

function selectOutlook(db: Tables, p: { now: number; furthest: number }) {
  return db.selectNoFrom((of) => [
    of.selectFrom('webhook_queues').where('next_attempt_at', '<=', p.now).limit(1).select('queue').as('due'),
    of
      .selectFrom('webhook_queues')
      .where('next_attempt_at', '>', p.furthest)
      .limit(1)
      .select('queue')
      .as('misscheduled'),
    of.selectFrom('changed_webhooks').where('changed_at', '>', sql.lit(0)).limit(1).select('webhook_id').as('changed'),
  ]);
}
