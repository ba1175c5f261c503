import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import type { RateLimit } from '../../store/store.ts';
import type { CountTable } from './count-table.ts';
import { decide, type RateLimitDecision, windowStart } from './decision.ts';

// Which limiter is used when: `memoryLimiter` counts in one thread, as for the unknown names that an address asks the edge for. The API has
// threads, which count together: `processLimiter`. Where nodes share a database, `bothLimiters` adds the `nodesLimiter` (`nodes-limiter.ts`).

/** Counts requests of subjects, such as a workspace or an address, and decides about them. Names hold no spaces. */
export interface Limiter {
  /** Decides the next request of a subject to an operation, and counts it. */
  take(subject: string, operation: string, limit: RateLimit): RateLimitDecision;
  /** Decides as `take` does, without counting. */
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
 * Counts in the memory of this process. With more than `capacity` subjects and operations in one window, the least
 * recently used ones start at 0 again.
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

/**
 * A limiter of one thread on counts that all threads of the process share: together they allow no more than the limit.
 */
export function processLimiter(clock: Clock, counts: CountTable): Pick<Limiter, 'take' | 'peek'> {
  return {
    take(subject, operation, limit) {
      const now = clock.now();
      const window = { lengthMs: limit.windowMs, startsAt: windowStart(now, limit.windowMs) };
      return decide(counts.add(`${subject} ${operation}`, window, limit.limit), limit, now);
    },
    peek(subject, operation, limit) {
      const now = clock.now();
      const window = { lengthMs: limit.windowMs, startsAt: windowStart(now, limit.windowMs) };
      return decide(counts.read(`${subject} ${operation}`, window), limit, now);
    },
  };
}

/** Allows a request that both allow. A request that one of them refuses is not counted by the other. */
export function bothLimiters(
  first: Pick<Limiter, 'take'>,
  other: Pick<Limiter, 'take' | 'peek'>,
): Pick<Limiter, 'take'> {
  return {
    take(...request) {
      const peeked = other.peek(...request);
      if (!peeked.allowed) return peeked;
      const taken = first.take(...request);
      if (!taken.allowed) return taken;
      const counted = other.take(...request);
      return counted.remaining < taken.remaining ? counted : taken;
    },
  };
}
