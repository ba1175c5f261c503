import type pg from 'pg';
import type { DueRecheck, MonitorClaim } from '../contract/store.ts';
import type { DueRange } from '../sql/due.ts';
import { dueRecheckOf, type MonitorRow, nextAtOf, selectMonitors } from '../sql/monitors.ts';
import type { Reader, Tables } from '../sql/statement.ts';
import { dueClaimer } from './due-claimer.ts';

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
