import type { Domain } from '../../domain/domain.ts';
import { FIRST_LOOK_MS } from '../../domain/live.ts';
import { furthestDueAt } from '../../domain/schedule.ts';
import type { CheckMemory } from '../../domain/status.ts';
import { pick, type Reader, type Statement, type Tables, type Transaction } from '../engine/statement.ts';

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

/** Adds the schedule of a domain that was verified just now. */
export function addMonitor(tx: Transaction, domainId: string, at: number): void {
  tx.write(insertMonitor, { domainId, at });
}

/** Adds the schedule of a name that has a route since `at`. */
export function addLiveCheck(tx: Transaction, { id, name }: Domain, at: number): void {
  tx.write(insertLiveCheck, { domainId: id, hostname: name, at: at + FIRST_LOOK_MS });
}

/** Where visitors of a name may get something else now: it is looked at then at the latest, and a look that is in flight does not count. */
export async function lookSoon(tx: Transaction, hostname: string, at: number): Promise<void> {
  await tx.execute(makeDue, { hostname, at });
}

/** Rows that one statement counts: about a millisecond. */
const BATCH = 10_000;

export async function countDrifted(reader: Reader): Promise<number> {
  let drifted = 0;
  for (let after = ''; ; ) {
    const batch = await reader.one(countDriftedBatch, { after, limit: BATCH });
    drifted += batch?.count ?? 0;
    if (batch === null || batch.last === null || batch.count < BATCH) return drifted;
    after = batch.last;
  }
}

function insertMonitor(db: Tables, p: { domainId: string; at: number }) {
  return db.insertInto('monitors').values({
    domainId: p.domainId,
    nextCheckAt: p.at,
    attempts: 0,
  });
}

function insertLiveCheck(db: Tables, p: { domainId: string; hostname: string; at: number }) {
  return db.insertInto('liveChecks').values({
    domainId: p.domainId,
    hostname: p.hostname,
    nextCheckAt: p.at,
    doubted: 0,
  });
}

function makeDue(db: Tables, p: { hostname: string; at: number }) {
  return db
    .updateTable('liveChecks')
    .where('hostname', '=', p.hostname)
    .where('nextCheckAt', '>', p.at)
    .set({ nextCheckAt: p.at });
}

function countDriftedBatch(db: Tables, p: { after: string; limit: number }) {
  return db
    .selectFrom((of) =>
      of
        .selectFrom('monitors')
        .where('driftedSince', 'is not', null)
        .where('domainId', '>', p.after)
        .orderBy('domainId')
        .limit(p.limit)
        .select('domainId')
        .as('batch'),
    )
    .select((of) => [of.fn.countAll<number>().as('count'), of.fn.max('domainId').as('last')]);
}

/** The tables that say when something is due next: the checks of waiting domains, the re-checks of verified ones. */
export type Schedule = 'checks' | 'monitors';

/** Due after `from` and until `to`. */
export interface DueRange {
  from: number;
  to: number;
  limit: number;
}

interface Due {
  now: number;
  limit: number;
  /** The schedule's limit: it says what is too far ahead. */
  periodMs: number;
}

/** Claims the overdue, the most overdue first; then what is due later than any clock that is right has scheduled. */
export async function findDue<Row>(
  { now, limit, periodMs }: Due,
  search: (range: DueRange) => Row[] | Promise<Row[]>,
  searchOverdue = search,
): Promise<Row[]> {
  const overdue = await searchOverdue({ from: 0, to: now, limit });
  const rest = limit - overdue.length;
  if (rest === 0) return overdue;
  return [
    ...overdue,
    ...(await search({ from: furthestDueAt(now, periodMs), to: Number.MAX_SAFE_INTEGER, limit: rest })),
  ];
}

/** Number of rows that `findDue` would find. */
export async function countDue(reader: Reader, schedule: Schedule, { now, limit, periodMs }: Due): Promise<number> {
  const count = async (range: DueRange) => (await reader.one(COUNTS[schedule], range))?.count ?? 0;
  const overdue = await count({ from: 0, to: now, limit });
  const tooFarAhead = await count({ from: furthestDueAt(now, periodMs), to: Number.MAX_SAFE_INTEGER, limit });
  return Math.min(limit, overdue + tooFarAhead);
}

const COUNTS = { checks: countIn('checks'), monitors: countIn('monitors') };

function countIn(schedule: Schedule): Statement<DueRange, { count: number }> {
  return (db, p) =>
    db
      .selectFrom((of) =>
        of
          .selectFrom(schedule)
          .where('nextCheckAt', '>', p.from)
          .where('nextCheckAt', '<=', p.to)
          .limit(p.limit)
          .select('nextCheckAt')
          .as('due'),
      )
      .select((of) => of.fn.countAll<number>().as('count'));
}

/** A claim of one row: counts it, and makes it due again at `nextAt`. */
export function claimIn(schedule: Schedule) {
  return (db: Tables, p: { domainId: string; now: number; nextAt: number }) =>
    db
      .updateTable(schedule)
      .where('domainId', '=', p.domainId)
      .set((of) => ({ nextCheckAt: p.nextAt, lastCheckAt: p.now, attempts: of('attempts', '+', 1) }));
}
