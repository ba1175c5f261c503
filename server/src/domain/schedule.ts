/** When checks happen. Pure: the time and the randomness are arguments. */

/** Period of the background checks (spec: Limits, "about 1 minute"). */
export const CHECK_INTERVAL_MS = 60_000;

/** Either way, so that domains created together are not checked together for ever. */
const JITTER = 0.1;

/** The first checks of a domain, and then each of so many, ask for what is around its records as well. */
const FIRST_THOROUGH = 3;
const THOROUGH_EVERY = 10;

/** Whether a check asks every nameserver, and for what is around the records. `attempts`: checks so far, including this one. */
export function isThoroughCheck(attempts: number): boolean {
  return attempts <= FIRST_THOROUGH || attempts % THOROUGH_EVERY === 0;
}

/** The shortest time between two scheduled checks. */
export function shortestPeriodMs(checkIntervalMs: number): number {
  return checkIntervalMs * (1 - JITTER);
}

/**
 * When a check claimed at `now` is due again: one period later, give or take a tenth, but never past the end of the
 * window, when the last check takes place. `random` is in [0, 1).
 */
export function nextCheckAt(now: number, windowEndsAt: number, checkIntervalMs: number, random: number): number {
  const period = Math.round(checkIntervalMs * (1 - JITTER + 2 * JITTER * random));
  // A check claimed after the window's end is the last one; it becomes due again only if a crash lost it.
  return now < windowEndsAt ? Math.min(now + period, windowEndsAt) : now + period;
}

/** Nothing is scheduled this far ahead, and the clocks of machines that share a store differ by less. */
const IMPLAUSIBLE_PERIODS = 5;

/**
 * The latest plausible due time as of `now`. A check due later was scheduled by a clock that has been set back since; it
 * counts as due now.
 */
export function furthestDueAt(now: number, checkIntervalMs: number): number {
  return now + IMPLAUSIBLE_PERIODS * checkIntervalMs;
}

/** Re-checks of verified domains come early by 5 to 20 %, at random: those verified together spread out, and a loss is told within the period. */
const EARLIEST = 0.8;
const LATEST = 0.95;

/** When a re-check of a verified domain is due: within `periodMs` after `now`. `random` is in [0, 1). */
export function nextRecheckAt(now: number, periodMs: number, random: number): number {
  return now + Math.max(1, Math.round(periodMs * (EARLIEST + (LATEST - EARLIEST) * random)));
}
