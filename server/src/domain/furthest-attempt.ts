/** Between two attempts to deliver an event less time passes: waits are of four hours, and jitter (`webhooks/policy/`). */
export const LONGEST_ATTEMPT_WAIT_MS = 5 * 3_600_000;

/**
 * The latest plausible time of the next attempt as of `now`. A later one was set by a clock that has been set back since; it counts as due now.
 * The clocks of machines that share a store differ by less.
 */
export function furthestAttemptAt(now: number): number {
  return now + 2 * LONGEST_ATTEMPT_WAIT_MS;
}
