import { type InferResult, sql } from 'kysely';
import type { Domain } from '../../domain/domain.ts';
import { nextCheckAt } from '../../domain/schedule.ts';
import type { CheckMemory } from '../../domain/status.ts';
import { putStagedInUse } from '../certificate/moved-certificates.ts';
import { dropStaged } from '../certificate/staged-certificates.ts';
import { supersedeHeld } from '../domain/deleted-domains.ts';
import { domainColumns, domainOf } from '../domain/domain-rows.ts';
import { changeDomain, isNotOf } from '../domain/domains.ts';
import { recordEvent, recordFlags } from '../domain/events.ts';
import { endRedirectsTo } from '../domain/redirect-rows.ts';
import { addRoute, prepareRoute, withdrawRoute } from '../domain/routes.ts';
import { columnsOf, pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import type { CheckStore, DueCheck } from '../store.ts';
import { findingsIn, type Packable, saveResult } from './check-results.ts';
import { claimIn, type DueRange, findDue, MEMORY, removeCheck, saveMemory, saveMemoryOf } from './schedules.ts';

type Save = Packable<Parameters<CheckStore['saveTransition']>[0]>;

/** Claims at most as many due checks as there are `jitters`, which are in [0, 1). */
export async function claimDue(
  tx: Transaction,
  now: number,
  checkIntervalMs: number,
  jitters: number[],
  except = '',
): Promise<DueCheck[]> {
  const claim = { now, limit: jitters.length, periodMs: checkIntervalMs };
  const rows = await findDue(claim, (range) => tx.all(selectChecks, { ...range, except }));
  const due: DueCheck[] = [];
  for (const [i, row] of rows.entries()) {
    const nextAt = nextCheckAt(now, row.windowEndsAt, checkIntervalMs, jitters[i] ?? 0);
    await tx.execute(claimCheck, { domainId: row.id, now, nextAt });
    due.push(await dueCheckOf(tx, row));
  }
  return due;
}

export type CheckRow = InferResult<ReturnType<typeof selectChecks>>[number];

export async function dueCheckOf(reader: Reader, row: CheckRow): Promise<DueCheck> {
  const { attempts, dueAt, incumbentId, routed, resultDigest } = row;
  const memory = pick(row, MEMORY);
  const domain = domainOf(row);
  const incumbent = incumbentId === null ? null : await findIncumbent(reader, domain);
  const isPrepared = routed !== null;
  return { domain, incumbent, isPrepared, memory, resultDigest, attempts: attempts + 1, dueAt };
}

export async function saveTransition(tx: Transaction, save: Save): Promise<'saved' | 'stale'> {
  const memory = await currentMemory(tx, save);
  if (save.loser !== undefined && memory.provenSince !== save.memory.provenSince) return 'stale';
  if (!(await saveOutcome(tx, save, memory))) return 'stale';
  await saveResult(tx, save, save.after.status === 'failed');
  return 'saved';
}

/** Proofs in a row that a concurrent check broke start anew: `verifyDomain` can make a second check due while one is in flight. */
async function currentMemory(tx: Transaction, { before, memory, now }: Save): Promise<CheckMemory> {
  if (memory.provenSince === null || memory.provenSince >= now) return memory;
  const stored = await tx.one(selectProvenSince, { domainId: before.id });
  return stored?.provenSince === memory.provenSince ? memory : { ...memory, provenSince: now };
}

/** False, and nothing is saved, where domain or incumbent are no longer those that the check read: its first statement that writes finds out. */
async function saveOutcome(tx: Transaction, save: Save, memory: CheckMemory): Promise<boolean> {
  const { before, after, seen, result, now: at } = save;
  if (after.revision === before.revision) return saveMemoryOf(tx, before, memory);
  if (after.status === 'verified') return saveVerified(tx, save);
  if (save.prepares && (await tx.one(selectStanding, { id: before.id }))?.incumbentId !== null) return false;
  if (!(await changeDomain(tx, before, after))) return false;
  const findings = findingsIn(result);
  await recordFlags(tx, { before, after, seen, findings, at });
  if (save.prepares) {
    await prepareRoute(tx, after, at);
    await putStagedInUse(tx, after, at);
  }
  if (after.status === 'failed') {
    await withdrawRoute(tx, after);
    await dropStaged(tx, after.id);
    await recordEvent(tx, 'domain.failed', after, at, { findings });
    removeCheck(tx, after.id);
  } else {
    saveMemory(tx, after.id, memory);
  }
  return true;
}

/** The time of the first re-check. */
const FIRST_RECHECK_MS = 3_600_000;

async function saveVerified(tx: Transaction, save: Save): Promise<boolean> {
  const { before, after, loser, seen, recheckAt, now } = save;
  // The incumbent's row changes first: the name is verified once at any moment.
  const standing = await tx.one(selectStanding, { id: before.id });
  if (standing?.revision !== before.revision) return false;
  if (standing.incumbentId !== (loser?.before.id ?? null)) return false;
  if (loser !== undefined) {
    if (!(await changeDomain(tx, loser.before, loser.after))) return false;
    await endRedirectsTo(tx, loser.after, { reason: 'destination_superseded', at: now });
    await recordEvent(tx, 'domain.superseded', loser.after, now);
  }
  await changeDomain(tx, before, after);
  await recordFlags(tx, { before, after, seen, findings: findingsIn(save.result), at: now });
  await supersedeHeld(tx, after, now);
  await addRoute(tx, after, { at: now, recheckAt: recheckAt ?? now + FIRST_RECHECK_MS, loser: loser?.after });
  await recordEvent(tx, 'domain.verified', after, now);
  await putStagedInUse(tx, after, now);
  removeCheck(tx, after.id);
  return true;
}

export async function findIncumbent(reader: Reader, { id, name }: Pick<Domain, 'id' | 'name'>): Promise<Domain | null> {
  return reader.one(selectIncumbent, { id, name });
}

export async function findNameByToken(reader: Reader, workspaceId: string, token: string): Promise<string | null> {
  return (await reader.one(selectNameByToken, { workspaceId, token }))?.name ?? null;
}

export function selectChecks(db: Tables, p: DueRange & { except: string }) {
  return db
    .selectFrom('checks')
    .innerJoin('domains', 'domains.id', 'checks.domainId')
    .leftJoin('checkResults as results', 'results.domainId', 'checks.domainId')
    .leftJoin('routes', 'routes.domainId', 'checks.domainId')
    .where('checks.nextCheckAt', '>', p.from)
    .where('checks.nextCheckAt', '<=', p.to)
    .where(isNotOf(p.except))
    .orderBy('checks.nextCheckAt')
    .limit(p.limit)
    .select(domainColumns)
    .select([
      'checks.nextCheckAt as dueAt',
      'checks.windowEndsAt',
      'checks.attempts',
      ...columnsOf('checks', MEMORY),
      'results.digest as resultDigest',
      'routes.domainId as routed',
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

const claimCheck = claimIn('checks');

function selectProvenSince(db: Tables, p: { domainId: string }) {
  return db.selectFrom('checks').where('domainId', '=', p.domainId).select('provenSince');
}

function selectNameByToken(db: Tables, p: { workspaceId: string; token: string }) {
  return db
    .selectFrom('domains')
    .where('token', '=', p.token)
    .where('workspaceId', '=', p.workspaceId)
    .limit(1)
    .select('name');
}

/** Whether a domain and the incumbent of its name are still those that a check read. */
function selectStanding(db: Tables, p: { id: string }) {
  return db
    .selectFrom('domains')
    .leftJoin('domains as incumbents', (join) =>
      join
        .onRef('incumbents.name', '=', 'domains.name')
        .on('incumbents.status', '=', sql.lit('verified'))
        .onRef('incumbents.id', '<>', 'domains.id'),
    )
    .where('domains.id', '=', p.id)
    .select(['domains.revision', 'incumbents.id as incumbentId']);
}

function selectIncumbent(db: Tables, p: { id: string; name: string }) {
  return db
    .selectFrom('domains')
    .where('name', '=', p.name)
    .where('status', '=', sql.lit('verified'))
    .where('id', '<>', p.id)
    .select(domainColumns);
}
