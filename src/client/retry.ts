import { ConnectionError, NameplateError } from './nameplate-error.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** Whether the same request may succeed later. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof NameplateError) return error.status === 429 || error.status >= 500;
  return error instanceof ConnectionError;
}

/** How long to wait after an error: as long as the server asks for, or twice as long with each failure, in ms. Random, so that clients do not return all at once. */
export function backOff(error: unknown, failures: number, firstMs = FIRST_PAUSE_MS): number {
  const asked = error instanceof NameplateError && error.retryAfter !== null ? error.retryAfter * 1000 : 0;
  const doubled = Math.min(firstMs * 2 ** failures, LONGEST_PAUSE_MS);
  return Math.max(asked, doubled) * (1 + Math.random() / 4);
}

/** Rejects with the reason of the signal. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
