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
    .insertInto('request_counts')
    .values({
      subject: p.subject,
      operation: p.operation,
      window_ms: p.windowMs,
      window_ends_at: p.windowEndsAt,
      requests: p.requests,
    })
    .onConflict((on) =>
      on
        .columns(['subject', 'operation', 'window_ms', 'window_ends_at'])
        .doUpdateSet((of) => ({ requests: of('request_counts.requests', '+', of.ref('excluded.requests')) })),
    )
    .returning('requests');
}

function deleteCounts(db: Tables, p: { endedBefore: number }) {
  return db.deleteFrom('request_counts').where('window_ends_at', '<', p.endedBefore);
}
