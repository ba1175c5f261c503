import { furthestDueAt } from '../../domain/schedule.ts';
import type { Reader, Statement, Tables } from '../engine/statement.ts';

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
  /** Of the schedule: it says what is too far ahead. */
  periodMs: number;
}

/** What is overdue, the most overdue first; then what is due later than any clock that is right has scheduled. */
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
