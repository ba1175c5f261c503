import type { Clock } from '../clock.ts';
import { type Recent, recentMap } from '../recent.ts';
import type { RateLimit } from '../store/store.ts';
import { type Decision, decide, windowStart } from './decide.ts';

/** Counts requests and decides about them. A subject is whoever is limited: a workspace, an address. */
export interface Limiter {
  /** Decides the next request of a subject to an operation, and counts it. */
  take(subject: string, operation: string, limit: RateLimit): Decision;
  /** Decides like `take`, and counts nothing. */
  peek(subject: string, operation: string, limit: RateLimit): Decision;
  /** Number of counts kept in memory. */
  size(): number;
}

interface Window {
  /** Unix ms. */
  startedAt: number;
  /** Requests so far, by subject and operation. */
  counts: Recent<number>;
}

/** About 20 MB. */
const CAPACITY = 200_000;

/**
 * Counts in this process's memory, and writes nothing anywhere. Of each length of window one is kept: the one in progress. With more than
 * `capacity` subjects and operations in one window, the counts of those that have asked for nothing for longest begin anew.
 */
export function memoryLimiter(clock: Clock, capacity = CAPACITY): Limiter {
  const windows = new Map<number, Window>();

  function countsAt(now: number, lengthMs: number): Recent<number> {
    const known = windows.get(lengthMs);
    const startedAt = windowStart(now, lengthMs);
    if (known?.startedAt === startedAt) return known.counts;
    for (const [each, window] of windows) if (window.startedAt !== windowStart(now, each)) windows.delete(each);
    const counts = recentMap<number>(capacity);
    windows.set(lengthMs, { startedAt, counts });
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
  };
}
