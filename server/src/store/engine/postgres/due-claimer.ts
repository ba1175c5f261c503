import type pg from 'pg';
import { nextCheckAt } from '../../../domain/schedule.ts';
import { type CheckRow, dueCheckOf, selectChecks } from '../../check/checks.ts';
import { dueRecheckOf, type MonitorRow, nextAtOf, selectMonitors } from '../../check/monitors.ts';
import { type DueRange, findDue, type Schedule } from '../../check/schedules.ts';
import type { DueCheck, DueRecheck, MonitorClaim } from '../../store.ts';
import type { Reader, Statement, Tables } from '../statement.ts';

interface DueClaim<Row> {
  now: number;
  limit: number;
  periodMs: number;
  /** Rows of this workspace are skipped. */
  except: string;
  /** When a row is due again. */
  nextAt(row: Row): number;
}

/** Claims rows in a transaction of `client`. What one call finds makes the next one cheap. */
export type DueClaimer<Row> = (reader: Reader, client: pg.ClientBase, claim: DueClaim<Row>) => Promise<Row[]>;

/**
 * `lockRows` skips rows that another transaction has locked, so that claims never wait for each other. `elapsedMs`: a monotonic clock.
 */
export function dueClaimer<Row extends { id: string; dueAt: number }>(
  schedule: Schedule,
  lockRows: Statement<DueRange & { except: string }, Row>,
  elapsedMs?: () => number,
): DueClaimer<Row> {
  const searchOverdue = overdueSearch<Row>(elapsedMs);
  const claimRows = {
    name: `claim_${schedule}`,
    text: `
      update ${schedule} set next_check_at = claimed.next_check_at, last_check_at = $3, attempts = attempts + 1
      from unnest($1::text[], $2::bigint[]) as claimed (domain_id, next_check_at)
      where ${schedule}.domain_id = claimed.domain_id`,
  };

  return async (reader, client, { now, limit, periodMs, except, nextAt }) => {
    const lock = async (range: DueRange) => reader.all(lockRows, { ...range, except });
    const rows = await findDue({ now, limit, periodMs }, lock, () =>
      searchOverdue(lock, { now, limit, periodMs, isPartial: except !== '' }),
    );
    if (rows.length === 0) return [];
    await client.query({ ...claimRows, values: [rows.map(({ id }) => id), rows.map(nextAt), now] });
    return rows;
  };
}

interface OverdueClaim {
  now: number;
  limit: number;
  periodMs: number;
  /** Whether rows that are due are left out: they remain due before the last one that is found. */
  isPartial: boolean;
}

/** Finds what is overdue in a schedule, the most overdue first. What one call finds makes the next one cheap. */
export type OverdueSearch<Row> = (search: (range: DueRange) => Promise<Row[]>, claim: OverdueClaim) => Promise<Row[]>;

/**
 * A search that does not begin with the earliest row begins this long before the last one that was claimed: for rows that were due before they
 * were committed.
 */
const LOOK_BACK_MS = 2000;
/** A search from the earliest row that takes longer may have passed many dead rows, which vacuum cannot remove yet. */
const SLOW_MS = 25;
/** The next such search waits for this many times as long. */
const REST_FACTOR = 20;

/**
 * Searches from the earliest row on; only now and then where that search is slow (docs/internals/decisions/0010-claims-on-postgresql.md). `elapsedMs`: a
 * monotonic clock.
 */
export function overdueSearch<Row extends { dueAt: number }>(
  elapsedMs: () => number = () => performance.now(),
): OverdueSearch<Row> {
  let claimedTo: number | undefined;
  let restUntil = 0;

  return async (search, { now, limit, periodMs, isPartial }) => {
    const began = elapsedMs();
    const fromEarliest = began >= restUntil;
    const from = fromEarliest ? 0 : Math.min(claimedTo ?? now - periodMs, now) - LOOK_BACK_MS;
    try {
      const rows = await search({ from, to: now, limit });
      if (!isPartial) claimedTo = rows.length < limit ? now : (rows.at(-1)?.dueAt ?? now);
      return rows;
    } finally {
      const tookMs = elapsedMs() - began;
      if (fromEarliest && tookMs > SLOW_MS) restUntil = began + REST_FACTOR * tookMs;
    }
  };
}

/** The arguments of `CheckStore.claimDue`. */
interface CheckClaim {
  now: number;
  limit: number;
  checkIntervalMs: number;
  jitter: () => number;
  except: string;
}

/** Claims checks in a transaction of `client`. What one call finds makes the next one cheap. */
export type CheckClaimer = (reader: Reader, client: pg.ClientBase, claim: CheckClaim) => Promise<DueCheck[]>;

/** `elapsedMs`: a monotonic clock. */
export function checkClaimer(elapsedMs?: () => number): CheckClaimer {
  const claimRows = dueClaimer<CheckRow>('checks', lockChecks, elapsedMs);

  return async (reader, client, { now, limit, checkIntervalMs, jitter, except }) => {
    const nextAt = ({ windowEndsAt }: CheckRow) => nextCheckAt(now, windowEndsAt, checkIntervalMs, jitter());
    const rows = await claimRows(reader, client, { now, limit, periodMs: checkIntervalMs, except, nextAt });
    const due: DueCheck[] = [];
    for (const row of rows) due.push(await dueCheckOf(reader, row));
    return due;
  };
}

export function lockChecks(db: Tables, p: DueRange & { except: string }) {
  return selectChecks(db, p).forUpdate('checks').skipLocked();
}

/** Claims re-checks in a transaction of `client`. What one call finds makes the next one cheap. */
export type MonitorClaimer = (reader: Reader, client: pg.ClientBase, claim: MonitorClaim) => Promise<DueRecheck[]>;

/** `elapsedMs`: a monotonic clock. */
export function monitorClaimer(elapsedMs?: () => number): MonitorClaimer {
  const claimRows = dueClaimer<MonitorRow>('monitors', lockMonitors, elapsedMs);

  return async (reader, client, claim) => {
    const { now, limit, intervalMs, jitter, except = '' } = claim;
    const nextAt = (row: MonitorRow) => nextAtOf(row, claim, jitter());
    const rows = await claimRows(reader, client, { now, limit, periodMs: intervalMs, except, nextAt });
    return rows.map(dueRecheckOf);
  };
}

export function lockMonitors(db: Tables, p: DueRange & { except: string }) {
  return selectMonitors(db, p).forUpdate('monitors').skipLocked();
}
