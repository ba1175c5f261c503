import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../base/log.ts';

/** Of a process that was started while the store could not be reached. */
export interface LateStart {
  /** Rejects when the process stops before. */
  storeOpened: Promise<unknown>;
  signal: AbortSignal;
}

const RETRY_MS = 1000;

/**
 * Starts parts that need the store, once it is open, and again when they fail to: the store may be away again, and the edge serves meanwhile. Never
 * rejects.
 */
export async function startOnceOpen(
  { storeOpened, signal }: LateStart,
  start: () => Promise<unknown>,
  log: Log,
): Promise<void> {
  if (!(await storeOpened.then(Boolean, () => false))) return;
  while (!signal.aborted) {
    try {
      await start();
      return;
    } catch (error) {
      log.error({ err: error }, 'a part of the process could not be started; trying again');
    }
    await delay(RETRY_MS, undefined, { signal, ref: false }).catch(() => {});
  }
}
