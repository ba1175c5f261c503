import type { MessagePort } from 'node:worker_threads';
import { systemClock } from '../base/clock.ts';
import { createLog } from '../base/log.ts';
import type { Callable } from '../base/threads/rpc.ts';
import type { SupervisedMethods } from '../base/threads/supervisor.ts';
import { type Parent, serveParent } from '../base/threads/thread.ts';
import type { ListeningServer, Stoppable } from '../net/listen.ts';
import { cacheDomains } from '../store/cache/cached-domains.ts';
import { startChangeFeed } from '../store/cache/change-feed.ts';
import { createInvalidations } from '../store/cache/invalidations.ts';
import { databaseAt, keyringFor } from '../store/database.ts';
import type { Deliveries } from './deliveries-role.ts';
import { watchPools } from './gauges.ts';
import { createMetrics } from './metrics.ts';
import type { RoleDeps, RoleSettings } from './roles.ts';
import { cachedBytesOf } from './thread-counts.ts';

/** A thread of roles is started with these values. */
export interface RoleThreadData {
  settings: RoleSettings;
  /** The port to the writer thread; null where the store has none. */
  writerPort: MessagePort | null;
  /** Invalidates cached domains in all threads of the process. */
  invalidations: SharedArrayBuffer;
}

/** The methods that the main thread calls in a thread of roles. */
export interface RoleThreadMethods {
  /** A change was logged: reads the change log now. */
  poll(): void;
  /** Called when a delivery may be due. */
  wake(): void;
  /** Accepts connections on the sockets that the process was given. */
  accept(): Promise<void>;
  /** The descriptors of its listening sockets. */
  fds(): number[];
}

type Roles = Stoppable & Partial<Pick<Deliveries, 'wake'> & Pick<ListeningServer, 'accept' | 'fds'>>;

/** The script of a thread of roles: opens the parts that they need, and starts them. Rejects when they do not start. */
export async function runRoleThread<Theirs extends Callable<Theirs>>(
  data: RoleThreadData,
  start: (deps: RoleDeps, main: Parent<Theirs>) => Roles | Promise<Roles>,
): Promise<void> {
  const { deps, close } = await openRoles(data);
  let roles: Roles | undefined;
  const own: RoleThreadMethods & SupervisedMethods = {
    poll: () => void deps.changes.poll(),
    wake: () => roles?.wake?.(),
    accept: async () => roles?.accept?.(),
    fds: () => roles?.fds?.() ?? [],
    snapshot: () => deps.metrics.registry.getMetricsAsJSON(),
    async stop() {
      await roles?.stop();
      await close();
      main.close();
    },
  };
  const main = serveParent<Theirs>(own);
  roles = await start(deps, main);
  main.ready();
}

/** `close` comes after the roles have stopped. */
async function openRoles({
  settings,
  writerPort,
  invalidations,
}: RoleThreadData): Promise<{ deps: RoleDeps; close(): Promise<void> }> {
  const { config } = settings;
  const clock = systemClock;
  const log = createLog(config.logLevel);
  const database = await databaseAt(config.databaseUrl);
  const keyring = keyringFor(database, config.encryptionKeys);
  const store = await database.join(writerPort, { clock, keyring });
  const changes = startChangeFeed(store, { clock, log });
  const cached = cacheDomains(store, changes, cachedBytesOf(config), createInvalidations(invalidations));
  const metrics = createMetrics({ ofProcess: false });
  watchPools(store, metrics);
  return {
    deps: { ...settings, clock, log, metrics, store: cached, uncached: store, changes, keyring },
    async close() {
      await changes.stop();
      await store.close();
    },
  };
}
