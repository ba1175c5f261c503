/** When checks happen. Pure: the time and the randomness are arguments. */

/** Period of the background checks (spec: Limits, "about 1 minute"). */
export const CHECK_INTERVAL_MS = 60_000;

/** A tenth either way, so that domains created together do not stay together. */
const JITTER = 0.1;

/** The least time between two checks of the schedule. */
export function shortestPeriodMs(checkIntervalMs: number): number {
  return checkIntervalMs * (1 - JITTER);
}

/**
 * When a check claimed at `now` is due again: one period later, give or take a tenth, but never past the end of the window, at which the
 * last check takes place. `random` is in [0, 1).
 */
export function nextCheckAt(now: number, windowEndsAt: number, checkIntervalMs: number, random: number): number {
  const period = Math.round(checkIntervalMs * (1 - JITTER + 2 * JITTER * random));
  // Past its window's end a check is the last one; it comes round again only if it was lost to a crash.
  return now < windowEndsAt ? Math.min(now + period, windowEndsAt) : now + period;
}

/** In periods. Nothing is ever scheduled as far ahead, and clocks of machines that share a store differ by less. */
const OUT_OF_REACH = 5;

/**
 * A check that is due later than this, as of `now`, was scheduled by a clock that has been set back since, and would be left alone for as
 * long as that was. It counts as due.
 */
export function furthestDueAt(now: number, checkIntervalMs: number): number {
  return now + OUT_OF_REACH * checkIntervalMs;
}
