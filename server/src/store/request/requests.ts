import { IDEMPOTENCY_KEPT_MS } from '../audit/audit-store.ts';
import { pick, type Tables, type Transaction } from '../engine/statement.ts';
import type { Schema } from '../schema/schema.ts';
import type { Once, OnceResult, RequestCount } from '../store.ts';

/** The result of the first time; null: nothing is kept under the id. */
export async function findKept<Outcome>(
  tx: Transaction,
  { id, fingerprint, at }: Once,
): Promise<OnceResult<Outcome> | null> {
  const kept = await tx.one(selectKept, { id, after: at - IDEMPOTENCY_KEPT_MS });
  if (kept === null) return null;
  if (kept.fingerprint !== fingerprint) return { kind: 'other_input' };
  return { kind: 'repeated', outcome: JSON.parse(kept.outcome), made: kept.secret ?? kept.made ?? new Uint8Array() };
}

/** Keeps an outcome for repeats. */
export async function keep(
  tx: Transaction,
  { id, fingerprint, made, secret, at }: Once,
  outcome: unknown,
): Promise<void> {
  const bytes = secret ? { made: null, secret: made } : { made, secret: null };
  await tx.execute(upsertKept, { id, fingerprint, outcome: JSON.stringify(outcome), ...bytes, at });
}

export async function pruneIdempotencyKeys(tx: Transaction, before: number, limit: number): Promise<number> {
  return tx.execute(deleteKept, { before, limit });
}

function selectKept(db: Tables, p: { id: string; after: number }) {
  return db
    .selectFrom('idempotencyKeys')
    .where('id', '=', p.id)
    .where('createdAt', '>', p.after)
    .select(['fingerprint', 'outcome', 'made', 'secret']);
}

type Kept = Omit<Schema['idempotencyKeys'], 'createdAt'> & { at: number };

/** Replaces one that has expired and is not pruned yet. */
function upsertKept(db: Tables, p: Kept) {
  const kept = { ...pick(p, ['fingerprint', 'outcome', 'made', 'secret']), createdAt: p.at };
  return db
    .insertInto('idempotencyKeys')
    .values({ id: p.id, ...kept })
    .onConflict((on) => on.column('id').doUpdateSet(kept));
}

function deleteKept(db: Tables, p: { before: number; limit: number }) {
  return db
    .deleteFrom('idempotencyKeys')
    .where('id', 'in', (of) =>
      of
        .selectFrom('idempotencyKeys')
        .where('createdAt', '<', p.before)
        .orderBy('createdAt')
        .limit(p.limit)
        .select('id'),
    );
}

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
