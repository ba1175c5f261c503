import type pg from 'pg';
import type { DueRecheck, MonitorClaim } from '../contract/store.ts';
import type { DueRange } from '../sql/due.ts';
import { isAnyUnmonitored, SCHEDULED_AT_ONCE, spreadMs } from '../sql/monitor-schedule.ts';
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
    if (await isAnyUnmonitored(reader)) {
      const values = [SCHEDULED_AT_ONCE, now, spreadMs(intervalMs)];
      await client.query({ name: 'schedule_unmonitored', text: SCHEDULE_UNMONITORED, values });
    }
    const nextAt = (row: MonitorRow) => nextAtOf(row, claim, jitter());
    const rows = await claimRows(reader, client, { now, limit, periodMs: intervalMs, except, nextAt });
    return rows.map(dueRecheckOf);
  };
}

export function lockMonitors(db: Tables, p: DueRange & { except: string }) {
  return selectMonitors(db, p).forUpdate('monitors').skipLocked();
}

/** Locks the routes, so that none is deleted before its schedule is added. */
const SCHEDULE_UNMONITORED = `
  with unmonitored as (
    select domain_id from routes where monitored is null order by domain_id limit $1 for update skip locked
  ), added as (
    insert into monitors (domain_id, next_check_at, attempts)
    select domain_id, $2::bigint + row_number() over (order by domain_id) * $3::bigint, 0 from unmonitored
    on conflict do nothing
  )
  update routes set monitored = 1 where domain_id in (select domain_id from unmonitored)`;
