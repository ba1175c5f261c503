import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../store/database.ts';

/** Roles that only one process may run on a SQLite file. */
const SINGLE: Config['roles'] = ['verifier'];

const RETRY_EVERY_MS = 50;
const LONG_WAIT_MS = 10_000;

/**
 * Takes the locks of those of the configured roles that only one process may run. Returns a function that releases
 * them; rejects when another process has them.
 */
export function takeRoleLocks(
  database: Pick<Database, 'lockRoles'>,
  { roles }: Pick<Config, 'roles'>,
): Promise<() => void> {
  return database.lockRoles(roles.filter((role) => SINGLE.includes(role)));
}

/**
 * Takes the locks once the process that has them gives them up, however long that takes. Rejects when `signal` aborts.
 */
export async function waitForRoleLocks(
  database: Pick<Database, 'lockRoles'>,
  config: Pick<Config, 'roles'>,
  { signal, log }: { signal: AbortSignal; log: Pick<Log, 'warn'> },
): Promise<() => void> {
  const startedAt = performance.now();
  let hasWarned = false;
  for (;;) {
    signal.throwIfAborted();
    try {
      return await takeRoleLocks(database, config);
    } catch (error) {
      if (!hasWarned && performance.now() - startedAt >= LONG_WAIT_MS) {
        hasWarned = true;
        log.warn({ err: error }, 'checks, deliveries and certificates still wait for another process');
      }
    }
    await delay(RETRY_EVERY_MS, undefined, { signal });
  }
}
