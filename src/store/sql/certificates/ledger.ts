import type { Spending, SpendingLimit } from '../../contract/store.ts';
import type { Query, Reading, Tables, Writing } from '../query.ts';

/** The limit that forbids an order, and when all of them have room again; null: none does. */
export async function findRefusal(run: Writing, spending: Spending, limits: SpendingLimit[], now: number) {
  let refusal: { by: SpendingLimit['name']; until: number } | null = null;
  for (const limit of limits) {
    if (spending.exempt && limit.name !== 'failures') continue;
    const until = await fullUntil(run, spending, limit, now);
    if (until !== null && until > (refusal?.until ?? 0)) refusal = { by: limit.name, until };
  }
  return refusal;
}

/** When the oldest order leaves the window that has to, for there to be room; null: there is. */
async function fullUntil(run: Writing, spending: Spending, { name, limit, windowMs }: SpendingLimit, now: number) {
  if (limit <= 0) return now + windowMs;
  const hindering = await run.one(counted[name], { ...spending, after: now - windowMs, newer: limit - 1 });
  return hindering === null ? null : hindering.at + windowMs;
}

/** Enters an order. Resolves with the number of its line. */
export async function enterSpending(run: Writing, spending: Spending, now: number): Promise<number> {
  const entered = await run.one(insertSpending, { ...spending, exempt: spending.exempt ? 1 : 0, now });
  return entered?.seq ?? 0;
}

export async function settleSpending(run: Writing, seq: number, outcome: 'issued' | 'failed', now: number) {
  await run.change(updateOutcome, { seq, outcome, now });
}

export async function countSpending(run: Reading, issuer: string, since: number) {
  return (await run.one(countOutcomes, { issuer, since })) ?? { orders: 0, exempt: 0, issued: 0, failed: 0 };
}

export async function pruneSpending(run: Writing, orderedBefore: number): Promise<void> {
  await run.change(deleteSpending, { orderedBefore });
}

interface Window {
  issuer: string;
  hostname: string;
  registeredDomain: string;
  after: number;
  newer: number;
}

/** Of each limit: the order that hinders another, which is the one behind as many newer ones as may stay. */
const counted: Record<SpendingLimit['name'], Query<Window, { at: number }>> = {
  orders: function selectOrders(db, p) {
    return db
      .selectFrom('spending')
      .where('issuer', '=', p.issuer)
      .where('exempt', '=', 0)
      .where('ordered_at', '>', p.after)
      .orderBy('ordered_at', 'desc')
      .limit(1)
      .offset(p.newer)
      .select('ordered_at as at');
  },
  failures: function selectFailures(db, p) {
    return ofName(db, p).where((of) => of.or([of('outcome', 'is', null), of('outcome', '=', 'failed')]));
  },
  certificates: function selectCertificates(db, p) {
    return ofIssuer(db, p)
      .where('registered_domain', '=', p.registeredDomain)
      .where('exempt', '=', 0)
      .where((of) => of.or([of('outcome', 'is', null), of('outcome', '=', 'issued')]));
  },
  duplicates: function selectDuplicates(db, p) {
    return ofName(db, p)
      .where('exempt', '=', 0)
      .where((of) => of.or([of('outcome', 'is', null), of('outcome', '=', 'issued')]));
  },
};

function ofIssuer(db: Tables, p: Window) {
  return db
    .selectFrom('spending')
    .where('issuer', '=', p.issuer)
    .where('counted_at', '>', p.after)
    .orderBy('counted_at', 'desc')
    .limit(1)
    .offset(p.newer)
    .select('counted_at as at');
}

function ofName(db: Tables, p: Window) {
  return ofIssuer(db, p).where('hostname', '=', p.hostname);
}

function insertSpending(db: Tables, p: Omit<Spending, 'exempt'> & { exempt: number; now: number }) {
  return db
    .insertInto('spending')
    .values({
      issuer: p.issuer,
      hostname: p.hostname,
      registered_domain: p.registeredDomain,
      exempt: p.exempt,
      ordered_at: p.now,
      counted_at: p.now,
    })
    .returning('seq');
}

function updateOutcome(db: Tables, p: { seq: number; outcome: 'issued' | 'failed'; now: number }) {
  return db.updateTable('spending').where('seq', '=', p.seq).set({ outcome: p.outcome, counted_at: p.now });
}

function countOutcomes(db: Tables, p: { issuer: string; since: number }) {
  return db
    .selectFrom('spending')
    .where('issuer', '=', p.issuer)
    .where('exempt', 'in', [0, 1])
    .where('ordered_at', '>=', p.since)
    .select((of) => [
      of.fn.countAll<number>().as('orders'),
      of.fn.countAll<number>().filterWhere('exempt', '=', 1).as('exempt'),
      of.fn.countAll<number>().filterWhere('outcome', '=', 'issued').as('issued'),
      of.fn.countAll<number>().filterWhere('outcome', '=', 'failed').as('failed'),
    ]);
}

function deleteSpending(db: Tables, p: { orderedBefore: number }) {
  return db.deleteFrom('spending').where('ordered_at', '<', p.orderedBefore);
}
