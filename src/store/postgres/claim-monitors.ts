import type pg from 'pg';
import { furthestDueAt } from '../../domain/schedule.ts';
import type { DueRecheck, MonitorClaim } from '../contract/store.ts';
import { SCHEDULED_AT_ONCE, selectUnmonitored, spreadMs } from '../sql/monitor-schedule.ts';
import { dueRecheckOf, type MonitorRow, nextAtOf, selectMonitors } from '../sql/monitors.ts';
import type { Reader, Tables } from '../sql/statement.ts';
import { type DueRange, overdueSearch } from './overdue-search.ts';

/** Claims re-checks in a transaction of `client`. What one call finds makes the next one cheap. */
export type MonitorClaimer = (reader: Reader, client: pg.ClientBase, claim: MonitorClaim) => Promise<DueRecheck[]>;

/** Skips re-checks that another transaction has locked, so that claims never wait for each other. `elapsedMs`: a monotonic clock. */
export function monitorClaimer(elapsedMs?: () => number): MonitorClaimer {
  const searchOverdue = overdueSearch<MonitorRow>(elapsedMs);

  return async (reader, client, claim) => {
    const { now, limit, intervalMs, jitter, except = '' } = claim;
    if ((await reader.one(selectUnmonitored, { limit: 1 })) !== null) {
      const values = [SCHEDULED_AT_ONCE, now, spreadMs(intervalMs)];
      await client.query({ name: 'schedule_unmonitored', text: SCHEDULE_UNMONITORED, values });
    }
    const lock = async (range: DueRange) => reader.all(lockMonitors, { ...range, except });
    const overdue = await searchOverdue(lock, { now, limit, periodMs: intervalMs, isPartial: except !== '' });
    const outOfReach = { from: furthestDueAt(now, intervalMs), to: Number.MAX_SAFE_INTEGER };
    const rest = limit - overdue.length;
    const rows = rest === 0 ? overdue : [...overdue, ...(await lock({ ...outOfReach, limit: rest }))];
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const times = rows.map((row) => nextAtOf(row, claim, jitter()));
    await client.query({ name: 'claim_monitors', text: CLAIM, values: [ids, times, now] });
    return rows.map(dueRecheckOf);
  };
}

export function lockMonitors(db: Tables, p: DueRange & { except: string }) {
  return selectMonitors(db, p).forUpdate('monitors').skipLocked();
}

const CLAIM = `
  update monitors set next_check_at = claimed.next_check_at, last_check_at = $3, attempts = attempts + 1
  from unnest($1::text[], $2::bigint[]) as claimed (domain_id, next_check_at)
  where monitors.domain_id = claimed.domain_id`;

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
