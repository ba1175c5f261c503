import type pg from 'pg';
import { furthestDueAt, nextCheckAt } from '../../domains/schedule.ts';
import { dueCheckOf, selectChecks } from '../checks.ts';
import type { Tables, Writing } from '../query.ts';
import type { DueCheck } from '../store.ts';

/** Which checks, as `CheckStore.claimDue` is asked. */
export interface Claim {
  now: number;
  limit: number;
  checkIntervalMs: number;
  jitter: () => number;
  except: string;
}

/** Claims checks that nobody else is about to claim: those are passed over, so that claims never wait for one another. */
export async function claimDue(run: Writing, client: pg.ClientBase, claim: Claim): Promise<DueCheck[]> {
  const { now, limit, checkIntervalMs, jitter, except } = claim;
  const overdue = await run.all(lockChecks, { from: 0, to: now, limit, except });
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
}

export function lockChecks(db: Tables, p: { from: number; to: number; limit: number; except: string }) {
  return selectChecks(db, p).forUpdate('checks').skipLocked();
}

const CLAIM = `
  update checks set next_check_at = claimed.next_check_at, attempts = attempts + 1
  from unnest($1::text[], $2::bigint[]) as claimed (domain_id, next_check_at)
  where checks.domain_id = claimed.domain_id`;
