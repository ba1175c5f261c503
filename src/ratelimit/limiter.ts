import { recentMap } from '../cache/lru-cache.ts';
import type { Clock } from '../clock.ts';
import type { RateLimit } from '../store/contract/store.ts';
import { type Decision, decide, windowStart } from './decision.ts';

/** Counts requests and decides about them. A subject is whoever is limited: a workspace, an address. No name has a space in it. */
export interface Limiter {
  /** Decides the next request of a subject to an operation, and counts it. */
  take(subject: string, operation: string, limit: RateLimit): Decision;
  /** Decides like `take`, and counts nothing. */
  peek(subject: string, operation: string, limit: RateLimit): Decision;
  /** Number of counts kept in memory. */
  size(): number;
}

/** Requests that were let through in one window, by `<subject> <operation>`. */
export interface Counts {
  get(key: string): number | undefined;
  set(key: string, requests: number): void;
  size(): number;
}

export interface Window<Kept extends Counts> {
  lengthMs: number;
  /** Unix ms. */
  startedAt: number;
  counts: Kept;
}

/** About 20 MB. */
export const CAPACITY = 200_000;

/**
 * Counts in this process's memory, and writes nothing anywhere. With more than `capacity` subjects and operations in one window, the counts
 * of those that have asked for nothing for longest begin anew.
 */
export function memoryLimiter(clock: Clock, capacity = CAPACITY): Limiter {
  return limiterOn(clock, () => recentMap<number>(capacity));
}

/** Decides by counts of any kind. Of each length of window one is kept: the one in progress. */
export function limiterOn<Kept extends Counts>(
  clock: Clock,
  newCounts: () => Kept,
): Limiter & { windows(): Window<Kept>[] } {
  const windows = new Map<number, Window<Kept>>();

  function forgetEnded(now: number): void {
    for (const [lengthMs, { startedAt }] of windows) {
      if (startedAt !== windowStart(now, lengthMs)) windows.delete(lengthMs);
    }
  }

  function countsAt(now: number, lengthMs: number): Kept {
    const known = windows.get(lengthMs);
    const startedAt = windowStart(now, lengthMs);
    if (known?.startedAt === startedAt) return known.counts;
    forgetEnded(now);
    const counts = newCounts();
    windows.set(lengthMs, { lengthMs, startedAt, counts });
    return counts;
  }

  return {
    take(subject, operation, limit) {
      const now = clock.now();
      const counts = countsAt(now, limit.windowMs);
      const key = `${subject} ${operation}`;
      const decision = decide(counts.get(key) ?? 0, limit, now);
      if (decision.allowed) counts.set(key, decision.requests);
      return decision;
    },
    peek(subject, operation, limit) {
      const now = clock.now();
      return decide(countsAt(now, limit.windowMs).get(`${subject} ${operation}`) ?? 0, limit, now);
    },
    size: () => [...windows.values()].reduce((sum, { counts }) => sum + counts.size(), 0),
    windows() {
      forgetEnded(clock.now());
      return [...windows.values()];
    },
  };
}
