import { setTimeout as delay } from 'node:timers/promises';
import { StoreUnavailable } from '../contract/store.ts';

export interface MigrateOptions {
  /** Ends the wait for another process that migrates, which rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Called once when the wait becomes long, with what the other process does ("which …"). */
  onLongWait?: (doing: string) => void;
  /** Called when a migration has run, before all are committed, with its name and how long it took, in ms. */
  onMigrated?: (name: string, ms: number) => void;
}

const TIMEOUT_MS = 30_000;
const RETRY_EVERY_MS = 50;
const LONG_WAIT_MS = 1000;

/** Calls `tryLock` until it returns true. `doing`: what another process that holds the lock does. */
export async function waitForLock(
  tryLock: () => boolean | Promise<boolean>,
  doing: string,
  { signal, onLongWait }: MigrateOptions,
): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += RETRY_EVERY_MS) {
    signal?.throwIfAborted();
    if (await tryLock()) return;
    if (waitedMs === LONG_WAIT_MS) onLongWait?.(doing);
    if (waitedMs === TIMEOUT_MS) {
      throw new StoreUnavailable(
        `another process, ${doing}, is not done after ${TIMEOUT_MS / 1000} s: wait until it is`,
      );
    }
    await delay(RETRY_EVERY_MS);
  }
}
