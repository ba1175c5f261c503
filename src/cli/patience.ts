import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ServerUnreachable } from './api-client.ts';

/** Failures in a row of the server that are waited out: half a minute in all. */
const MOST_FAILURES = 5;

/**
 * Calls the API again and again: after the time in Retry-After while a rate limit or the server's load refuses the call; after 1, 2, 4, 8 and 16 s
 * while the server fails or cannot be reached. For calls that may be repeated. Throws any other error, and the last of the failures.
 */
export async function patiently<T>(call: () => Promise<T>, wait: (ms: number) => Promise<unknown> = sleep): Promise<T> {
  for (let failures = 0; ; ) {
    try {
      return await call();
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status === 429;
      const isFailure = error instanceof ServerUnreachable || (error instanceof ApiError && error.status >= 500);
      if (!isRefused && !(isFailure && failures < MOST_FAILURES)) throw error;
      const seconds = (error instanceof ApiError ? error.retryAfter : null) ?? 0;
      await wait(1000 * Math.max(1, seconds, isRefused ? 0 : 2 ** failures));
      if (isFailure) failures += 1;
    }
  }
}
