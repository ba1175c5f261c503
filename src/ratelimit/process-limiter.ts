import type { Clock } from '../clock.ts';
import type { CountTable } from './count-table.ts';
import { decide, windowStart } from './decision.ts';
import type { Limiter } from './limiter.ts';

/** A limiter of one thread on counts that all threads of the process share: together they allow no more than the limit. */
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

/** Allows what both allow; `other` counts no request that `first` refuses, and `first` none that `other` refuses. */
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
