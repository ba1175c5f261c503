import type { MessagePort } from 'node:worker_threads';
import { cacheDomains } from '../cache/cached-domains.ts';
import { startChangeFeed } from '../cache/change-feed.ts';
import { createInvalidations } from '../cache/invalidations.ts';
import { systemClock } from '../clock.ts';
import { createLog } from '../log.ts';
import { createMetrics } from '../metrics.ts';
import { databaseAt, keyringFor } from '../store/database.ts';
import type { RoleDeps, RoleSettings } from './roles.ts';
import { cachedBytesOf } from './thread-counts.ts';

/** What a thread of roles is started with. */
export interface RoleThreadData {
  settings: RoleSettings;
  /** To the writer thread; null where the store has none. */
  writerPort: MessagePort | null;
  /** Of cached domains, in all threads of the process. */
  invalidations: SharedArrayBuffer;
}

/** What the main thread calls in a thread of roles. */
export interface RoleThreadMethods {
  /** A change was logged: reads the change log now. */
  poll(): void;
}

/** In a thread of roles: opens what they need. `close` is for when they have stopped. */
export async function openRoleThread({
  settings,
  writerPort,
  invalidations,
}: RoleThreadData): Promise<{ deps: RoleDeps; close(): Promise<void> }> {
  const { config } = settings;
  const clock = systemClock;
  const log = createLog(config.logLevel);
  const database = await databaseAt(config.databaseUrl);
  const store = await database.join(writerPort, { clock, keyring: keyringFor(database, config.encryptionKeys) });
  const changes = startChangeFeed(store, { clock, log });
  const cached = cacheDomains(store, changes, cachedBytesOf(config), createInvalidations(invalidations));
  const metrics = createMetrics({ ofProcess: false });
  return {
    deps: { ...settings, clock, log, metrics, store: cached, uncached: store, changes },
    async close() {
      await changes.stop();
      await store.close();
    },
  };
}
