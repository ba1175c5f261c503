import { furthestDueAt } from '../../domain/schedule.ts';
import type { CheckMemory } from '../../domain/status.ts';
import type { Reader, Tables, Transaction } from './statement.ts';

/** Makes a check due at `at`. One that is scheduled already keeps its memory. */
export async function scheduleCheck(
  tx: Transaction,
  check: { domainId: string; at: number; windowEndsAt: number },
): Promise<void> {
  await tx.execute(upsertCheck, check);
}

export async function removeCheck(tx: Transaction, domainId: string): Promise<void> {
  await tx.execute(deleteCheck, { domainId });
}

export async function saveMemory(tx: Transaction, domainId: string, memory: CheckMemory): Promise<void> {
  await tx.execute(updateMemory, { domainId, ...memory });
}

export async function earliestDueAt(reader: Reader) {
  return (await reader.one(selectEarliest, {}))?.dueAt ?? null;
}

/** Number of due checks, at most `limit`. */
export async function countDue(reader: Reader, now: number, limit: number, checkIntervalMs: number): Promise<number> {
  const overdue = await reader.one(countChecks, { from: 0, to: now, limit });
  const tooFarAhead = { from: furthestDueAt(now, checkIntervalMs), to: Number.MAX_SAFE_INTEGER, limit };
  return Math.min(limit, (overdue?.count ?? 0) + ((await reader.one(countChecks, tooFarAhead))?.count ?? 0));
}

function upsertCheck(db: Tables, p: { domainId: string; at: number; windowEndsAt: number }) {
  return db
    .insertInto('checks')
    .values({
      domain_id: p.domainId,
      next_check_at: p.at,
      window_ends_at: p.windowEndsAt,
      attempts: 0,
      unreadable_in_a_row: 0,
      proven_since: null,
    })
    .onConflict((on) => on.column('domain_id').doUpdateSet({ next_check_at: p.at, window_ends_at: p.windowEndsAt }));
}

function updateMemory(db: Tables, p: CheckMemory & { domainId: string }) {
  return db.updateTable('checks').where('domain_id', '=', p.domainId).set({
    unreadable_in_a_row: p.unreadableInARow,
    proven_since: p.provenSince,
    ownership_doubt: p.ownershipDoubt,
    glance: p.glance,
    routing_doubt: p.routingDoubt,
  });
}

function deleteCheck(db: Tables, p: { domainId: string }) {
  return db.deleteFrom('checks').where('domain_id', '=', p.domainId);
}

function selectEarliest(db: Tables) {
  return db.selectFrom('checks').select((of) => of.fn.min('next_check_at').as('dueAt'));
}

/** Due after `from` and until `to`. */
function countChecks(db: Tables, p: { from: number; to: number; limit: number }) {
  return db
    .selectFrom((of) =>
      of
        .selectFrom('checks')
        .where('next_check_at', '>', p.from)
        .where('next_check_at', '<=', p.to)
        .limit(p.limit)
        .select('next_check_at')
        .as('due'),
    )
    .select((of) => of.fn.countAll<number>().as('count'));
}
