import type { Clock } from '../clock.ts';
import type { RateLimit } from '../store/store.ts';
import { type Counted, type Decision, decide } from './decide.ts';

/** Counts requests and decides about them. A subject is whoever is limited: a workspace, an address. */
export interface Limiter {
  /** Decides the next request of a subject to an operation, and counts it. */
  take(subject: string, operation: string, limit: RateLimit): Decision;
  /** Decides like `take`, and counts nothing. */
  peek(subject: string, operation: string, limit: RateLimit): Decision;
  /** Number of windows kept in memory. */
  windows(): number;
}

/** Windows kept before those that have ended are looked for. */
const SWEEP_AT = 1000;

/** Counts in this process's memory, which holds no more than twice the windows in progress, or 1,000. */
export function memoryLimiter(clock: Clock): Limiter {
  const windows = new Map<string, Counted>();
  let sweepAt = SWEEP_AT;

  function sweep(now: number): void {
    for (const [key, counted] of windows) {
      if (counted.windowStartedAt + counted.windowMs <= now) windows.delete(key);
    }
    sweepAt = Math.max(SWEEP_AT, 2 * windows.size);
  }

  return {
    take(subject, operation, limit) {
      const now = clock.now();
      const key = `${subject} ${operation}`;
      const decision = decide(windows.get(key), limit, now);
      windows.set(key, decision.counted);
      if (windows.size > sweepAt) sweep(now);
      return decision;
    },
    peek: (subject, operation, limit) => decide(windows.get(`${subject} ${operation}`), limit, clock.now()),
    windows: () => windows.size,
  };
}
