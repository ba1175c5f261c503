import type pg from 'pg';
import { furthestDueAt, nextCheckAt } from '../../domain/schedule.ts';
import type { DueCheck } from '../contract/store.ts';
import { type CheckRow, dueCheckOf, selectChecks } from '../sql/checks.ts';
import type { Reader, Tables } from '../sql/statement.ts';
import { type DueRange, overdueSearch } from './overdue-search.ts';

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

/** Skips checks that another transaction has locked, so that claims never wait for each other. `elapsedMs`: a monotonic clock. */
export function checkClaimer(elapsedMs?: () => number): CheckClaimer {
  const searchOverdue = overdueSearch<CheckRow>(elapsedMs);

  return async (reader, client, claim) => {
    const { now, limit, checkIntervalMs, jitter, except } = claim;
    const lock = async (range: DueRange) => reader.all(lockChecks, { ...range, except });
    const overdue = await searchOverdue(lock, { now, limit, periodMs: checkIntervalMs, isPartial: except !== '' });
    const outOfReach = { from: furthestDueAt(now, checkIntervalMs), to: Number.MAX_SAFE_INTEGER };
    const rest = limit - overdue.length;
    const rows = rest === 0 ? overdue : [...overdue, ...(await lock({ ...outOfReach, limit: rest }))];
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const times = rows.map(({ windowEndsAt }) => nextCheckAt(now, windowEndsAt, checkIntervalMs, jitter()));
    await client.query({ name: 'claim_checks', text: CLAIM, values: [ids, times, now] });
    const due: DueCheck[] = [];
    for (const row of rows) due.push(await dueCheckOf(reader, row));
    return due;
  };
}

export function lockChecks(db: Tables, p: { from: number; to: number; limit: number; except: string }) {
  return selectChecks(db, p).forUpdate('checks').skipLocked();
}

const CLAIM = `
  update checks set next_check_at = claimed.next_check_at, last_check_at = $3, attempts = attempts + 1
  from unnest($1::text[], $2::bigint[]) as claimed (domain_id, next_check_at)
  where checks.domain_id = claimed.domain_id`;
