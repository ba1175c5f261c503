import { LONGEST_WAIT_MS } from '../../domain/certificate-state.ts';

/**
 * How many new names may be begun at once. When no CA takes more of them, nobody looks at the others until one does again: looking at each would cost, and
 * change nothing. Then one goes first, and the others follow in growing numbers.
 */
export interface Gate {
  /** For how many there is room, of so many. */
  room(capacity: number, now: number): number;
  /** There was no order to be had for a new name; not before this time. */
  close(until: number): void;
  /** There was one. */
  open(): void;
}

export function createGate(): Gate {
  let closedUntil = 0;
  let atOnce = Number.POSITIVE_INFINITY;
  return {
    room(capacity, now) {
      // A time further ahead than any wait was said by a clock that has been set back since.
      const isClosed = now < closedUntil && closedUntil <= now + LONGEST_WAIT_MS;
      return isClosed ? 0 : Math.min(capacity, atOnce);
    },
    close(until) {
      closedUntil = until;
      atOnce = 1;
    },
    open() {
      closedUntil = 0;
      atOnce *= 2;
    },
  };
}
