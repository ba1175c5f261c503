/**
 * Runs work whose signal aborts after so many milliseconds, and whenever `signal` does. Unlike `AbortSignal.any` and
 * `AbortSignal.timeout`, it leaves nothing behind when the work ends before. `reason`: why it aborts at the limit;
 * `signal` has its own.
 */
export async function withTimeLimit<T>(
  limitMs: number,
  signal: AbortSignal | null,
  work: (signal: AbortSignal) => Promise<T>,
  reason?: () => Error,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => controller.abort(reason?.()), limitMs);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/**
 * Resolves as `work` does. After `limitMs` milliseconds it returns or throws as `late` does; the work goes on, and its
 * result is dropped.
 */
export async function withinTime<T>(limitMs: number, work: Promise<T>, late: () => T): Promise<T> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, limitMs);
  try {
    return await Promise.race([work, timeout.promise.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for work until the signal aborts, then rejects with its reason; the result of the work is dropped. */
export async function raceAbort<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
