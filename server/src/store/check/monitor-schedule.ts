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
    domainId: p.domainId,
    nextCheckAt: p.at,
    attempts: 0,
  });
}

function countDriftedBatch(db: Tables, p: { after: string; limit: number }) {
  return db
    .selectFrom((of) =>
      of
        .selectFrom('monitors')
        .where('driftedSince', 'is not', null)
        .where('domainId', '>', p.after)
        .orderBy('domainId')
        .limit(p.limit)
        .select('domainId')
        .as('batch'),
    )
    .select((of) => [of.fn.countAll<number>().as('count'), of.fn.max('domainId').as('last')]);
}
