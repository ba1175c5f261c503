import type { Tables, Transaction } from '../engine/statement.ts';
import type { RequestCount } from '../store.ts';

export async function addRequests(tx: Transaction, counts: RequestCount[]): Promise<number[]> {
  const totals: number[] = [];
  for (const count of counts) totals.push((await tx.one(addToCount, count))?.requests ?? 0);
  return totals;
}

export async function pruneRequests(tx: Transaction, endedBefore: number): Promise<void> {
  await tx.execute(deleteCounts, { endedBefore });
}

function addToCount(db: Tables, p: RequestCount) {
  return db
    .insertInto('requestCounts')
    .values({
      subject: p.subject,
      operation: p.operation,
      windowMs: p.windowMs,
      windowEndsAt: p.windowEndsAt,
      requests: p.requests,
    })
    .onConflict((on) =>
      on
        .columns(['subject', 'operation', 'windowMs', 'windowEndsAt'])
        .doUpdateSet((of) => ({ requests: of('requestCounts.requests', '+', of.ref('excluded.requests')) })),
    )
    .returning('requests');
}

function deleteCounts(db: Tables, p: { endedBefore: number }) {
  return db.deleteFrom('requestCounts').where('windowEndsAt', '<', p.endedBefore);
}
