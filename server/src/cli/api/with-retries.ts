import { NameplateError, UnexpectedResponse } from '../../../../client/client.ts';
import { askedWait, isTemporary, pause } from '../../../../client/retry.ts';
import { CliError } from '../cli-error.ts';

/** Failures in a row of the server that are waited out: half a minute in all. */
const MOST_FAILURES = 5;

/** Resolves after so many milliseconds; rejects with the reason of the signal. */
type Wait = (ms: number, signal?: AbortSignal) => Promise<unknown>;

/**
 * Calls the API again and again. While a rate limit or the server's load refuses the call, it waits for the time in
 * Retry-After; while the server fails or cannot be reached, it waits for 1, 2, 4, 8 and 16 s. For calls that may be
 * repeated. Throws any other error, the last of the failures, or the reason of the signal.
 */
export async function withRetries<T>(
  call: () => Promise<T>,
  { signal, wait = pause }: { signal?: AbortSignal; wait?: Wait } = {},
): Promise<T> {
  for (let failures = 0; ; ) {
    try {
      return await call();
    } catch (error) {
      signal?.throwIfAborted();
      const cause = error instanceof CliError ? error.cause : undefined;
      const isApi = cause instanceof NameplateError;
      const asks = isApi || (cause instanceof UnexpectedResponse && cause.retryAfter !== null);
      const isRefused = asks && cause.status === 429;
      if (!isTemporary(cause) || (!isRefused && failures === MOST_FAILURES)) throw error;
      await wait(Math.max(1000, askedWait(cause), isRefused ? 0 : 1000 * 2 ** failures), signal);
      if (!isRefused) failures += 1;
    }
  }
}
