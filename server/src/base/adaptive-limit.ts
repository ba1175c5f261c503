/** A concurrency limit that follows the lateness of the event loop. */
export interface AdaptiveLimit {
  readonly current: number;
  /** Number of tasks that may start while `inFlight` are in flight. */
  available(inFlight: number): number;
  adjust(eventLoopLatenessMs: number): void;
}

/** The event loop serves requests too. */
const MAX_LATENESS_MS = 10;
const MIN_LIMIT = 10;
const FIRST_LIMIT = 100;
const INCREASE = 10;
const DECREASE_FACTOR = 0.7;

/**
 * Additive increase up to `max`, multiplicative decrease while the event loop is late: checks then wait for the
 * processor, not for nameservers, and more of them would only delay requests.
 */
export function adaptiveLimit(max: number): AdaptiveLimit {
  let limit = Math.min(max, FIRST_LIMIT);
  return {
    get current() {
      return limit;
    },
    available: (inFlight) => limit - inFlight,
    adjust(latenessMs) {
      const next =
        latenessMs > MAX_LATENESS_MS ? Math.max(MIN_LIMIT, Math.ceil(limit * DECREASE_FACTOR)) : limit + INCREASE;
      limit = Math.min(max, next);
    },
  };
}

/** A limit that stays as it is, for work whose shares count on it. */
export function fixedLimit(limit: number): AdaptiveLimit {
  return { current: limit, available: (inFlight) => limit - inFlight, adjust() {} };
}
