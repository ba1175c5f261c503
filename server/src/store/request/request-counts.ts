import { pick, type Tables, type Transaction } from '../engine/statement.ts';
import type { RequestCount } from '../store.ts';

export async function addRequests(tx: Transaction, counts: RequestCount[]): Promise<number[]> {
  const totals: number[] = [];
  for (const count of counts) totals.push((await tx.one(addToCount, count))?.requests ?? 0);
  return totals;
}

export async function pruneRequests(tx: Transaction, endedBefore: number): Promise<void> {
  await tx.execute(deleteCounts, { endedBefore });
}

const WINDOW = ['subject', 'operation', 'windowMs', 'windowEndsAt'] as const;

function addToCount(db: Tables, p: RequestCount) {
  return db
    .insertInto('requestCounts')
    .values(pick(p, [...WINDOW, 'requests']))
    .onConflict((on) =>
      on
        .columns(WINDOW)
        .doUpdateSet((of) => ({ requests: of('requestCounts.requests', '+', of.ref('excluded.requests')) })),
    )
    .returning('requests');
}

function deleteCounts(db: Tables, p: { endedBefore: number }) {
  return db.deleteFrom('requestCounts').where('windowEndsAt', '<', p.endedBefore);
}
