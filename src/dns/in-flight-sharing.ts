/** Runs what is asked for under one key at the same time only once. */
export type Share<T> = (key: string, signal: AbortSignal, run: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/**
 * Each who waits stops at the end of its own signal, and then gets `late`. The run itself ends at its own time limit,
 * so that who came first cannot take the answer away from the others.
 */
export function sharing<T>(limitMs: number, late: T): Share<T> {
  const running = new Map<string, Promise<T>>();
  return (key, signal, run) => {
    let promise = running.get(key);
    if (promise === undefined) {
      promise = run(AbortSignal.timeout(limitMs)).finally(() => running.delete(key));
      running.set(key, promise);
    }
    return untilEnd(promise, signal, late);
  };
}

function untilEnd<T>(promise: Promise<T>, signal: AbortSignal, late: T): Promise<T> {
  if (signal.aborted) return Promise.resolve(late);
  return new Promise((resolve, reject) => {
    const stop = () => resolve(late);
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
