import type { DueRange } from '../sql/due.ts';

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
 * Searches from the earliest row on; only now and then where that search is slow (docs/decisions/0010-claims-on-postgresql.md). `elapsedMs`: a
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
