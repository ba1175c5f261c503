/** The longest time between two attempts to deliver an event. */
export const LONGEST_ATTEMPT_WAIT_MS = 86_400_000;

/**
 * The latest plausible time of the next attempt as of `now`. A later one was set by a clock that has been set back since; it counts as due now.
 * The clocks of machines that share a store differ by less.
 */
export function furthestAttemptAt(now: number): number {
  return now + 2 * LONGEST_ATTEMPT_WAIT_MS;
}
