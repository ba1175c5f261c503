import { sql } from 'kysely';
import type { Domain } from '../../domain/domain.ts';
import { furthestDueAt, nextCheckAt } from '../../domain/schedule.ts';
import { type CheckMemory, NO_MEMORY } from '../../domain/status.ts';
import type { CheckStore, DueCheck } from '../contract/store.ts';
import { removeCheck, saveMemory } from './check-schedule.ts';
import { changeDomain, domainColumns, domainOf } from './domains.ts';
import { recordEvent } from './events.ts';
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
    await tx.execute(claimCheck, { domainId: row.id, nextAt });
    due.push(await dueCheckOf(tx, row));
  }
  return due;
}

export type CheckRow = Domain &
  Pick<CheckMemory, 'unreadableInARow' | 'provenSince'> & {
    attempts: number;
    dueAt: number;
    windowEndsAt: number;
    incumbentId: string | null;
  };

export async function dueCheckOf(reader: Reader, row: CheckRow): Promise<DueCheck> {
  const { attempts, unreadableInARow, provenSince, dueAt, incumbentId } = row;
  const domain = domainOf(row);
  const incumbent = incumbentId === null ? null : await findIncumbent(reader, domain);
  return { domain, incumbent, memory: { ...NO_MEMORY, unreadableInARow, provenSince }, attempts: attempts + 1, dueAt };
}

export async function saveTransition(tx: Transaction, save: Save): Promise<'saved' | 'stale'> {
  const { before, after, loser, now } = save;
  if (!(await isCurrent(tx, save))) return 'stale';
  const memory = await currentMemory(tx, before.id, save.memory, now);
  if (loser !== undefined && memory.provenSince !== save.memory.provenSince) return 'stale';
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

async function saveChange(tx: Transaction, { before, after, loser, now }: Save): Promise<void> {
  if (loser !== undefined) {
    await changeDomain(tx, loser.after);
    await removeRoute(tx, loser.after);
    await recordEvent(tx, 'domain.superseded', loser.after, now);
  }
  await changeDomain(tx, after);
  if (after.status === 'verified') await addRoute(tx, after, now);
  await recordEvent(tx, eventOf(before, after), after, now);
}

function eventOf(before: Domain, after: Domain) {
  if (after.status === before.status) return 'domain.updated';
  switch (after.status) {
    case 'verified':
      return 'domain.verified';
    case 'failed':
      return 'domain.failed';
    case 'pending':
    case 'verifying':
      return 'domain.updated';
    default:
      return after.status satisfies never;
  }
}

export async function findIncumbent(reader: Reader, { id, name }: Pick<Domain, 'id' | 'name'>): Promise<Domain | null> {
  return reader.one(selectIncumbent, { id, name });
}

/** Due after `from` and until `to`. */
export function selectChecks(db: Tables, p: { from: number; to: number; limit: number; except: string }) {
  return db
    .selectFrom('checks')
    .innerJoin('domains', 'domains.id', 'checks.domain_id')
    .where('checks.next_check_at', '>', p.from)
    .where('checks.next_check_at', '<=', p.to)
    .where('domains.workspace_id', '<>', p.except)
    .orderBy('checks.next_check_at')
    .limit(p.limit)
    .select(domainColumns)
    .select([
      'checks.next_check_at as dueAt',
      'checks.window_ends_at as windowEndsAt',
      'checks.attempts',
      'checks.unreadable_in_a_row as unreadableInARow',
      'checks.proven_since as provenSince',
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

function claimCheck(db: Tables, p: { domainId: string; nextAt: number }) {
  return db
    .updateTable('checks')
    .where('domain_id', '=', p.domainId)
    .set((of) => ({ next_check_at: p.nextAt, attempts: of('attempts', '+', 1) }));
}

function selectProvenSince(db: Tables, p: { domainId: string }) {
  return db.selectFrom('checks').where('domain_id', '=', p.domainId).select('proven_since as provenSince');
}

function selectRevision(db: Tables, p: { id: string }) {
  return db.selectFrom('domains').where('id', '=', p.id).select('revision');
}

function selectIncumbent(db: Tables, p: { id: string; name: string }) {
  return db
    .selectFrom('domains')
    .where('name', '=', p.name)
    .where('status', '=', sql.lit('verified'))
    .where('id', '<>', p.id)
    .select(domainColumns);
}
