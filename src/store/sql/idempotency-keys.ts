import { type CreateMethod, IDEMPOTENCY_KEPT_MS, type Once } from '../contract/idempotency-store.ts';
import type { OnceResult } from '../contract/store.ts';
import { performRecorded } from './audit/recorded.ts';
import type { Tables, Transaction } from './statement.ts';

interface CreateUseCase {
  perform(tx: Transaction, ...args: never[]): Promise<unknown>;
  /** Whether an outcome is that something was created. */
  hasCreated(outcome: never): boolean;
}

/** The use case that carries out one of these. */
export function createOnceOf(creations: Record<CreateMethod, CreateUseCase>) {
  return async function createOnce(
    tx: Transaction,
    { id, fingerprint, made, secret, at, by }: Once,
    method: CreateMethod,
    ...args: unknown[]
  ): Promise<OnceResult<unknown>> {
    const kept = await tx.one(selectKept, { id, after: at - IDEMPOTENCY_KEPT_MS });
    if (kept !== null) {
      if (kept.fingerprint !== fingerprint) return { kind: 'other_input' };
      return {
        kind: 'repeated',
        outcome: JSON.parse(kept.outcome),
        made: kept.secret ?? kept.made ?? new Uint8Array(),
      };
    }
    const { perform, hasCreated } = creations[method];
    const outcome = await performRecorded(tx, by, method, args, () => perform(tx, ...(args as never[])));
    if (hasCreated(outcome as never)) {
      const bytes = secret ? { made: null, secret: made } : { made, secret: null };
      await tx.execute(upsertKept, { id, fingerprint, outcome: JSON.stringify(outcome), ...bytes, at });
    }
    return { kind: 'first', outcome };
  };
}

export async function pruneIdempotencyKeys(tx: Transaction, before: number, limit: number): Promise<number> {
  return tx.execute(deleteKept, { before, limit });
}

function selectKept(db: Tables, p: { id: string; after: number }) {
  return db
    .selectFrom('idempotency_keys')
    .where('id', '=', p.id)
    .where('created_at', '>', p.after)
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
    .insertInto('idempotency_keys')
    .values({
      id: p.id,
      fingerprint: p.fingerprint,
      outcome: p.outcome,
      made: p.made,
      secret: p.secret,
      created_at: p.at,
    })
    .onConflict((on) =>
      on.column('id').doUpdateSet((of) => ({
        fingerprint: of.ref('excluded.fingerprint'),
        outcome: of.ref('excluded.outcome'),
        made: of.ref('excluded.made'),
        secret: of.ref('excluded.secret'),
        created_at: of.ref('excluded.created_at'),
      })),
    );
}

function deleteKept(db: Tables, p: { before: number; limit: number }) {
  return db
    .deleteFrom('idempotency_keys')
    .where('id', 'in', (of) =>
      of
        .selectFrom('idempotency_keys')
        .where('created_at', '<', p.before)
        .orderBy('created_at')
        .limit(p.limit)
        .select('id'),
    );
}
