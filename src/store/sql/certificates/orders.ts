import { sql } from 'kysely';
import type { CertificateState } from '../../../domain/certificate-state.ts';
import type { CertificateOrder, CertificateStore } from '../../contract/store.ts';
import type { Tables, Writing } from '../query.ts';
import { deleteChallengesOf } from './challenge-rows.ts';
import { holds, whereHeld } from './leases.ts';
import { addLedgerEntry, findReachedLimit, settleLedgerEntry } from './ledger.ts';

type Begin = Parameters<CertificateStore['beginOrder']>[0];

export async function beginOrder(run: Writing, { lease, order, entry, limits, now }: Begin) {
  const { hostname } = order;
  const before = await run.one(selectHeld, { hostname, lease });
  if (before === null) return { kind: 'lost' } as const;
  const reached = await findReachedLimit(run, entry, limits, now);
  if (reached !== null) return { kind: 'limit_reached', ...reached } as const;
  const state = before.inUse === null ? 'ordering' : 'renewing';
  if ((await run.change(updateState, { hostname, lease, state })) === 0) return { kind: 'lost' } as const;
  await run.change(upsertOrder, { ...order, spendingSeq: await addLedgerEntry(run, entry, now) });
  return { kind: 'begun' } as const;
}

export async function saveOrderUrl(run: Writing, hostname: string, lease: number, url: string) {
  if (!(await holds(run, hostname, lease))) return 'lost';
  return (await run.change(updateUrl, { hostname, url })) > 0 ? 'saved' : 'lost';
}

export async function isOrdered(run: Writing, hostname: string): Promise<boolean> {
  return (await run.one(selectSpending, { hostname })) !== null;
}

/** Ends the order that is under way, if there is one. Without an outcome the ledger goes on counting it as one that may have had any. */
export async function endOrder(run: Writing, hostname: string, outcome: 'issued' | 'failed' | null, now: number) {
  const order = await run.one(selectSpending, { hostname });
  if (order !== null && outcome !== null) await settleLedgerEntry(run, order.spendingSeq, outcome, now);
  await run.change(deleteOrder, { hostname });
  await deleteChallengesOf(run, hostname);
}

function selectHeld(db: Tables, p: { hostname: string; lease: number }) {
  return db
    .selectFrom('certificates')
    .leftJoin('served_certificates', 'served_certificates.hostname', 'certificates.hostname')
    .where('certificates.hostname', '=', p.hostname)
    .where('lease', '=', p.lease)
    .where('leased_until', 'is not', null)
    .select('served_certificates.hostname as inUse');
}

function updateState(db: Tables, p: { hostname: string; lease: number; state: CertificateState }) {
  return whereHeld(db, p).set({ state: p.state, begun: sql.lit(1) });
}

function upsertOrder(db: Tables, p: CertificateOrder & { spendingSeq: number }) {
  const order = {
    issuer: p.issuer,
    url: p.url,
    private_key: p.privateKey,
    replaces: p.replaces,
    started_at: p.startedAt,
    spending_seq: p.spendingSeq,
  };
  return db
    .insertInto('certificate_orders')
    .values({ hostname: p.hostname, ...order })
    .onConflict((on) => on.column('hostname').doUpdateSet(order));
}

function updateUrl(db: Tables, p: { hostname: string; url: string }) {
  return db.updateTable('certificate_orders').where('hostname', '=', p.hostname).set({ url: p.url });
}

function selectSpending(db: Tables, p: { hostname: string }) {
  return db.selectFrom('certificate_orders').where('hostname', '=', p.hostname).select('spending_seq as spendingSeq');
}

function deleteOrder(db: Tables, p: { hostname: string }) {
  return db.deleteFrom('certificate_orders').where('hostname', '=', p.hostname);
}
