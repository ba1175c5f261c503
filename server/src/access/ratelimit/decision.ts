import type { RateLimit } from '../../store/store.ts';

export interface RateLimitDecision {
  allowed: boolean;
  limit: number;
  /** Requests left in this window. */
  remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  resetSeconds: number;
  /** Requests allowed in this window, this one included. */
  requests: number;
}

/** Start of the window at `now`, Unix ms: a multiple of its length since 1970, so that all processes agree. */
export function windowStart(now: number, windowMs: number): number {
  return now - (now % windowMs);
}

/**
 * Decides a request after `before` allowed ones in the same window (spec: Limits). A refused request is not counted.
 */
export function decide(before: number, { limit, windowMs }: RateLimit, now: number): RateLimitDecision {
  const allowed = before < limit;
  const requests = allowed ? before + 1 : before;
  return {
    allowed,
    limit,
    remaining: Math.max(0, limit - requests),
    resetSeconds: Math.max(1, Math.ceil((windowStart(now, windowMs) + windowMs - now) / 1000)),
    requests,
  };
}

/** Limits by operation; `*` is for operations without their own. */
export type RateLimits = Readonly<Record<string, RateLimit>>;

/** The limit of an operation: overrides before defaults, its own limit before `*`. Undefined: unlimited. */
export function limitFor(operation: string, overrides: RateLimits, defaults: RateLimits): RateLimit | undefined {
  return own(overrides, operation) ?? own(overrides, '*') ?? own(defaults, operation) ?? own(defaults, '*');
}

function own(limits: RateLimits, operation: string): RateLimit | undefined {
  return Object.hasOwn(limits, operation) ? limits[operation] : undefined;
}
