import type { InferResult } from 'kysely';
import { furthestTryAt } from '../../domain/certificate-state.ts';
import { ownLabel } from '../../domain/shared-target.ts';
import type { Reader, Tables, Transaction } from '../engine/statement.ts';
import type { DueCertificate } from '../store.ts';
import { certificateOf, selectFromCertificates } from './certificate-rows.ts';
import { begunValues, type CertificateClaim, fairSchedule, selectOverdue } from './fairness.ts';

/** Claims certificates. Calls must not overlap: each continues the round robin of the previous one. */
type CertificateClaimer = (tx: Transaction, claim: CertificateClaim) => Promise<DueCertificate[]>;

/** Rows that one claim repairs, before it selects the due ones. */
const REPAIRED_AT_ONCE = 1000;
/**
 * Fencing tokens go up by random steps, so that two leases of a name never share one: not those of a deleted and a new certificate, nor those before and
 * after a power cut that undid a claim.
 */
const TOKEN_STEP = 2 ** 30;

/** For the claims of one process. `random` returns numbers in [0, 1). */
export function certificateClaimer(random: () => number = Math.random): CertificateClaimer {
  const schedule = fairSchedule();

  return async (tx, claim) => {
    const { now, limit, leaseMs } = claim;
    if (limit < 1) return [];
    await tx.execute(resetMisscheduled, { now, furthest: furthestTryAt(now), limit: REPAIRED_AT_ONCE });
    const due: DueCertificate[] = [];
    for (const hostname of (await schedule(tx, claim)).slice(0, limit)) {
      const step = 1 + Math.floor(random() * TOKEN_STEP);
      // It may have been deleted or saved since it was selected.
      if ((await tx.execute(giveLease, { hostname, now, until: now + leaseMs, step })) === 0) continue;
      const row = await tx.one(selectLeased, { hostname });
      if (row !== null) due.push(dueOf(row));
    }
    return due;
  };
}

/** Whether a claim would find anything, so that an idle poll writes nothing. */
export async function isAnyDue(reader: Reader, claim: Pick<CertificateClaim, 'now' | 'newNames'>): Promise<boolean> {
  for (const begun of begunValues(claim)) {
    if ((await reader.one(selectOverdue, { begun, now: claim.now, limit: 1 })) !== null) return true;
  }
  return (await reader.one(selectMisscheduled, { furthest: furthestTryAt(claim.now) })) !== null;
}

export async function extendLease(tx: Transaction, hostname: string, lease: number, until: number) {
  return (await tx.execute(updateLease, { hostname, lease, until })) > 0 ? 'held' : 'lost';
}

export async function retryBlocked(tx: Transaction, hostname: string, at: number): Promise<void> {
  await tx.execute(makeBlockedDue, { hostname, at });
}

/** Whether the lease is held; then it stays held until the end of the transaction. */
export async function holds(tx: Transaction, hostname: string, lease: number): Promise<boolean> {
  return (await tx.execute(touchLease, { hostname, lease })) > 0;
}

function dueOf(row: InferResult<ReturnType<typeof selectLeased>>[number]): DueCertificate {
  const {
    lease,
    target: host,
    token,
    sharedAddresses,
    orderIssuer: issuer,
    orderUrl: url,
    orderKey: privateKey,
    replaces,
    startedAt,
    ...rest
  } = row;
  const isOrdered = issuer !== null && privateKey !== null && startedAt !== null;
  const order = isOrdered ? { hostname: row.hostname, issuer, url, privateKey, replaces, startedAt } : null;
  const isOwn = host === null || token === null || sharedAddresses === null;
  // No name in our zones but its label.
  const target = isOwn ? host : `${ownLabel({ target: host, token, sharedAddresses })}.${host}`;
  return { certificate: certificateOf(rest), lease, order, target };
}

function giveLease(db: Tables, p: { hostname: string; now: number; until: number; step: number }) {
  return db
    .updateTable('certificates')
    .where('hostname', '=', p.hostname)
    .where('nextTryAt', '<=', p.now)
    .set((of) => ({ lease: of('lease', '+', p.step), leasedUntil: p.until, nextTryAt: p.until }));
}

function selectLeased(db: Tables, p: { hostname: string }) {
  return selectFromCertificates(db)
    .leftJoin('certificateOrders as orders', 'orders.hostname', 'certificates.hostname')
    .where('certificates.hostname', '=', p.hostname)
    .select([
      'certificates.lease',
      'domains.target',
      'domains.token',
      'domains.sharedAddresses',
      'orders.issuer as orderIssuer',
      'orders.url as orderUrl',
      'orders.privateKey as orderKey',
      'orders.replaces',
      'orders.startedAt',
    ]);
}

/** Updates a certificate if the lease is held. */
export function whereHeld(db: Tables, p: { hostname: string; lease: number }) {
  return db
    .updateTable('certificates')
    .where('hostname', '=', p.hostname)
    .where('lease', '=', p.lease)
    .where('leasedUntil', 'is not', null);
}

function makeBlockedDue(db: Tables, p: { hostname: string; at: number }) {
  return db
    .updateTable('certificates')
    .where('hostname', '=', p.hostname)
    .where('state', '=', 'waiting_for_routing')
    .where('failures', '=', 0)
    .where('leasedUntil', 'is', null)
    .where('nextTryAt', '>', p.at)
    .where((of) =>
      of.not(of.exists(of.selectFrom('certificateOrders').where('hostname', '=', p.hostname).select('hostname'))),
    )
    .set({ nextTryAt: p.at });
}

function updateLease(db: Tables, p: { hostname: string; lease: number; until: number }) {
  return whereHeld(db, p).set({ leasedUntil: p.until, nextTryAt: p.until });
}

function touchLease(db: Tables, p: { hostname: string; lease: number }) {
  return whereHeld(db, p).set({ lease: p.lease });
}

/** Rows that a wrong clock scheduled too far ahead are due now. */
function resetMisscheduled(db: Tables, p: { now: number; furthest: number; limit: number }) {
  return db
    .updateTable('certificates')
    .where('hostname', 'in', selectMisscheduled(db, p).limit(p.limit))
    .set({ nextTryAt: p.now });
}

function selectMisscheduled(db: Tables, p: { furthest: number }) {
  return db
    .selectFrom('certificates')
    .where('begun', 'in', [0, 1])
    .where('nextTryAt', '>', p.furthest)
    .select('hostname');
}
