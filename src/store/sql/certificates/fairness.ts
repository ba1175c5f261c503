import { sql } from 'kysely';
import type { CertificateStore } from '../../contract/store.ts';
import type { Reader, Tables } from '../statement.ts';

// Which due certificates are claimed: workspaces take turns, however many of one are due.

export type CertificateClaim = Parameters<CertificateStore['claimCertificates']>[0];

/** Host names of due certificates, those whose turn it is first; at least as many as are to be claimed, if so many are due. */
export type TurnChooser = (reader: Reader, claim: CertificateClaim) => Promise<string[]>;

/** Due certificates that are looked at, the most overdue first. Only where there are more the workspaces are walked through. */
const WINDOW = 200;
/** Workspaces that are passed in a walk, at most; the next one goes on from there. */
const STEPS = 500;

/** Values of `begun`. What is begun comes first: names are served by it. */
const KINDS = [1, 0];

export function kindsOf({ newNames }: Pick<CertificateClaim, 'newNames'>): number[] {
  return newNames ? KINDS : [1];
}

/** For the claims of one process. */
export function turnChooser(): TurnChooser {
  const walks = new Map(KINDS.map((begun) => [begun, workspaceWalk(begun)]));

  return async (reader, claim) => {
    const window = Math.max(WINDOW, claim.limit);
    const seen: Overdue[][] = [];
    const lines: Overdue[][] = [];
    for (const begun of kindsOf(claim)) {
      const rows = await reader.all(selectOverdue, { begun, now: claim.now, limit: window });
      const walk = rows.length < window ? undefined : walks.get(begun);
      seen.push(rows);
      lines.push([...((await walk?.(reader, claim)) ?? []), ...inTurns(rows)]);
    }
    // Where not all can be seen, what is begun and what is not have half of the claim each.
    const isAll = seen.every((rows) => rows.length < window);
    const chosen = isAll ? inTurns(seen.flat()) : alternately(lines);
    return [...new Set(chosen.map(({ hostname }) => hostname))];
  };
}

/**
 * Finds the most overdue of each workspace, in order of the workspaces' ids, and round and round: each walk goes on where the last one ended.
 */
function workspaceWalk(begun: number) {
  let after = '';

  async function findWorkspaces(reader: Reader, { now, limit }: CertificateClaim): Promise<string[]> {
    const found = new Set<string>();
    for (const mayGoRound of [true, false]) {
      const passed = await reader.all(walkWorkspaces, { begun, now, after, limit: limit - found.size });
      for (const { id, due } of passed) if (due === 1) found.add(id);
      const last = passed.at(-1);
      const wasLast = found.size < limit && last?.step !== STEPS;
      after = wasLast ? '' : (last?.id ?? '');
      if (!(wasLast && mayGoRound)) break;
    }
    return [...found];
  }

  return async (reader: Reader, claim: CertificateClaim): Promise<Overdue[]> => {
    const workspaces = await findWorkspaces(reader, claim);
    const about = { begun, now: claim.now, limit: Math.ceil(claim.limit / workspaces.length) };
    const rows: Overdue[] = [];
    for (const workspaceId of workspaces) rows.push(...(await reader.all(selectOverdueOf, { ...about, workspaceId })));
    return inTurns(rows);
  };
}

interface Overdue {
  hostname: string;
  workspaceId: string | null;
  dueAt: number | null;
}

/** Of each workspace the most overdue, then of each the next. */
function inTurns(rows: Overdue[]): Overdue[] {
  const turns = new Map<string | null, number>();
  return rows
    .toSorted((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0))
    .map((row) => {
      const turn = turns.get(row.workspaceId) ?? 0;
      turns.set(row.workspaceId, turn + 1);
      return { row, turn };
    })
    .sort((a, b) => a.turn - b.turn)
    .map(({ row }) => row);
}

/** The first of each list, then the second of each. */
function alternately<T>(lists: T[][]): T[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat();
}

export function selectOverdue(db: Tables, p: { begun: number; now: number; limit: number }) {
  return db
    .selectFrom('certificates')
    .where('begun', '=', p.begun)
    .where('next_try_at', '<=', p.now)
    .orderBy('next_try_at')
    .limit(p.limit)
    .select(['hostname', 'workspace_id as workspaceId', 'next_try_at as dueAt']);
}

/**
 * Of one workspace. As a range of both columns, since to PostgreSQL an equality would make the index over all workspaces as good as the one
 * that begins with them, and it would pass all that others have due.
 */
export function selectOverdueOf(db: Tables, p: { begun: number; now: number; limit: number; workspaceId: string }) {
  return db
    .selectFrom('certificates')
    .where('begun', '=', p.begun)
    .where((of) => of(of.refTuple('workspace_id', 'next_try_at'), '>=', of.tuple(p.workspaceId, sql.lit(0))))
    .where((of) => of(of.refTuple('workspace_id', 'next_try_at'), '<=', of.tuple(p.workspaceId, p.now)))
    .orderBy('workspace_id')
    .orderBy('next_try_at')
    .limit(p.limit)
    .select(['hostname', 'workspace_id as workspaceId', 'next_try_at as dueAt']);
}

/**
 * Workspaces with anything due, from the one after `after` on, and the one at which the walk ended. It steps over the index from workspace to
 * workspace, which costs the same however many certificates they have.
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
        ) as passed
        where due_at <= ${p.now} or step = ${sql.lit(STEPS)}
        limit ${p.limit}
      `.compile(db),
  };
}
