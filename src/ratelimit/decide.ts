import type { RateLimit } from '../store/store.ts';

/** Requests counted in one window. */
export interface Counted {
  /** Unix ms; a multiple of `windowMs`. */
  windowStartedAt: number;
  windowMs: number;
  requests: number;
}

export interface Decision {
  allowed: boolean;
  limit: number;
  /** Requests left in this window. */
  remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  resetSeconds: number;
  /** To be kept until the next decision. */
  counted: Counted;
}

/**
 * Decides one request under a fixed window (spec: Limits). Windows begin at multiples of their length since 1970, so all processes agree on
 * them. A refused request is not counted. `limit: 0` refuses everything.
 */
export function decide(before: Counted | undefined, { limit, windowMs }: RateLimit, now: number): Decision {
  const windowStartedAt = now - (now % windowMs);
  const same = before?.windowStartedAt === windowStartedAt && before.windowMs === windowMs;
  const requests = same ? before.requests : 0;
  const allowed = requests < limit;
  const counted = { windowStartedAt, windowMs, requests: allowed ? requests + 1 : requests };
  return {
    allowed,
    limit,
    remaining: Math.max(0, limit - counted.requests),
    resetSeconds: Math.max(1, Math.ceil((windowStartedAt + windowMs - now) / 1000)),
    counted,
  };
}

/** Limits by operation; `*` is that of every operation without its own. */
export type RateLimits = Readonly<Record<string, RateLimit>>;

/** The limit of an operation: the workspace's own before the defaults, the operation's own before `*`. Undefined: unlimited. */
export function limitFor(operation: string, overrides: RateLimits, defaults: RateLimits): RateLimit | undefined {
  return own(overrides, operation) ?? own(overrides, '*') ?? own(defaults, operation) ?? own(defaults, '*');
}

function own(limits: RateLimits, operation: string): RateLimit | undefined {
  return Object.hasOwn(limits, operation) ? limits[operation] : undefined;
}
