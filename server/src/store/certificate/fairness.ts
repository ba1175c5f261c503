import { sql } from 'kysely';
import type { Reader, Tables } from '../engine/statement.ts';
import type { CertificateStore } from '../store.ts';

// Fair scheduling: due certificates are claimed round robin over workspaces.

export type CertificateClaim = Parameters<CertificateStore['claimCertificates']>[0];

/** Host names of due certificates in the order of their claim; at least as many as the claim's limit, if so many are due. */
type FairSchedule = (reader: Reader, claim: CertificateClaim) => Promise<string[]>;

/** Most overdue certificates that are read. If more are due, the workspaces are walked too. */
const WINDOW = 200;
/** Workspaces that one walk visits at most; the next walk continues there. */
const STEPS = 500;

/** Values of `begun`. Certificates in use, or with an order in flight, come first. */
const BEGUN = [1, 0];

export function begunValues({ newNames }: Pick<CertificateClaim, 'newNames'>): number[] {
  return newNames ? BEGUN : [1];
}

/** For the claims of one process. */
export function fairSchedule(): FairSchedule {
  const walks = new Map(BEGUN.map((begun) => [begun, workspaceWalk(begun)]));

  return async (reader, claim) => {
    const window = Math.max(WINDOW, claim.limit);
    const overdue: Overdue[][] = [];
    const queues: Overdue[][] = [];
    for (const begun of begunValues(claim)) {
      const rows = await reader.all(selectOverdue, { begun, now: claim.now, limit: window });
      const walk = rows.length < window ? undefined : walks.get(begun);
      overdue.push(rows);
      queues.push([...((await walk?.(reader, claim)) ?? []), ...roundRobin(rows)]);
    }
    // If more are due than were read, each value of `begun` gets half of the claim.
    const isAll = overdue.every((rows) => rows.length < window);
    const scheduled = isAll ? roundRobin(overdue.flat()) : interleave(queues);
    return [...new Set(scheduled.map(({ hostname }) => hostname))];
  };
}

/** Finds the most overdue certificates of each workspace, in the order of the workspaces' ids. Each walk continues where the previous one ended, in a circle. */
function workspaceWalk(begun: number) {
  let after = '';

  async function findWorkspaces(reader: Reader, { now, limit }: CertificateClaim): Promise<string[]> {
    const found = new Set<string>();
    for (const mayRestart of [true, false]) {
      const visited = await reader.all(walkWorkspaces, { begun, now, after, limit: limit - found.size });
      for (const { id, due } of visited) if (due === 1) found.add(id);
      const last = visited.at(-1);
      const isEnd = found.size < limit && last?.step !== STEPS;
      after = isEnd ? '' : (last?.id ?? '');
      if (!(isEnd && mayRestart)) break;
    }
    return [...found];
  }

  return async (reader: Reader, claim: CertificateClaim): Promise<Overdue[]> => {
    const workspaces = await findWorkspaces(reader, claim);
    const about = { begun, now: claim.now, limit: Math.ceil(claim.limit / workspaces.length) };
    const rows: Overdue[] = [];
    for (const workspaceId of workspaces) rows.push(...(await reader.all(selectOverdueOf, { ...about, workspaceId })));
    return roundRobin(rows);
  };
}

interface Overdue {
  hostname: string;
  workspaceId: string | null;
  dueAt: number | null;
}

/** The most overdue of each workspace, then the next of each. */
function roundRobin(rows: Overdue[]): Overdue[] {
  const rounds = new Map<string | null, number>();
  return rows
    .toSorted((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0))
    .map((row) => {
      const round = rounds.get(row.workspaceId) ?? 0;
      rounds.set(row.workspaceId, round + 1);
      return { row, round };
    })
    .sort((a, b) => a.round - b.round)
    .map(({ row }) => row);
}

/** The first of each list, then the second of each. */
function interleave<T>(lists: T[][]): T[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat();
}

export function selectOverdue(db: Tables, p: { begun: number; now: number; limit: number }) {
  return db
    .selectFrom('certificates')
    .where('begun', '=', p.begun)
    .where('nextTryAt', '<=', p.now)
    .orderBy('nextTryAt')
    .limit(p.limit)
    .select(['hostname', 'workspaceId', 'nextTryAt as dueAt']);
}

/**
 * Reads those of one workspace. As a range of both columns: with an equality, PostgreSQL may choose the index over all workspaces, and read past everything that the
 * others have due.
 */
export function selectOverdueOf(db: Tables, p: { begun: number; now: number; limit: number; workspaceId: string }) {
  return db
    .selectFrom('certificates')
    .where('begun', '=', p.begun)
    .where((of) => of(of.refTuple('workspaceId', 'nextTryAt'), '>=', of.tuple(p.workspaceId, sql.lit(0))))
    .where((of) => of(of.refTuple('workspaceId', 'nextTryAt'), '<=', of.tuple(p.workspaceId, p.now)))
    .orderBy('workspaceId')
    .orderBy('nextTryAt')
    .limit(p.limit)
    .select(['hostname', 'workspaceId', 'nextTryAt as dueAt']);
}

/**
 * Workspaces after `after` with anything due, and the workspace at which the walk ended. A loose index scan: its cost does not depend on the number of
 * certificates of a workspace.
 */
export function walkWorkspaces(db: Tables, p: { begun: number; now: number; after: string; limit: number }) {
  return {
    compile: () =>
      sql<{ id: string; step: number; due: number }>`
        with recursive walk (id, step) as (
          select (
            select workspace_id from certificates where begun = ${p.begun} and workspace_id > ${p.after}
            order by workspace_id limit 1
          ), 1
          union all
          select (
            select workspace_id from certificates where begun = ${p.begun} and workspace_id > walk.id
            order by workspace_id limit 1
          ), step + 1
          from walk where walk.id is not null and step < ${sql.lit(STEPS)}
        )
        select id, step, case when due_at <= ${p.now} then 1 else 0 end as due from (
          select id, step, (
            select next_try_at from certificates
            where begun = ${p.begun} and (workspace_id, next_try_at) >= (walk.id, 0)
            order by workspace_id, next_try_at limit 1
          ) as due_at
          from walk where id is not null
        ) as visited
        where due_at <= ${p.now} or step = ${sql.lit(STEPS)}
        limit ${p.limit}
      `.compile(db),
  };
}
