import { sql } from 'kysely';
import { pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import type { Schema } from '../schema/schema.ts';
import type { CertificateStore, Challenge } from '../store.ts';
import { toJson } from './certificate-rows.ts';
import { pruneDnsChallenges } from './dns-answers.ts';
import { holds, whereHeld } from './leases.ts';
import { addLedgerEntry, findReachedLimit, settleLedgerEntry } from './ledger.ts';

type Begin = Parameters<CertificateStore['beginOrder']>[0];

export async function beginOrder(
  tx: Transaction,
  { lease, order, entry, limits, challenge = null, shown, now }: Begin,
) {
  const { hostname } = order;
  const before = await tx.one(selectHeld, { hostname, lease });
  if (before === null) return { kind: 'lost' } as const;
  await settleUnknown(tx, hostname);
  const reached = await findReachedLimit(tx, entry, limits, now);
  if (reached !== null) return { kind: 'limit_reached', ...reached } as const;
  const state = before.inUse === null ? 'ordering' : 'renewing';
  const problem = shown === undefined ? before.problem : toJson(shown.problem);
  const selfCheck = shown === undefined ? before.selfCheck : toJson(shown.selfCheck);
  if ((await tx.execute(updateState, { hostname, lease, state, problem, selfCheck, challenge })) === 0) {
    return { kind: 'lost' } as const;
  }
  await tx.execute(upsertOrder, { ...order, spendingSeq: await addLedgerEntry(tx, entry, now) });
  return { kind: 'begun' } as const;
}

/**
 * An order whose URL was never saved cannot be completed: the CA issues nothing for it. It counts as one that failed, at
 * the time at which it began.
 */
async function settleUnknown(tx: Transaction, hostname: string): Promise<void> {
  const order = await tx.one(selectEntry, { hostname });
  if (order?.url === null) await settleLedgerEntry(tx, order.entry, 'failed', order.startedAt);
}

export async function saveOrderUrl(tx: Transaction, hostname: string, lease: number, url: string) {
  if (!(await holds(tx, hostname, lease))) return 'lost';
  return (await tx.execute(updateUrl, { hostname, url })) > 0 ? 'saved' : 'lost';
}

export async function isOrdered(tx: Transaction, hostname: string): Promise<boolean> {
  return (await tx.one(selectEntry, { hostname })) !== null;
}

/** Deletes the order in flight, if there is one. Without an outcome the ledger keeps counting it as one that may have either. */
export async function endOrder(tx: Transaction, hostname: string, outcome: 'issued' | 'failed' | null, now: number) {
  const order = await tx.one(selectEntry, { hostname });
  if (order !== null && outcome !== null) await settleLedgerEntry(tx, order.entry, outcome, now);
  await tx.execute(deleteOrder, { hostname });
  deleteChallengesOf(tx, hostname);
}

function selectHeld(db: Tables, p: { hostname: string; lease: number }) {
  return db
    .selectFrom('certificates')
    .leftJoin('servedCertificates', 'servedCertificates.hostname', 'certificates.hostname')
    .where('certificates.hostname', '=', p.hostname)
    .where('lease', '=', p.lease)
    .where('leasedUntil', 'is not', null)
    .select(['servedCertificates.hostname as inUse', 'certificates.problem', 'certificates.selfCheck']);
}

const SHOWN = ['state', 'problem', 'selfCheck', 'challenge'] as const;

function updateState(db: Tables, p: Pick<Schema['certificates'], 'hostname' | 'lease' | (typeof SHOWN)[number]>) {
  return whereHeld(db, p).set({ ...pick(p, SHOWN), begun: sql.lit(1) });
}

function upsertOrder(db: Tables, p: Schema['certificateOrders']) {
  const order = pick(p, ['issuer', 'url', 'privateKey', 'replaces', 'startedAt', 'spendingSeq']);
  return db
    .insertInto('certificateOrders')
    .values({ hostname: p.hostname, ...order })
    .onConflict((on) => on.column('hostname').doUpdateSet(order));
}

function updateUrl(db: Tables, p: { hostname: string; url: string }) {
  return db.updateTable('certificateOrders').where('hostname', '=', p.hostname).set({ url: p.url });
}

function selectEntry(db: Tables, p: { hostname: string }) {
  return db
    .selectFrom('certificateOrders')
    .where('hostname', '=', p.hostname)
    .select(['spendingSeq as entry', 'url', 'startedAt']);
}

function deleteOrder(db: Tables, p: { hostname: string }) {
  return db.deleteFrom('certificateOrders').where('hostname', '=', p.hostname);
}

export async function findChallenge(reader: Reader, hostname: string, token: string, now: number) {
  return (await reader.one(selectChallenge, { hostname, token, now }))?.keyAuthorization ?? null;
}

export async function putChallenge(tx: Transaction, challenge: Challenge): Promise<void> {
  await tx.execute(upsertChallenge, challenge);
}

export async function pruneChallenges(tx: Transaction, expiredBefore: number): Promise<void> {
  await tx.execute(deleteExpired, { expiredBefore });
  await pruneDnsChallenges(tx, expiredBefore);
}

export function deleteChallengesOf(tx: Transaction, hostname: string): void {
  tx.write(deleteChallenges, { hostname });
}

function selectChallenge(db: Tables, p: { hostname: string; token: string; now: number }) {
  return db
    .selectFrom('challenges')
    .where('hostname', '=', p.hostname)
    .where('token', '=', p.token)
    .where('expiresAt', '>=', p.now)
    .select('keyAuthorization');
}

function upsertChallenge(db: Tables, p: Challenge) {
  const answer = { keyAuthorization: p.keyAuthorization, expiresAt: p.expiresAt };
  return db
    .insertInto('challenges')
    .values({ hostname: p.hostname, token: p.token, ...answer })
    .onConflict((on) => on.columns(['hostname', 'token']).doUpdateSet(answer));
}

function deleteExpired(db: Tables, p: { expiredBefore: number }) {
  return db.deleteFrom('challenges').where('expiresAt', '<', p.expiredBefore);
}

function deleteChallenges(db: Tables, p: { hostname: string }) {
  return db.deleteFrom('challenges').where('hostname', '=', p.hostname);
}
