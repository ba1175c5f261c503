import type pg from 'pg';
import { type DueRange, findDue, type Schedule } from '../sql/due.ts';
import type { Reader, Statement } from '../sql/statement.ts';
import { overdueSearch } from './overdue-search.ts';

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
