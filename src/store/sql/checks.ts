import { sql } from 'kysely';
import type { Domain } from '../../domain/domain.ts';
import { furthestDueAt, nextCheckAt } from '../../domain/schedule.ts';
import type { CheckMemory } from '../../domain/status.ts';
import type { CheckStore, DueCheck } from '../contract/store.ts';
import { saveResult } from './check-results.ts';
import { removeCheck, saveMemory } from './check-schedule.ts';
import { changeDomain, domainColumns, domainOf, isNotOf, selectRevision } from './domains.ts';
import { recordEvent, recordFlags } from './events.ts';
import { addRoute, removeRoute } from './routes.ts';
import type { Reader, Tables, Transaction } from './statement.ts';

type Save = Parameters<CheckStore['saveTransition']>[0];

/** Claims at most as many due checks as there are `jitters`, which are in [0, 1). */
export async function claimDue(
  tx: Transaction,
  now: number,
  checkIntervalMs: number,
  jitters: number[],
  except = '',
): Promise<DueCheck[]> {
  const overdue = await tx.all(selectChecks, { from: 0, to: now, limit: jitters.length, except });
  const tooFarAhead = await tx.all(selectChecks, {
    from: furthestDueAt(now, checkIntervalMs),
    to: Number.MAX_SAFE_INTEGER,
    limit: jitters.length - overdue.length,
    except,
  });
  const due: DueCheck[] = [];
  for (const [i, row] of [...overdue, ...tooFarAhead].entries()) {
    const nextAt = nextCheckAt(now, row.windowEndsAt, checkIntervalMs, jitters[i] ?? 0);
    await tx.execute(claimCheck, { domainId: row.id, now, nextAt });
    due.push(await dueCheckOf(tx, row));
  }
  return due;
}

export type CheckRow = Domain &
  CheckMemory & {
    attempts: number;
    dueAt: number;
    windowEndsAt: number;
    incumbentId: string | null;
    resultDigest: string | null;
  };

export async function dueCheckOf(reader: Reader, row: CheckRow): Promise<DueCheck> {
  const { attempts, dueAt, incumbentId, resultDigest } = row;
  const { unreadableInARow, provenSince, ownershipDoubt, routingDoubt, glance } = row;
  const memory = { unreadableInARow, provenSince, ownershipDoubt, routingDoubt, glance };
  const domain = domainOf(row);
  const incumbent = incumbentId === null ? null : await findIncumbent(reader, domain);
  return { domain, incumbent, memory, resultDigest, attempts: attempts + 1, dueAt };
}

export async function saveTransition(tx: Transaction, save: Save): Promise<'saved' | 'stale'> {
  const { before, after, loser, result, now } = save;
  if (!(await isCurrent(tx, save))) return 'stale';
  const memory = await currentMemory(tx, before.id, save.memory, now);
  if (loser !== undefined && memory.provenSince !== save.memory.provenSince) return 'stale';
  if (result !== undefined) await saveResult(tx, after.id, result, now);
  if (after.revision !== before.revision) await saveChange(tx, save);
  if (after.status === 'verified' || after.status === 'failed') await removeCheck(tx, after.id);
  else await saveMemory(tx, after.id, memory);
  return 'saved';
}

/** Proofs in a row that a concurrent check broke start anew: `verifyDomain` can make a second check due while one is in flight. */
async function currentMemory(
  tx: Transaction,
  domainId: string,
  memory: CheckMemory,
  now: number,
): Promise<CheckMemory> {
  if (memory.provenSince === null || memory.provenSince >= now) return memory;
  const stored = await tx.one(selectProvenSince, { domainId });
  return stored?.provenSince === memory.provenSince ? memory : { ...memory, provenSince: now };
}

/** Whether domain and incumbent are still those that the check read. */
async function isCurrent(tx: Transaction, { before, after, loser }: Save): Promise<boolean> {
  const stored = await tx.one(selectRevision, { id: before.id });
  if (stored?.revision !== before.revision) return false;
  if (after.status !== 'verified') return true;
  const incumbent = await findIncumbent(tx, before);
  return incumbent?.id === loser?.before.id && incumbent?.revision === loser?.before.revision;
}

/** Of the first re-check. */
const FIRST_RECHECK_MS = 3_600_000;

async function saveChange(tx: Transaction, { before, after, loser, seen, recheckAt, now }: Save): Promise<void> {
  if (loser !== undefined) {
    await changeDomain(tx, loser.after);
    await removeRoute(tx, loser.after);
    await recordEvent(tx, 'domain.superseded', loser.after, now);
  }
  await changeDomain(tx, after);
  await recordFlags(tx, { before, after, seen, at: now });
  if (after.status === 'verified') {
    await addRoute(tx, after, now, recheckAt ?? now + FIRST_RECHECK_MS);
    await recordEvent(tx, 'domain.verified', after, now);
  } else if (after.status === 'failed') {
    await recordEvent(tx, 'domain.failed', after, now);
  }
}

export async function findIncumbent(reader: Reader, { id, name }: Pick<Domain, 'id' | 'name'>): Promise<Domain | null> {
  return reader.one(selectIncumbent, { id, name });
}

export async function findNameByToken(reader: Reader, workspaceId: string, token: string): Promise<string | null> {
  return (await reader.one(selectNameByToken, { workspaceId, token }))?.name ?? null;
}

/** Due after `from` and until `to`. */
export function selectChecks(db: Tables, p: { from: number; to: number; limit: number; except: string }) {
  return db
    .selectFrom('checks')
    .innerJoin('domains', 'domains.id', 'checks.domain_id')
    .leftJoin('check_results as results', 'results.domain_id', 'checks.domain_id')
    .where('checks.next_check_at', '>', p.from)
    .where('checks.next_check_at', '<=', p.to)
    .where(isNotOf(p.except))
    .orderBy('checks.next_check_at')
    .limit(p.limit)
    .select(domainColumns)
    .select([
      'checks.next_check_at as dueAt',
      'checks.window_ends_at as windowEndsAt',
      'checks.attempts',
      'checks.unreadable_in_a_row as unreadableInARow',
      'checks.proven_since as provenSince',
      'checks.ownership_doubt as ownershipDoubt',
      'checks.routing_doubt as routingDoubt',
      'checks.glance',
      'results.digest as resultDigest',
    ])
    .select((of) =>
      of
        .selectFrom('domains as incumbents')
        .whereRef('incumbents.name', '=', 'domains.name')
        .where('incumbents.status', '=', sql.lit('verified'))
        .select('incumbents.id')
        .as('incumbentId'),
    );
}

function claimCheck(db: Tables, p: { domainId: string; now: number; nextAt: number }) {
  return db
    .updateTable('checks')
    .where('domain_id', '=', p.domainId)
    .set((of) => ({ next_check_at: p.nextAt, last_check_at: p.now, attempts: of('attempts', '+', 1) }));
}

function selectProvenSince(db: Tables, p: { domainId: string }) {
  return db.selectFrom('checks').where('domain_id', '=', p.domainId).select('proven_since as provenSince');
}

function selectNameByToken(db: Tables, p: { workspaceId: string; token: string }) {
  return db
    .selectFrom('domains')
    .where('token', '=', p.token)
    .where('workspace_id', '=', p.workspaceId)
    .limit(1)
    .select('name');
}

function selectIncumbent(db: Tables, p: { id: string; name: string }) {
  return db
    .selectFrom('domains')
    .where('name', '=', p.name)
    .where('status', '=', sql.lit('verified'))
    .where('id', '<>', p.id)
    .select(domainColumns);
}
