import type pg from 'pg';
import { nextCheckAt } from '../../domain/schedule.ts';
import type { DueCheck } from '../contract/store.ts';
import { type CheckRow, dueCheckOf, selectChecks } from '../sql/checks.ts';
import type { DueRange } from '../sql/due.ts';
import type { Reader, Tables } from '../sql/statement.ts';
import { dueClaimer } from './due-claimer.ts';

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
