import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../base/log.ts';

/** Waits for the store, in a process that was started while it could not be reached. */
export interface LateStart {
  /** Rejects when the process stops before. */
  storeOpened: Promise<unknown>;
  signal: AbortSignal;
}

const RETRY_MS = 1000;

/**
 * Starts parts once the store is open, and again when they fail: the store may be down again, and the edge serves
 * meanwhile. Never rejects.
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
