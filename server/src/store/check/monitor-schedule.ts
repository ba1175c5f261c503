import type { Reader, Tables, Transaction } from '../engine/statement.ts';

/** Adds the schedule of a domain that was verified just now. */
export function addMonitor(tx: Transaction, domainId: string, at: number): void {
  tx.write(insertMonitor, { domainId, at });
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
