import { randomBytes } from 'node:crypto';
import { cacheDomains } from './cache/cached-domains.ts';
import { startChangeFeed } from './cache/change-feed.ts';
import { createInvalidations } from './cache/invalidations.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Config } from './config/config.ts';
import { WINDOW_MS } from './domain/domain.ts';
import { CHECK_INTERVAL_MS } from './domain/schedule.ts';
import type { Edge } from './edge/edge.ts';
import type { HandedOver } from './handover/inheritance.ts';
import type { Log } from './log.ts';
import { createMetrics } from './metrics.ts';
import type { InheritedSockets } from './net/inherited-sockets.ts';
import type { Stoppable } from './net/listen.ts';
import { startApi } from './roles/api-role.ts';
import { startBackground, startBackgroundThread } from './roles/background-role.ts';
import type { Deliveries } from './roles/deliveries-role.ts';
import { openEdgeCache, startEdge } from './roles/edge-role.ts';
import { startMetrics } from './roles/metrics-listener.ts';
import { openStoreOrLater } from './roles/open-store.ts';
import { watchPools } from './roles/pool-gauges.ts';
import { startPruning } from './roles/pruning.ts';
import { waitForRoleLocks } from './roles/role-locks.ts';
import { roleThreads } from './roles/role-threads.ts';
import type { RoleDeps, RoleSettings } from './roles/roles.ts';
import { type LateStart, startOnceOpen } from './roles/start-once-open.ts';
import { cachedBytesOf, hasBackgroundThread } from './roles/thread-counts.ts';
import type { Store } from './store/contract/store.ts';
import { databaseAt, keyringFor, type SharedStore } from './store/database.ts';
import { addSnapshots } from './threads/snapshots.ts';
import { createSupervisor } from './threads/supervisor.ts';
import { startGuardedClock } from './verification/guarded-clock.ts';

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
  /** Listening sockets of another process, or of systemd. */
  inherited?: InheritedSockets | undefined;
  /** By which the API knows requests that the edge forwards: that of the process before, whose edge still forwards some; a new one unless given. */
  edgeSecret?: string | undefined;
  /** It replaces a process that is still serving: nothing of the store is migrated, and `accept` begins what only one process may do. */
  isSuccessor?: boolean;
}

export interface RunningServer {
  /** `http://host:port`; null where the process has no such listener. */
  api: string | null;
  edge: Omit<Edge, 'stop'> | null;
  metrics: string | null;
  store: Store;
  /** Resolves when a thread has ended that the process cannot do without; the log says which. */
  failed: Promise<void>;
  /**
   * Accepts connections on the sockets that were inherited. A successor also starts the roles that only one process may run, as soon as the process before it
   * has given them up.
   */
  accept(): Promise<void>;
  /** What a successor is given. */
  handOver(): Promise<HandedOver>;
  /** Another process answers health checks and writes the edge cache from now on. */
  leave(): Promise<void>;
  /** Stops accepting, gives up the roles that only one process may run, drains for NAMEPLATE_DRAIN_SECONDS, and closes the store. */
  stop(): Promise<void>;
}

/** Starts the configured roles. When one fails it stops the others, and rejects with one line that says what to do. */
export async function startServer(config: Config, options: ServerOptions): Promise<RunningServer> {
  const { clock = systemClock, log, onAttempt, signal, inherited, isSuccessor = false } = options;
  const database = await databaseAt(config.databaseUrl);
  const keyring = keyringFor(database, config.encryptionKeys);
  const metrics = createMetrics();
  const supervisor = createSupervisor({ log, metrics });
  const edgeCache = openEdgeCache(config, { database: database.name, keyring, clock, log, metrics });
  const openDeps = { config, clock, log, database, keyring, supervisor, edgeCache, signal, isSuccessor };
  const { store, opened, giveUp, isLate } = await openStoreOrLater(openDeps);
  watchPools(store, metrics);
  const ending = new AbortController();
  const late: LateStart | null = isLate ? { storeOpened: opened, signal: ending.signal } : null;
  metrics.storeOpen.set(isLate ? 0 : 1);
  let unlock = () => {};
  let newWriterPort: SharedStore['newWriterPort'] = () => null;
  /** Of these, the caches need the last ones for as long as anything is served. */
  const parts = { roles: [] as Stoppable[], listeners: [] as Stoppable[], feeds: [] as Stoppable[] };
  const stopAll = async (group: Stoppable[]) => {
    const stopped = await Promise.allSettled(group.splice(0).map((part) => part.stop()));
    for (const part of stopped) if (part.status === 'rejected') throw part.reason;
  };
  const track = <T extends Stoppable>(group: Stoppable[], part: T): T => {
    group.push(part);
    return part;
  };
  const starting: Promise<unknown>[] = [];
  /** For parts that start side by side: each loads a thread, or waits for one. */
  const begin = <T extends Stoppable>(group: Stoppable[], part: T | Promise<T>): Promise<T> => {
    const started = Promise.resolve(part).then((each) => track(group, each));
    starting.push(started);
    started.catch(() => {});
    return started;
  };
  const stop = async () => {
    ending.abort();
    giveUp();
    await Promise.allSettled(starting);
    const stopping = [stopAll(parts.roles), stopAll(parts.listeners)];
    // They claim no more. What they are still doing is claimed, and nobody else does it.
    unlock();
    const stopped = await Promise.allSettled(stopping);
    stopped.push(...(await Promise.allSettled([stopAll(parts.feeds)])));
    const open = await opened.catch(() => null);
    await open?.store.close();
    for (const part of stopped) if (part.status === 'rejected') throw part.reason;
  };
  try {
    const changes = track(parts.feeds, startChangeFeed(store, { clock, log }));
    const taken = opened.then((its) => {
      ({ unlock, newWriterPort } = its);
    });
    if (late === null) await taken;
    else {
      const isOpen = () => metrics.storeOpen.set(1);
      starting.push(taken.then(changes.poll).then(isOpen, () => {}));
    }
    const invalidations = createInvalidations();
    const cached = cacheDomains(store, changes, cachedBytesOf(config), invalidations);
    const leases = { certificateLeaseMs: 60_000, deliveryLeaseMs: 30_000 };
    const times = { ...leases, checkIntervalMs: CHECK_INTERVAL_MS, windowMs: WINDOW_MS };
    const edgeSecret = options.edgeSecret ?? randomBytes(32).toString('base64url');
    const base = { nameserverPort: 53, ...times, ...options, config, manyNodes: database.manyNodes, edgeSecret };
    const here = { clock, log, metrics, changes, store: cached, uncached: store, supervisor, onAttempt, inherited };
    const startingEdge = config.roles.includes('edge')
      ? begin(parts.listeners, startEdge({ ...base, ...here, edgeCache }))
      : null;
    const settings = settingsOf(base, options.challengePort === 'edge' ? await startingEdge : null);
    const threads = roleThreads({ supervisor, settings, invalidations, newWriterPort: () => newWriterPort() });
    const deps: RoleDeps = { ...settings, ...here };
    let background: Deliveries | undefined;
    const startRoles = async () => {
      background = await (hasBackgroundThread(config) ? startBackgroundThread(threads) : startBackground(deps));
      return background;
    };
    /** What nobody needs before the store is open. */
    const startOthers = async () => {
      const guarded = track(parts.roles, startGuardedClock({ clock, store, log, metrics }));
      await guarded.ready;
      if (!isSuccessor) await begin(parts.roles, startRoles());
      track(parts.roles, startPruning({ ...deps, clock: guarded }));
      track(
        parts.feeds,
        database.listen({
          onDelivery: () => background?.wake(),
          onChange() {
            threads.poll();
            return changes.poll();
          },
        }),
      );
    };
    const startingOthers = late === null ? startOthers() : null;
    if (late !== null) starting.push(startOnceOpen(late, startOthers, log));
    const startingApi = config.roles.includes('api')
      ? begin(parts.listeners, startApi({ ...deps, supervisor, threads, inherited, late }))
      : null;
    const [edge, api] = await Promise.all([startingEdge, startingApi, startingOthers]);
    addSnapshots(metrics.registry, supervisor.snapshots);
    const scraped = config.metricsListen
      ? track(parts.listeners, await startMetrics({ ...deps, inherited }, config.metricsListen))
      : null;
    const listening = [edge, api, scraped].filter((part) => part !== null);
    inherited?.closeRest();
    return {
      api: api?.address ?? null,
      edge,
      metrics: scraped?.address ?? null,
      store: cached,
      failed: supervisor.failed,
      async accept() {
        await Promise.all(listening.map((part) => part.accept()));
        if (!isSuccessor) return;
        const taking = waitForRoleLocks(database, config, { signal: ending.signal, log }).then((release) => {
          unlock = release;
          return startRoles();
        });
        begin(parts.roles, taking).catch((error: unknown) => {
          if (!ending.signal.aborted) supervisor.lost('background', error);
        });
      },
      async handOver() {
        await edge?.save();
        const sockets = await Promise.all(listening.map((part) => part.sockets()));
        return { sockets: sockets.flat(), edgeSecret };
      },
      leave: async () => edge?.leave(),
      stop,
    };
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
