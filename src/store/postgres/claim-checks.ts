import type pg from 'pg';
import { furthestDueAt, nextCheckAt } from '../../domain/schedule.ts';
import type { DueCheck } from '../contract/store.ts';
import { type CheckRow, dueCheckOf, selectChecks } from '../sql/checks.ts';
import type { Reader, Tables } from '../sql/statement.ts';

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

/**
 * A search that does not begin with the earliest check begins this long before the last one that was claimed: for checks that were due before
 * they were committed.
 */
const LOOK_BACK_MS = 2000;
/** A search from the earliest check that takes longer may have passed many dead rows, which vacuum cannot remove yet. */
const SLOW_MS = 25;
/** The next such search waits for this many times as long. */
const REST_FACTOR = 20;

/** Skips checks that another transaction has locked, so that claims never wait for each other. `elapsedMs`: a monotonic clock. */
export function checkClaimer(elapsedMs: () => number = () => performance.now()): CheckClaimer {
  let claimedTo: number | undefined;
  let restUntil = 0;

  /** From the earliest on; only now and then where that search is slow (docs/decisions/0010-claims-on-postgresql.md). */
  async function lockOverdue(reader: Reader, claim: CheckClaim): Promise<CheckRow[]> {
    const { now, limit, checkIntervalMs, except } = claim;
    const began = elapsedMs();
    const fromEarliest = began >= restUntil;
    const from = fromEarliest ? 0 : Math.min(claimedTo ?? now - checkIntervalMs, now) - LOOK_BACK_MS;
    try {
      const rows = await reader.all(lockChecks, { from, to: now, limit, except });
      // Checks of the workspace that was left out remain due before the last one claimed.
      if (except === '') claimedTo = rows.length < limit ? now : (rows.at(-1)?.dueAt ?? now);
      return rows;
    } finally {
      const tookMs = elapsedMs() - began;
      if (fromEarliest && tookMs > SLOW_MS) restUntil = began + REST_FACTOR * tookMs;
    }
  }

  return async (reader, client, claim) => {
    const { now, limit, checkIntervalMs, jitter, except } = claim;
    const overdue = await lockOverdue(reader, claim);
    const outOfReach = { from: furthestDueAt(now, checkIntervalMs), to: Number.MAX_SAFE_INTEGER };
    const rest = limit - overdue.length;
    const rows =
      rest === 0 ? overdue : [...overdue, ...(await reader.all(lockChecks, { ...outOfReach, limit: rest, except }))];
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const times = rows.map(({ windowEndsAt }) => nextCheckAt(now, windowEndsAt, checkIntervalMs, jitter()));
    await client.query({ name: 'claim_checks', text: CLAIM, values: [ids, times] });
    const due: DueCheck[] = [];
    for (const row of rows) due.push(await dueCheckOf(reader, row));
    return due;
  };
}

export function lockChecks(db: Tables, p: { from: number; to: number; limit: number; except: string }) {
  return selectChecks(db, p).forUpdate('checks').skipLocked();
}

const CLAIM = `
  update checks set next_check_at = claimed.next_check_at, attempts = attempts + 1
  from unnest($1::text[], $2::bigint[]) as claimed (domain_id, next_check_at)
  where checks.domain_id = claimed.domain_id`;
