import { furthestTryAt } from '../../../domain/certificate-state.ts';
import type { DueCertificate } from '../../contract/store.ts';
import type { Reader, Tables, Transaction } from '../statement.ts';
import { type CertificateRow, certificateOf, selectFromCertificates } from './certificate-rows.ts';
import { type CertificateClaim, kindsOf, selectOverdue, turnChooser } from './fairness.ts';

/** Claims certificates, one call after the other: each goes on with the workspaces that the one before did not come to. */
export type CertificateClaimer = (tx: Transaction, claim: CertificateClaim) => Promise<DueCertificate[]>;

/** Rows that one claim puts right, before it looks at what is due. */
const MENDED_AT_ONCE = 1000;
/**
 * Two leases of a name have the same number as good as never: neither that of a certificate and of the one that took its place, nor those before
 * and after a power cut that undid a claim.
 */
const LEASE_STEP = 2 ** 30;

/** The claims of one process. `random` yields numbers in [0, 1). */
export function certificateClaimer(random: () => number = Math.random): CertificateClaimer {
  const choose = turnChooser();

  return async (tx, claim) => {
    const { now, limit, leaseMs } = claim;
    if (limit < 1) return [];
    await tx.execute(completeRows, { limit: MENDED_AT_ONCE });
    await tx.execute(recallRows, { now, furthest: furthestTryAt(now), limit: MENDED_AT_ONCE });
    const due: DueCertificate[] = [];
    for (const hostname of (await choose(tx, claim)).slice(0, limit)) {
      const step = 1 + Math.floor(random() * LEASE_STEP);
      // Since it was chosen it may have been deleted, or saved by whoever's lease had run out.
      if ((await tx.execute(giveLease, { hostname, now, until: now + leaseMs, step })) === 0) continue;
      const row = await tx.one(selectLeased, { hostname });
      if (row !== null) due.push(dueOf(row));
    }
    return due;
  };
}

/** Whether a claim would find anything: whoever has nothing to do is to write nothing. */
export async function isAnyDue(reader: Reader, claim: Pick<CertificateClaim, 'now' | 'newNames'>): Promise<boolean> {
  for (const begun of kindsOf(claim)) {
    if ((await reader.one(selectOverdue, { begun, now: claim.now, limit: 1 })) !== null) return true;
  }
  if ((await reader.one(selectOutOfReach, { furthest: furthestTryAt(claim.now) })) !== null) return true;
  return (await reader.one(selectIncomplete, {})) !== null;
}

export async function extendLease(tx: Transaction, hostname: string, lease: number, until: number) {
  return (await tx.execute(updateLease, { hostname, lease, until })) > 0 ? 'held' : 'lost';
}

/** Whether the lease is held. It is until the end of the transaction, then. */
export async function holds(tx: Transaction, hostname: string, lease: number): Promise<boolean> {
  return (await tx.execute(touchLease, { hostname, lease })) > 0;
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

/** Changes the row of a certificate, as long as the lease is held. */
export function whereHeld(db: Tables, p: { hostname: string; lease: number }) {
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

/** What a clock put off that has been set back since is due. */
function recallRows(db: Tables, p: { now: number; furthest: number; limit: number }) {
  return db
    .updateTable('certificates')
    .where('hostname', 'in', selectOutOfReach(db, p).limit(p.limit))
    .set({ next_try_at: p.now });
}

function selectOutOfReach(db: Tables, p: { furthest: number }) {
  return db
    .selectFrom('certificates')
    .where('begun', 'in', [0, 1])
    .where('next_try_at', '>', p.furthest)
    .select('hostname');
}

function selectIncomplete(db: Tables) {
  return db
    .selectFrom('certificates')
    .where('begun', 'in', [0, 1])
    .where('workspace_id', 'is', null)
    .select('hostname');
}
