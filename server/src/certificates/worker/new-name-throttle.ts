import { LONGEST_WAIT_MS } from '../../domain/certificate-state.ts';

/**
 * Limits how many new names are claimed at once. When no CA accepts more of them until some time, none is claimed until
 * then: each attempt would be wasted. Afterwards one goes first, and the number doubles with each order that ends.
 */
export function newNameThrottle() {
  let blockedUntil = 0;
  let atOnce = Number.POSITIVE_INFINITY;
  return {
    /** How many new names may be claimed now, of `most`. */
    available(most: number, now: number): number {
      // A time further ahead than any wait was written by a clock that has been set back.
      const isBlocked = now < blockedUntil && blockedUntil <= now + LONGEST_WAIT_MS;
      return isBlocked ? 0 : Math.min(most, atOnce);
    },
    /** No CA accepts an order for a new name until then. */
    block(until: number): void {
      blockedUntil = until;
      atOnce = 1;
    },
    /** A CA may accept an order sooner. */
    unblock(): void {
      blockedUntil = 0;
    },
    /** A CA accepted an order. */
    accelerate(): void {
      blockedUntil = 0;
      atOnce *= 2;
    },
  };
}
