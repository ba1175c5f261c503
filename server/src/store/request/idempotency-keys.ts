import { IDEMPOTENCY_KEPT_MS } from '../audit/audit-store.ts';
import type { Tables, Transaction } from '../engine/statement.ts';
import type { Once, OnceResult } from '../store.ts';

/** Of the first time; null: nothing is kept under the id. */
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

interface Kept {
  id: string;
  fingerprint: string;
  outcome: string;
  made: Uint8Array | null;
  secret: Uint8Array | null;
  at: number;
}

/** Replaces one that has expired and is not pruned yet. */
function upsertKept(db: Tables, p: Kept) {
  return db
    .insertInto('idempotencyKeys')
    .values({
      id: p.id,
      fingerprint: p.fingerprint,
      outcome: p.outcome,
      made: p.made,
      secret: p.secret,
      createdAt: p.at,
    })
    .onConflict((on) =>
      on.column('id').doUpdateSet((of) => ({
        fingerprint: of.ref('excluded.fingerprint'),
        outcome: of.ref('excluded.outcome'),
        made: of.ref('excluded.made'),
        secret: of.ref('excluded.secret'),
        createdAt: of.ref('excluded.createdAt'),
      })),
    );
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
