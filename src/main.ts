import { cacheDomains } from './cache/cached-domains.ts';
import { startChangeFeed } from './cache/change-feed.ts';
import { createInvalidations } from './cache/invalidations.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Config } from './config/config.ts';
import { WINDOW_MS } from './domain/domain.ts';
import { CHECK_INTERVAL_MS } from './domain/schedule.ts';
import type { Edge } from './edge/edge.ts';
import type { Log } from './log.ts';
import { createMetrics } from './metrics.ts';
import type { Stoppable } from './net/listen.ts';
import { startApi } from './roles/api-role.ts';
import { startBackground, startBackgroundThread } from './roles/background-role.ts';
import { deliversEvents } from './roles/deliveries-role.ts';
import { startEdge } from './roles/edge-role.ts';
import { startMetrics } from './roles/metrics-listener.ts';
import { startPruning } from './roles/pruning.ts';
import { roleThreads } from './roles/role-threads.ts';
import type { RoleDeps, RoleSettings } from './roles/roles.ts';
import { cachedBytesOf, hasBackgroundThread } from './roles/thread-counts.ts';
import { upkeepLog } from './roles/upkeep-log.ts';
import type { Store } from './store/contract/store.ts';
import { databaseAt, keyringFor } from './store/database.ts';
import type { Keyring } from './store/sealing/keyring.ts';
import { missingKeys, sealPlaintextSecrets } from './store/sealing/rotation.ts';
import { addSnapshots } from './threads/snapshots.ts';
import { createSupervisor } from './threads/supervisor.ts';

/** The composition root of a server: configuration → store → roles and their threads → listeners → shutdown. */

interface ServerOptions {
  log: Log;
  /** Of what runs in this thread: everything but the edge, with `apiThreads` 0. */
  clock?: Clock;
  /** Port of nameservers; 53 unless given. */
  nameserverPort?: number;
  /** Port of HTTP-01 challenges and self-checks; 80 unless given. `edge`: that of this process's own edge. */
  challengePort?: number | 'edge';
  /** A crashed process delays a certificate by this long at most; a minute unless given. */
  certificateLeaseMs?: number;
  /** The same of a delivery to a webhook; 30 s unless given. */
  deliveryLeaseMs?: number;
  checkIntervalMs?: number;
  windowMs?: number;
  /** Told of each attempt to deliver an event to a webhook, with `apiThreads` 0. */
  onAttempt?: RoleDeps['onAttempt'];
  /** Browsers reach the API where it listens, whatever the port. */
  isPublicHere?: boolean;
  /** Aborts a start that waits for another process. */
  signal?: AbortSignal;
}

export interface RunningServer {
  /** `http://host:port`; null where the process has no such listener. */
  api: string | null;
  edge: Omit<Edge, 'stop'> | null;
  metrics: string | null;
  store: Store;
  /** Resolves when a thread has ended that the process cannot do without; the log says which. */
  failed: Promise<void>;
  /** Closes the listeners, gives work in flight `GRACE_MS` to finish, and closes the store. */
  stop(): Promise<void>;
}

/** Starts the configured roles. When one fails it stops the others, and rejects with one line that says what to do. */
export async function startServer(config: Config, options: ServerOptions): Promise<RunningServer> {
  const { clock = systemClock, log, onAttempt, signal } = options;
  const database = await databaseAt(config.databaseUrl);
  // Locked before the migration, so that a second process does not migrate under the first.
  const unlock = await database.lockRoles(config.roles.filter((role) => role === 'verifier'));
  const onLongWait = (doing: string) => log.warn(`waiting for another process, ${doing}`);
  const keyring = keyringFor(database, config.encryptionKeys);
  const metrics = createMetrics();
  const supervisor = createSupervisor({ log, metrics });
  const onWriterLost = (error: unknown) => supervisor.lost('writer', error);
  const { store, newWriterPort } = await database
    .migrate({ onLongWait, ...(signal && { signal }) })
    .then(() => database.openShared({ clock, keyring, onWriterLost, onUpkeepFailed: upkeepLog(log, clock) }))
    .catch((error: unknown) => {
      unlock();
      throw error;
    });
  const running: Stoppable[] = [];
  const track = <T extends Stoppable>(part: T): T => {
    running.push(part);
    return part;
  };
  const starting: Promise<unknown>[] = [];
  /** For parts that start side by side: each loads a thread, or waits for one. */
  const begin = <T extends Stoppable>(part: T | Promise<T>): Promise<T> => {
    const started = Promise.resolve(part).then(track);
    starting.push(started);
    started.catch(() => {});
    return started;
  };
  const stop = async () => {
    await Promise.allSettled(starting);
    const stopped = await Promise.allSettled(running.splice(0).map((part) => part.stop()));
    await store.close();
    unlock();
    for (const part of stopped) if (part.status === 'rejected') throw part.reason;
  };
  try {
    // A verifier that delivers nothing uses no secrets.
    if (config.roles.some((role) => role !== 'verifier') || deliversEvents(config))
      await sealAllSecrets(store, keyring);
    const changes = track(startChangeFeed(store, { clock, log }));
    const invalidations = createInvalidations();
    const cached = cacheDomains(store, changes, cachedBytesOf(config), invalidations);
    const leases = { certificateLeaseMs: 60_000, deliveryLeaseMs: 30_000 };
    const times = { ...leases, checkIntervalMs: CHECK_INTERVAL_MS, windowMs: WINDOW_MS };
    const base = { nameserverPort: 53, ...times, ...options, config, manyNodes: database.manyNodes };
    const here = { clock, log, metrics, changes, store: cached, uncached: store, supervisor, onAttempt };
    const startingEdge = config.roles.includes('edge') ? begin(startEdge({ ...base, ...here })) : null;
    const settings = settingsOf(base, options.challengePort === 'edge' ? await startingEdge : null);
    const threads = roleThreads({ supervisor, settings, invalidations, newWriterPort });
    const deps: RoleDeps = { ...settings, ...here };
    track(startPruning(deps));
    const background = begin(hasBackgroundThread(config) ? startBackgroundThread(threads) : startBackground(deps));
    const startingApi = config.roles.includes('api') ? begin(startApi({ ...deps, supervisor, threads })) : null;
    const [edge, api, { wake }] = await Promise.all([startingEdge, startingApi, background]);
    track(
      database.listen({
        onDelivery: wake,
        onChange() {
          threads.poll();
          return changes.poll();
        },
      }),
    );
    addSnapshots(metrics.registry, supervisor.snapshots);
    const scraped = config.metricsListen && track(await startMetrics(deps, config.metricsListen)).address;
    return { api: api?.address ?? null, edge, metrics: scraped, store: cached, failed: supervisor.failed, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What all threads of the process are told. */
function settingsOf(
  base: Omit<RoleSettings, 'challengePort'> & Pick<ServerOptions, 'challengePort'>,
  edge: Pick<Edge, 'http'> | null,
): RoleSettings {
  const { config, manyNodes, nameserverPort, certificateLeaseMs, deliveryLeaseMs, checkIntervalMs, windowMs } = base;
  const { challengePort: given = 80, isPublicHere = false } = base;
  const challengePort = given === 'edge' ? Number(new URL(edge?.http ?? 'http://none').port) : given;
  const leases = { certificateLeaseMs, deliveryLeaseMs };
  return { config, manyNodes, nameserverPort, challengePort, ...leases, checkIntervalMs, windowMs, isPublicHere };
}

/** Seals secrets that are stored in plaintext. Rejects when some are sealed under a key that this process does not have. */
async function sealAllSecrets(store: Store, keyring: Keyring): Promise<void> {
  await sealPlaintextSecrets(store, keyring);
  const missing = await missingKeys(store, keyring);
  if (missing.length === 0) return;
  throw new Error(
    `Secrets in the store are sealed under ${missing.join(', ')}, which this process does not have. Add that key to NAMEPLATE_ENCRYPTION_KEY, or put the key file back beside the database. If the key is lost, docs/certificates.md says how to start over.`,
  );
}
