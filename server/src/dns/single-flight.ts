import { withTimeLimit } from '../base/time-limit.ts';

/** Runs concurrent calls under one key only once. */
type SingleFlight<T> = (key: string, signal: AbortSignal, run: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/**
 * Each caller stops waiting when its own signal aborts, and then gets `aborted`. The run has a time limit of its own, so
 * that the first caller cannot abort it for the others.
 */
export function singleFlight<T>(limitMs: number, aborted: T): SingleFlight<T> {
  const inFlight = new Map<string, Promise<T>>();
  return (key, signal, run) => {
    let promise = inFlight.get(key);
    if (promise === undefined) {
      promise = withTimeLimit(limitMs, null, run).finally(() => inFlight.delete(key));
      inFlight.set(key, promise);
    }
    return unlessAborted(promise, signal, aborted);
  };
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal, aborted: T): Promise<T> {
  if (signal.aborted) return Promise.resolve(aborted);
  return new Promise((resolve, reject) => {
    const abort = () => resolve(aborted);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
