import { pick, type Reader, type Statement, type Tables, type Transaction } from '../engine/statement.ts';
import type { CaLimit, LedgerEntry } from '../store.ts';

// Every order at a CA has one entry. The table is called `spending`.

/** The limit that forbids an order for longest, and when it has capacity again; null: none forbids it. */
export async function findReachedLimit(reader: Reader, entry: LedgerEntry, limits: readonly CaLimit[], now: number) {
  let reached: { limit: CaLimit['name']; until: number } | null = null;
  for (const limit of limits) {
    if (entry.exempt && limit.name !== 'failures') continue;
    const until = await reachedUntil(reader, entry, limit, now);
    if (until !== null && until > (reached?.until ?? 0)) reached = { limit: limit.name, until };
  }
  return reached;
}

/** When the limit has capacity again; null: now. The N-th newest entry inside the window is what blocks. */
async function reachedUntil(reader: Reader, entry: LedgerEntry, { name, limit, windowMs }: CaLimit, now: number) {
  if (limit <= 0) return now + windowMs;
  const nth = await reader.one(nthNewest[name], { ...entry, after: now - windowMs, skip: limit - 1 });
  return nth && nth.at + windowMs;
}

/** Resolves with the entry's number. */
export async function addLedgerEntry(tx: Transaction, entry: LedgerEntry, now: number): Promise<number> {
  const added = await tx.one(insertEntry, { ...entry, exempt: entry.exempt ? 1 : 0, now });
  return added?.seq ?? 0;
}

export async function settleLedgerEntry(tx: Transaction, seq: number, outcome: 'issued' | 'failed', now: number) {
  await tx.execute(updateOutcome, { seq, outcome, now });
}

export async function countLedgerEntries(reader: Reader, issuer: string, since: number) {
  return (await reader.one(countOutcomes, { issuer, since })) ?? { orders: 0, exempt: 0, issued: 0, failed: 0 };
}

export async function pruneLedger(tx: Transaction, orderedBefore: number): Promise<void> {
  await tx.execute(deleteEntries, { orderedBefore });
}

interface Nth {
  issuer: string;
  hostname: string;
  registeredDomain: string;
  after: number;
  skip: number;
}

/** Selects the entry that is `skip` entries older than the newest of those that a limit counts. */
const nthNewest: Record<CaLimit['name'], Statement<Nth, { at: number }>> = {
  orders: function nthOrder(db, p) {
    return db
      .selectFrom('spending')
      .where('issuer', '=', p.issuer)
      .where('exempt', '=', 0)
      .where('orderedAt', '>', p.after)
      .orderBy('orderedAt', 'desc')
      .limit(1)
      .offset(p.skip)
      .select('orderedAt as at');
  },
  failures: function nthFailure(db, p) {
    return nthOpenOr('failed', db, p).where('hostname', '=', p.hostname);
  },
  certificates: function nthCertificate(db, p) {
    return nthOpenOr('issued', db, p).where('registeredDomain', '=', p.registeredDomain).where('exempt', '=', 0);
  },
  duplicates: function nthDuplicate(db, p) {
    return nthOpenOr('issued', db, p).where('hostname', '=', p.hostname).where('exempt', '=', 0);
  },
};

/** An order in flight counts as one that may have either outcome. */
function nthOpenOr(outcome: 'issued' | 'failed', db: Tables, p: Nth) {
  return db
    .selectFrom('spending')
    .where('issuer', '=', p.issuer)
    .where('countedAt', '>', p.after)
    .where((of) => of.or([of('outcome', 'is', null), of('outcome', '=', outcome)]))
    .orderBy('countedAt', 'desc')
    .limit(1)
    .offset(p.skip)
    .select('countedAt as at');
}

function insertEntry(db: Tables, p: Omit<LedgerEntry, 'exempt'> & { exempt: number; now: number }) {
  return db
    .insertInto('spending')
    .values({ ...pick(p, ['issuer', 'hostname', 'registeredDomain', 'exempt']), orderedAt: p.now, countedAt: p.now })
    .returning('seq');
}

function updateOutcome(db: Tables, p: { seq: number; outcome: 'issued' | 'failed'; now: number }) {
  return db.updateTable('spending').where('seq', '=', p.seq).set({ outcome: p.outcome, countedAt: p.now });
}

function countOutcomes(db: Tables, p: { issuer: string; since: number }) {
  return db
    .selectFrom('spending')
    .where('issuer', '=', p.issuer)
    .where('exempt', 'in', [0, 1])
    .where('orderedAt', '>=', p.since)
    .select((of) => [
      of.fn.countAll<number>().as('orders'),
      of.fn.countAll<number>().filterWhere('exempt', '=', 1).as('exempt'),
      of.fn.countAll<number>().filterWhere('outcome', '=', 'issued').as('issued'),
      of.fn.countAll<number>().filterWhere('outcome', '=', 'failed').as('failed'),
    ]);
}

function deleteEntries(db: Tables, p: { orderedBefore: number }) {
  return db.deleteFrom('spending').where('orderedAt', '<', p.orderedBefore);
}
