import type { Reader, Tables, Transaction } from './statement.ts';

/** Adds the schedule of a domain that was verified just now. */
export function addMonitor(tx: Transaction, domainId: string, at: number): void {
  tx.write(insertMonitor, { domainId, at });
}

/** Routes that one claim gives a schedule. */
export const SCHEDULED_AT_ONCE = 1000;

/** Time between two of so many re-checks that are spread evenly over an interval. */
export function spreadMs(intervalMs: number): number {
  return Math.floor(intervalMs / (SCHEDULED_AT_ONCE + 1));
}

/** For an engine with one writer: gives schedules to routes that an earlier release added. */
export async function scheduleUnmonitored(tx: Transaction, now: number, intervalMs: number): Promise<void> {
  const limit = SCHEDULED_AT_ONCE;
  if (!(await isAnyUnmonitored(tx))) return;
  await tx.execute(insertUnmonitored, { now, stepMs: spreadMs(intervalMs), limit });
  await tx.execute(markMonitored, { limit });
}

/** Whether a claim would give any route a schedule. */
export async function isAnyUnmonitored(reader: Reader): Promise<boolean> {
  return (await reader.one(selectUnmonitored, { limit: 1 })) !== null;
}

/** Rows that one statement counts: about a millisecond. */
const BATCH = 10_000;

export async function countDrifted(reader: Reader): Promise<number> {
  let drifted = 0;
  for (let after = ''; ; ) {
    const batch = await reader.one(countDriftedBatch, { after, limit: BATCH });
    drifted += batch?.count ?? 0;
    if (batch === null || batch.last === null || batch.count < BATCH) return drifted;
    after = batch.last;
  }
}

function insertMonitor(db: Tables, p: { domainId: string; at: number }) {
  return db.insertInto('monitors').values({
    domain_id: p.domainId,
    next_check_at: p.at,
    attempts: 0,
  });
}

export function selectUnmonitored(db: Tables, p: { limit: number }) {
  return db.selectFrom('routes').where('monitored', 'is', null).orderBy('domain_id').limit(p.limit).select('domain_id');
}

function insertUnmonitored(db: Tables, p: { now: number; stepMs: number; limit: number }) {
  return db
    .insertInto('monitors')
    .columns(['domain_id', 'next_check_at', 'attempts'])
    .expression((of) =>
      of.selectFrom(selectUnmonitored(db, p).as('added')).select((row) => [
        'domain_id',
        row(
          row.val(p.now),
          '+',
          row(
            row.fn.agg<number>('row_number').over((over) => over.orderBy('domain_id')),
            '*',
            p.stepMs,
          ),
        ).as('at'),
        row.lit(0).as('attempts'),
      ]),
    );
}

function markMonitored(db: Tables, p: { limit: number }) {
  return db.updateTable('routes').where('domain_id', 'in', selectUnmonitored(db, p)).set({ monitored: 1 });
}

function countDriftedBatch(db: Tables, p: { after: string; limit: number }) {
  return db
    .selectFrom((of) =>
      of
        .selectFrom('monitors')
        .where('drifted_since', 'is not', null)
        .where('domain_id', '>', p.after)
        .orderBy('domain_id')
        .limit(p.limit)
        .select('domain_id')
        .as('batch'),
    )
    .select((of) => [of.fn.countAll<number>().as('count'), of.fn.max('domain_id').as('last')]);
}
