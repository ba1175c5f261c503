import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import type { RateLimit } from '../store/contract/store.ts';
import { decide, type RateLimitDecision, windowStart } from './decision.ts';

/** Counts requests and decides about them. A subject is limited: a workspace, an address. Names hold no spaces. */
export interface Limiter {
  /** Decides the next request of a subject to an operation, and counts it. */
  take(subject: string, operation: string, limit: RateLimit): RateLimitDecision;
  /** Decides like `take`, and counts nothing. */
  peek(subject: string, operation: string, limit: RateLimit): RateLimitDecision;
  /** Number of counts in memory. */
  size(): number;
}

/** Requests allowed in one window, by `<subject> <operation>`. */
export interface Counts {
  get(key: string): number | undefined;
  set(key: string, requests: number): void;
  readonly size: number;
}

export interface Window<C extends Counts> {
  lengthMs: number;
  /** Unix ms. */
  startedAt: number;
  counts: C;
}

/** About 20 MB. */
export const CAPACITY = 200_000;

/**
 * Counts in the memory of this process. With more than `capacity` subjects and operations in one window, the least recently used ones
 * start at 0 again.
 */
export function memoryLimiter(clock: Clock, capacity = CAPACITY): Limiter {
  return limiterOn(clock, () => lruCounts(capacity));
}

/** Grows as it fills; with `max`, lru-cache would allocate every slot at the start of each window. */
export function lruCounts(capacity: number): LRUCache<string, number> {
  return new LRUCache({ maxSize: capacity, sizeCalculation: () => 1 });
}

/** A limiter on counts of any kind. It keeps one window of each length: the current one. */
export function limiterOn<C extends Counts>(clock: Clock, newCounts: () => C): Limiter & { windows(): Window<C>[] } {
  const windows = new Map<number, Window<C>>();

  function deleteEnded(now: number): void {
    for (const [lengthMs, { startedAt }] of windows) {
      if (startedAt !== windowStart(now, lengthMs)) windows.delete(lengthMs);
    }
  }

  function countsAt(now: number, lengthMs: number): C {
    const current = windows.get(lengthMs);
    const startedAt = windowStart(now, lengthMs);
    if (current?.startedAt === startedAt) return current.counts;
    deleteEnded(now);
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
    size: () => [...windows.values()].reduce((sum, { counts }) => sum + counts.size, 0),
    windows() {
      deleteEnded(clock.now());
      return [...windows.values()];
    },
  };
}
