import { sql } from 'kysely';
import { type CertificateRow, certificateOf, selectFromCertificates } from './certificates.ts';
import type { Reading, Tables, Writing } from './query.ts';
import type { CertificateStore, DueCertificate } from './store.ts';

export type CertificateClaim = Parameters<CertificateStore['claimCertificates']>[0];

/** Claims certificates, one call after the other: each goes on with the workspaces that the one before did not come to. */
export type CertificateClaimer = (run: Writing, claim: CertificateClaim) => Promise<DueCertificate[]>;

/** Due certificates that a claim looks at, the most overdue first. Only where there are more it walks through the workspaces. */
const WINDOW = 200;
/** Rows of the release before that one claim completes. */
const COMPLETED_AT_ONCE = 1000;

/**
 * Two leases of a name have the same number as good as never: neither that of a certificate and of the one that took its place, nor those before
 * and after a power cut that undid a claim.
 */
const LEASE_STEP = 2 ** 30;

/** The claims of one process. `random` yields numbers in [0, 1). */
export function certificateClaimer(random: () => number = Math.random): CertificateClaimer {
  let last = '';

  async function choose(run: Writing, claim: CertificateClaim): Promise<Overdue[]> {
    const { now, limit, newNames } = claim;
    const window = Math.max(WINDOW, limit);
    const first: Overdue[][] = [];
    for (const begun of kinds(newNames)) first.push(await run.all(selectOverdue, { begun, now, limit: window }));
    if (first.every((rows) => rows.length < window)) return inTurns(first.flat()).slice(0, limit);

    const workspaces = await nextWorkspaces(run, claim, last);
    last = workspaces.at(-1) ?? '';
    const rows: Overdue[] = [];
    for (const workspaceId of workspaces) {
      const about = { workspaceId, now, limit: Math.ceil(limit / workspaces.length) };
      for (const begun of kinds(newNames)) rows.push(...(await run.all(selectOverdueOf, { ...about, begun })));
    }
    return inTurns(rows).slice(0, limit);
  }

  return async (run, claim) => {
    const { now, limit, leaseMs } = claim;
    if (limit < 1) return [];
    await run.change(completeRows, { limit: COMPLETED_AT_ONCE });
    const due: DueCertificate[] = [];
    for (const { hostname } of await choose(run, claim)) {
      const step = 1 + Math.floor(random() * LEASE_STEP);
      // Since it was chosen it may have been deleted, or saved by whoever's lease had run out.
      if ((await run.change(giveLease, { hostname, now, until: now + leaseMs, step })) === 0) continue;
      const row = await run.one(selectLeased, { hostname });
      if (row !== null) due.push(dueOf(row));
    }
    return due;
  };
}

/** Whether a claim would find anything: whoever has nothing to do is to write nothing. */
export async function isAnyDue(run: Reading, { now, newNames }: Pick<CertificateClaim, 'now' | 'newNames'>) {
  for (const begun of kinds(newNames)) {
    if ((await run.one(selectOverdue, { begun, now, limit: 1 })) !== null) return true;
  }
  return (await run.one(selectIncomplete, {})) !== null;
}

export async function extendLease(run: Writing, hostname: string, lease: number, until: number) {
  return (await run.change(updateLease, { hostname, lease, until })) > 0 ? 'held' : 'lost';
}

/** Whether the lease is held. It is until the end of the transaction, then. */
export async function holds(run: Writing, hostname: string, lease: number): Promise<boolean> {
  return (await run.change(touchLease, { hostname, lease })) > 0;
}

/** `begun` of what may be claimed. */
function kinds(newNames: boolean): number[] {
  return newNames ? [1, 0] : [1];
}

/** Workspaces in which anything is due, at most as many as are claimed: in order from the one after `last` on, and round. */
async function nextWorkspaces(run: Writing, { now, limit, newNames }: CertificateClaim, last: string) {
  const found = new Set<string>();
  for (const after of new Set([last, ''])) {
    const ids: string[] = [];
    for (const begun of kinds(newNames)) {
      ids.push(...(await run.all(selectWorkspaces, { begun, now, after, limit })).map((row) => row.workspaceId));
    }
    for (const id of ids.sort()) if (found.size < limit) found.add(id);
  }
  return [...found];
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

type LeasedRow = CertificateRow & {
  lease: number;
  orderIssuer: string | null;
  orderUrl: string | null;
  orderKey: Uint8Array | null;
  replaces: string | null;
  startedAt: number | null;
};

function dueOf(row: LeasedRow): DueCertificate {
  const { hostname, lease, orderIssuer: issuer, orderUrl: url, orderKey: privateKey, replaces, startedAt } = row;
  const ordered = issuer !== null && privateKey !== null && startedAt !== null;
  const order = ordered ? { hostname, issuer, url, privateKey, replaces, startedAt } : null;
  return { certificate: certificateOf(row), lease, order };
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

function selectOverdueOf(db: Tables, p: { begun: number; now: number; limit: number; workspaceId: string }) {
  return selectOverdue(db, p).where('workspace_id', '=', p.workspaceId);
}

/** Steps from workspace to workspace over the index: as cheap with many certificates as with few. */
function selectWorkspaces(db: Tables, p: { begun: number; now: number; after: string; limit: number }) {
  return {
    compile: () =>
      sql<{ workspaceId: string }>`
        with recursive walk (id) as (
          select (
            select workspace_id from certificates where begun = ${p.begun} and workspace_id > ${p.after}
            order by workspace_id limit 1
          )
          union all
          select (
            select workspace_id from certificates where begun = ${p.begun} and workspace_id > walk.id
            order by workspace_id limit 1
          )
          from walk where walk.id is not null
        )
        select id as "workspaceId" from walk
        where exists (
          select 1 from certificates where begun = ${p.begun} and workspace_id = walk.id and next_try_at <= ${p.now}
        )
        limit ${p.limit}
      `.compile(db),
  };
}

function giveLease(db: Tables, p: { hostname: string; now: number; until: number; step: number }) {
  return db
    .updateTable('certificates')
    .where('hostname', '=', p.hostname)
    .where('next_try_at', '<=', p.now)
    .set((of) => ({ lease: of('lease', '+', p.step), leased_until: p.until, next_try_at: p.until }));
}

function selectLeased(db: Tables, p: { hostname: string }) {
  return selectFromCertificates(db)
    .leftJoin('certificate_orders as orders', 'orders.hostname', 'certificates.hostname')
    .where('certificates.hostname', '=', p.hostname)
    .select([
      'certificates.lease',
      'orders.issuer as orderIssuer',
      'orders.url as orderUrl',
      'orders.private_key as orderKey',
      'orders.replaces',
      'orders.started_at as startedAt',
    ]);
}

function whereHeld(db: Tables, p: { hostname: string; lease: number }) {
  return db
    .updateTable('certificates')
    .where('hostname', '=', p.hostname)
    .where('lease', '=', p.lease)
    .where('leased_until', 'is not', null);
}

function updateLease(db: Tables, p: { hostname: string; lease: number; until: number }) {
  return whereHeld(db, p).set({ leased_until: p.until, next_try_at: p.until });
}

function touchLease(db: Tables, p: { hostname: string; lease: number }) {
  return whereHeld(db, p).set({ lease: p.lease });
}

/** What the release before added says neither whose it is nor when it is due. */
function completeRows(db: Tables, p: { limit: number }) {
  return db
    .updateTable('certificates')
    .where('hostname', 'in', selectIncomplete(db).limit(p.limit))
    .set((of) => ({
      workspace_id: of
        .selectFrom('routes')
        .innerJoin('domains', 'domains.id', 'routes.domain_id')
        .whereRef('routes.hostname', '=', 'certificates.hostname')
        .select('domains.workspace_id'),
      next_try_at: of.fn.coalesce('next_try_at', 'created_at'),
    }));
}

function selectIncomplete(db: Tables) {
  return db
    .selectFrom('certificates')
    .where('begun', 'in', [0, 1])
    .where('workspace_id', 'is', null)
    .select('hostname');
}
