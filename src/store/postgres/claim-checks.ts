import type pg from 'pg';
import { furthestDueAt, nextCheckAt } from '../../domain/schedule.ts';
import type { DueCheck } from '../contract/store.ts';
import { type CheckRow, dueCheckOf, selectChecks } from '../sql/checks.ts';
import type { Tables, Writing } from '../sql/query.ts';

/** Which checks, as `CheckStore.claimDue` is asked. */
export interface Claim {
  now: number;
  limit: number;
  checkIntervalMs: number;
  jitter: () => number;
  except: string;
}

/** Claims checks, one call after the other; what one has seen makes the next one cheap. */
export type Claimer = (run: Writing, client: pg.ClientBase, claim: Claim) => Promise<DueCheck[]>;

/**
 * How far behind what was claimed last a claim begins that does not begin with the earliest check. Whatever is due already when it is
 * written, is committed sooner after that; but where clocks disagree, or a claim was lost.
 */
const LOOK_BACK_MS = 2000;
/** A search for overdue checks that takes longer may have passed many rows that are dead, and cannot be removed yet. */
const SLOW_MS = 25;
/** Such a search takes at most a twentieth of the time. */
const REST = 20;

/**
 * Claims checks that nobody else is about to claim: those are passed over, so that claims never wait for one another. `elapsedMs` counts
 * from any moment, and never back.
 */
export function claimer(elapsedMs: () => number = () => performance.now()): Claimer {
  let claimedTo: number | undefined;
  let restUntil = 0;

  /** The earliest first; only where it is slow to look for those, now and then. See docs/decisions/0010-claims-on-postgresql.md. */
  async function lockOverdue(run: Writing, claim: Claim): Promise<CheckRow[]> {
    const { now, limit, checkIntervalMs, except } = claim;
    const began = elapsedMs();
    const fromEarliest = began >= restUntil;
    const from = fromEarliest ? 0 : Math.min(claimedTo ?? now - checkIntervalMs, now) - LOOK_BACK_MS;
    try {
      const rows = await run.all(lockChecks, { from, to: now, limit, except });
      // What was left because of whose it is, is still to come.
      if (except === '') claimedTo = rows.length < limit ? now : (rows.at(-1)?.dueAt ?? now);
      return rows;
    } finally {
      const tookMs = elapsedMs() - began;
      if (fromEarliest && tookMs > SLOW_MS) restUntil = began + REST * tookMs;
    }
  }

  return async (run, client, claim) => {
    const { now, limit, checkIntervalMs, jitter, except } = claim;
    const overdue = await lockOverdue(run, claim);
    const outOfReach = { from: furthestDueAt(now, checkIntervalMs), to: Number.MAX_SAFE_INTEGER };
    const rest = limit - overdue.length;
    const rows =
      rest === 0 ? overdue : [...overdue, ...(await run.all(lockChecks, { ...outOfReach, limit: rest, except }))];
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const times = rows.map(({ windowEndsAt }) => nextCheckAt(now, windowEndsAt, checkIntervalMs, jitter()));
    await client.query({ name: 'claim_checks', text: CLAIM, values: [ids, times] });
    const due: DueCheck[] = [];
    for (const row of rows) due.push(await dueCheckOf(run, row));
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
