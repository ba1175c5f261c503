import type { Domain } from '../../domain/domain.ts';
import type { CheckMemory } from '../../domain/status.ts';
import { pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';

/** Makes a check due at `at`. One that is scheduled already keeps its memory. */
export function scheduleCheck(tx: Transaction, check: { domainId: string; at: number; windowEndsAt: number }): void {
  tx.write(upsertCheck, check);
}

export function removeCheck(tx: Transaction, domainId: string): void {
  tx.write(deleteCheck, { domainId });
}

export function saveMemory(tx: Transaction, domainId: string, memory: CheckMemory): void {
  tx.write(updateMemory, { domainId, ...memory });
}

/** False, and nothing is saved, where the revision is no longer the domain's. */
export async function saveMemoryOf(
  tx: Transaction,
  { id, revision }: Pick<Domain, 'id' | 'revision'>,
  memory: CheckMemory,
): Promise<boolean> {
  return (await tx.execute(updateMemoryOf, { domainId: id, revision, ...memory })) > 0;
}

export async function earliestDueAt(reader: Reader) {
  return (await reader.one(selectEarliest, {}))?.dueAt ?? null;
}

function upsertCheck(db: Tables, p: { domainId: string; at: number; windowEndsAt: number }) {
  return db
    .insertInto('checks')
    .values({
      domainId: p.domainId,
      nextCheckAt: p.at,
      windowEndsAt: p.windowEndsAt,
      attempts: 0,
      unreadableInARow: 0,
      provenSince: null,
    })
    .onConflict((on) => on.column('domainId').doUpdateSet({ nextCheckAt: p.at, windowEndsAt: p.windowEndsAt }));
}

export const MEMORY = [
  'unreadableInARow',
  'provenSince',
  'ownershipDoubt',
  'routingDoubt',
  'fingerprint',
] as const satisfies (keyof CheckMemory)[];

function updateMemory(db: Tables, p: CheckMemory & { domainId: string }) {
  return db.updateTable('checks').where('domainId', '=', p.domainId).set(pick(p, MEMORY));
}

function updateMemoryOf(db: Tables, p: CheckMemory & { domainId: string; revision: number }) {
  return updateMemory(db, p).where((of) =>
    of.exists(of.selectFrom('domains').where('id', '=', p.domainId).where('revision', '=', p.revision).select('id')),
  );
}

function deleteCheck(db: Tables, p: { domainId: string }) {
  return db.deleteFrom('checks').where('domainId', '=', p.domainId);
}

function selectEarliest(db: Tables) {
  return db.selectFrom('checks').select((of) => of.fn.min('nextCheckAt').as('dueAt'));
}
