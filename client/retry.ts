import { ConnectionError, NameplateError, UnexpectedResponse } from './nameplate-error.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** Longest time of a timer, about 25 days: a longer one would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Whether the same request may succeed later. A rate limit of 0 never allows it. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (error instanceof NameplateError) {
    if (error.status === 429) return error.rateLimit !== 0;
    // A request with the same Idempotency-Key is in flight.
    if (error.status === 409) return error.retryAfter !== null;
    return error.status >= 500;
  }
  return error instanceof UnexpectedResponse && (error.status === 429 || error.status >= 500);
}

/** How long the server asks to wait, in ms; 0 where it does not say. */
export function askedWait(error: unknown): number {
  const says = error instanceof NameplateError || error instanceof UnexpectedResponse;
  return 1000 * ((says ? error.retryAfter : null) ?? 0);
}

/**
 * How long to wait after an error: as long as the server asks for, or twice as long with each failure, in ms. Random,
 * so that clients do not return all at once.
 */
export function backOff(error: unknown, failures: number, firstMs = FIRST_PAUSE_MS): number {
  const doubled = Math.min(firstMs * 2 ** failures, LONGEST_PAUSE_MS);
  return Math.max(askedWait(error), doubled) * (1 + Math.random() / 4);
}

/** Waits, 25 days at most. Rejects with the reason of the signal. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const end = () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, LONGEST_TIMER_MS));
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
