import { sql } from 'kysely';
import { furthestAttemptAt } from '../../../domain/webhook-attempts.ts';
import type { DeliveryClaim } from '../../contract/store.ts';
import type { Reader, Tables } from '../statement.ts';

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

/** Whether a claim would find anything, so that an idle poll writes nothing. */
export async function isAnyDeliveryDue(reader: Reader, now: number): Promise<boolean> {
  if ((await reader.one(selectDue, { now })) !== null) return true;
  return (await reader.one(selectMisscheduled, { furthest: furthestAttemptAt(now) })) !== null;
}

/** For the claims of one process, which must not overlap: each continues the walk of the previous one. */
export function deliverySchedule() {
  let after = '';

  /** Webhooks with due queues, in the order of their ids, in a circle. */
  async function findWebhooks(reader: Reader, { now, limit }: DeliveryClaim) {
    const found = new Map<string, { workspaceId: string | null; disabledAt: number | null }>();
    for (const mayRestart of [true, false]) {
      const visited = await reader.all(walkWebhooks, { now, after, limit: limit - found.size });
      for (const { id, due, workspaceId, disabledAt } of visited) {
        if (due === 1) found.set(id, { workspaceId, disabledAt });
      }
      const last = visited.at(-1);
      const isEnd = found.size < limit && last?.step !== STEPS;
      after = isEnd ? '' : (last?.id ?? '');
      if (!(isEnd && mayRestart)) break;
    }
    return found;
  }

  return async (reader: Reader, claim: DeliveryClaim): Promise<Schedule> => {
    const { now, limit, perWebhook, perWorkspace, inFlight } = claim;
    const free = new Map(inFlight.map(({ webhookId, count, most }) => [webhookId, most - count]));
    const ofWorkspace = new Map<string, number>();
    for (const { workspaceId, count } of inFlight) {
      ofWorkspace.set(workspaceId, (ofWorkspace.get(workspaceId) ?? 0) + count);
    }
    const lists: DueQueue[][] = [];
    const idle: string[] = [];
    const workspaces = new Map<string, string>();
    for (const [webhookId, { workspaceId, disabledAt }] of await findWebhooks(reader, claim)) {
      if (workspaceId === null || disabledAt !== null) {
        idle.push(webhookId);
        continue;
      }
      workspaces.set(webhookId, workspaceId);
      const wanted = Math.min(limit, free.get(webhookId) ?? perWebhook);
      if (wanted > 0) lists.push(await reader.all(selectDueOf, { webhookId, now, limit: wanted }));
    }
    const queues: DueQueue[] = [];
    for (const due of interleave(lists)) {
      const workspaceId = workspaces.get(due.webhookId) ?? '';
      const count = ofWorkspace.get(workspaceId) ?? 0;
      if (count >= perWorkspace || queues.length === limit) continue;
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

function selectDue(db: Tables, p: { now: number }) {
  return db.selectFrom('webhook_queues').where('next_attempt_at', '<=', p.now).limit(1).select('queue');
}

export function selectMisscheduled(db: Tables, p: { furthest: number }) {
  return db.selectFrom('webhook_queues').where('next_attempt_at', '>', p.furthest).select(['webhook_id', 'queue']);
}
