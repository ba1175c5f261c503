import { randomBytes } from 'node:crypto';
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
import { openEdgeCache, startEdge } from './roles/edge-role.ts';
import { startMetrics } from './roles/metrics-listener.ts';
import { openStoreOrLater } from './roles/open-store.ts';
import { startPruning } from './roles/pruning.ts';
import { roleThreads } from './roles/role-threads.ts';
import type { RoleDeps, RoleSettings } from './roles/roles.ts';
import { type LateStart, startOnceOpen } from './roles/start-once-open.ts';
import { cachedBytesOf, hasBackgroundThread } from './roles/thread-counts.ts';
import type { Store } from './store/contract/store.ts';
import { databaseAt, keyringFor, type SharedStore } from './store/database.ts';
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
  const keyring = keyringFor(database, config.encryptionKeys);
  const metrics = createMetrics();
  const supervisor = createSupervisor({ log, metrics });
  const edgeCache = openEdgeCache(config, { database: database.name, keyring, clock, log, metrics });
  const openDeps = { config, clock, log, database, keyring, supervisor, edgeCache, signal };
  const { store, opened, giveUp, isLate } = await openStoreOrLater(openDeps);
  const stopping = new AbortController();
  const late: LateStart | null = isLate ? { storeOpened: opened, signal: stopping.signal } : null;
  metrics.storeOpen.set(isLate ? 0 : 1);
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
    stopping.abort();
    giveUp();
    await Promise.allSettled(starting);
    const stopped = await Promise.allSettled(running.splice(0).map((part) => part.stop()));
    await opened.then(
      (its) => its.close(),
      () => {},
    );
    for (const part of stopped) if (part.status === 'rejected') throw part.reason;
  };
  try {
    const changes = track(startChangeFeed(store, { clock, log }));
    const invalidations = createInvalidations();
    const cached = cacheDomains(store, changes, cachedBytesOf(config), invalidations);
    const leases = { certificateLeaseMs: 60_000, deliveryLeaseMs: 30_000 };
    const times = { ...leases, checkIntervalMs: CHECK_INTERVAL_MS, windowMs: WINDOW_MS };
    const edgeSecret = randomBytes(32).toString('base64url');
    const base = { nameserverPort: 53, ...times, ...options, config, manyNodes: database.manyNodes, edgeSecret };
    const here = { clock, log, metrics, changes, store: cached, uncached: store, supervisor, onAttempt };
    const startingEdge = config.roles.includes('edge') ? begin(startEdge({ ...base, ...here, edgeCache })) : null;
    const settings = settingsOf(base, options.challengePort === 'edge' ? await startingEdge : null);
    const deps: RoleDeps = { ...settings, ...here };
    let newWriterPort: SharedStore['newWriterPort'] = () => null;
    const threads = roleThreads({ supervisor, settings, invalidations, newWriterPort: () => newWriterPort() });

    /** What nobody needs before the store is open. */
    async function startOthers(): Promise<void> {
      const { wake } = await begin(
        hasBackgroundThread(config) ? startBackgroundThread(threads) : startBackground(deps),
      );
      track(startPruning(deps));
      track(
        database.listen({
          onDelivery: wake,
          onChange() {
            threads.poll();
            return changes.poll();
          },
        }),
      );
    }

    const ready = opened.then((its) => {
      newWriterPort = its.newWriterPort;
    });
    if (late === null) await ready;
    else
      starting.push(
        ready
          .then(() => changes.poll())
          .then(
            () => metrics.storeOpen.set(1),
            () => {},
          ),
      );
    const startingApi = config.roles.includes('api') ? begin(startApi({ ...deps, supervisor, threads, late })) : null;
    const startingOthers = late === null ? startOthers() : null;
    if (late !== null) starting.push(startOnceOpen(late, startOthers, log));
    const [edge, api] = await Promise.all([startingEdge, startingApi, startingOthers]);
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
  const { challengePort: given = 80, isPublicHere = false, edgeSecret } = base;
  const challengePort = given === 'edge' ? Number(new URL(edge?.http ?? 'http://none').port) : given;
  const leases = { certificateLeaseMs, deliveryLeaseMs };
  const times = { checkIntervalMs, windowMs };
  return { config, manyNodes, nameserverPort, challengePort, ...leases, ...times, isPublicHere, edgeSecret };
}
