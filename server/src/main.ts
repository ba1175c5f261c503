import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from './base/clock.ts';
import type { Log } from './base/log.ts';
import { addSnapshots } from './base/threads/snapshots.ts';
import { createSupervisor, type Supervisor } from './base/threads/supervisor.ts';
import type { Config } from './config/config.ts';
import { WINDOW_MS } from './domain/domain.ts';
import { CHECK_INTERVAL_MS } from './domain/schedule.ts';
import type { Edge } from './edge/edge.ts';
import type { HandedOver } from './net/handover/inheritance.ts';
import type { InheritedSockets } from './net/inherited-sockets.ts';
import type { Deliveries } from './roles/deliveries-role.ts';
import { startEdgeHeartbeat } from './roles/edge-heartbeat.ts';
import { openEdgeCache, startEdge } from './roles/edge-role.ts';
import { watchPools } from './roles/gauges.ts';
import { createMetrics, type Metrics } from './roles/metrics.ts';
import { startMetrics } from './roles/metrics-listener.ts';
import { type OpenedStore, openStoreOrLater } from './roles/open-store.ts';
import { createParts, type Parts } from './roles/parts.ts';
import { startPruning } from './roles/pruning.ts';
import { waitForRoleLocks } from './roles/role-locks.ts';
import { type RoleThreads, roleThreads, startBackgroundThread } from './roles/role-threads.ts';
import type { RoleDeps, RoleSettings } from './roles/roles.ts';
import { type LateStart, startOnceOpen } from './roles/start-once-open.ts';
import { cachedBytesOf, hasBackgroundThread, runsInBackground } from './roles/thread-counts.ts';
import { cacheDomains } from './store/cache/cached-domains.ts';
import { startChangeFeed } from './store/cache/change-feed.ts';
import { createInvalidations } from './store/cache/invalidations.ts';
import { type Database, databaseAt, keyringFor } from './store/database.ts';
import type { Keyring } from './store/sealing/keyring.ts';
import type { Store } from './store/store.ts';
import { startGuardedClock } from './verification/guarded-clock.ts';

/** The composition root of a server: configuration → store → roles and their threads → listeners → shutdown. */

interface ServerOptions {
  log: Log;
  /** Used by what runs in this thread: everything but the edge, with `apiThreads` 0. */
  clock?: Clock;
  /** Port of nameservers; 53 unless given. */
  nameserverPort?: number;
  /** Port of HTTP-01 challenges and self-checks; 80 unless given. `edge`: that of this process's own edge. */
  challengePort?: number | 'edge';
  /** A crashed process delays a certificate by this long at most; a minute unless given. */
  certificateLeaseMs?: number;
  /** A crashed process delays a delivery to a webhook by this long at most; 30 s unless given. */
  deliveryLeaseMs?: number;
  checkIntervalMs?: number;
  windowMs?: number;
  /** Called with each attempt to deliver an event to a webhook, with `apiThreads` 0. */
  onAttempt?: RoleDeps['onAttempt'];
  /** Browsers reach the API where it listens, whatever the port. */
  isPublicHere?: boolean;
  /** As in `RoleSettings`. */
  internalCaaNames?: readonly string[];
  /** Aborts a start that waits for another process. */
  signal?: AbortSignal;
  /** Listening sockets of another process, or of systemd. */
  inherited?: InheritedSockets | undefined;
  /**
   * The secret by which the API knows requests that the edge forwards. A successor has that of its predecessor, whose
   * edge still forwards some; a new one unless given.
   */
  edgeSecret?: string | undefined;
  /**
   * It replaces a process that is still serving: the schema is not migrated, and `accept` starts the roles that only
   * one process may run.
   */
  isSuccessor?: boolean;
}

export interface RunningServer {
  /** `http://host:port`; null where the process has no such listener. */
  api: string | null;
  edge: Omit<Edge, 'stop'> | null;
  /** `host:port` of each DNS listener, for UDP and TCP. */
  dns: readonly string[] | null;
  metrics: string | null;
  store: Store;
  /** Resolves when a thread has ended that the process needs; the log says which. */
  failed: Promise<void>;
  /**
   * Accepts connections on the sockets that were inherited. A successor also starts the roles that only one process may
   * run, as soon as the process before it has given them up.
   */
  accept(): Promise<void>;
  /** Returns the sockets and the secret that a successor takes over. */
  handOver(): Promise<HandedOver>;
  /** Another process answers health checks and writes the edge cache from now on. */
  leave(): Promise<void>;
  /**
   * Stops accepting, gives up the roles that only one process may run, drains for NAMEPLATE_DRAIN_SECONDS, and closes
   * the store.
   */
  stop(): Promise<void>;
}

/** Starts the configured roles. When one fails it stops the others, and rejects with one line that says what to do. */
export async function startServer(config: Config, options: ServerOptions): Promise<RunningServer> {
  const { clock = systemClock, log, signal, isSuccessor = false } = options;
  const database = await databaseAt(config.databaseUrl);
  const keyring = keyringFor(database, config.encryptionKeys);
  const metrics = createMetrics();
  const supervisor = createSupervisor({ log, metrics });
  const edgeCache = openEdgeCache(config, { database: database.name, keyring, clock, log, metrics });
  const openDeps = { config, clock, log, database, keyring, supervisor, edgeCache, signal, isSuccessor };
  const opening = await openStoreOrLater(openDeps);
  watchPools(opening.store, metrics);
  metrics.storeOpen.set(opening.isLate ? 0 : 1);
  const parts = createParts();
  const ending = new AbortController();
  const stop = async () => {
    ending.abort();
    opening.giveUp();
    await parts.stop().finally(async () => {
      const opened = await opening.opened.catch(() => null);
      await opened?.store.close();
    });
  };
  try {
    const process = { config, options, clock, database, keyring, metrics, supervisor, edgeCache, opening, parts };
    return { ...(await startParts({ ...process, ending: ending.signal })), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The parts of a process are started with these. */
interface Process {
  config: Config;
  options: ServerOptions;
  clock: Clock;
  database: Database;
  keyring: Keyring;
  metrics: Metrics;
  supervisor: Supervisor;
  edgeCache: ReturnType<typeof openEdgeCache>;
  opening: Awaited<ReturnType<typeof openStoreOrLater>>;
  parts: Parts;
  /** Aborts when the process stops. */
  ending: AbortSignal;
}

async function startParts(process: Process): Promise<Omit<RunningServer, 'stop'>> {
  const { config, options, clock, database, keyring, metrics, supervisor, edgeCache, opening, parts, ending } = process;
  const { log, onAttempt, inherited, isSuccessor = false } = options;
  const { store } = opening;
  const late: LateStart | null = opening.isLate ? { storeOpened: opening.opened, signal: ending } : null;
  const changes = parts.add('feeds', startChangeFeed(store, { clock, log }));
  let opened: OpenedStore | undefined;
  const taken = opening.opened.then((its) => {
    opened = its;
    parts.add('locks', { stop: async () => its.unlock() });
  });
  if (late === null) await taken;
  else {
    const isOpen = () => metrics.storeOpen.set(1);
    parts.waitFor(taken.then(changes.poll).then(isOpen, () => {}));
  }

  const invalidations = createInvalidations();
  const cached = cacheDomains(store, changes, cachedBytesOf(config), invalidations);
  const leases = { certificateLeaseMs: 60_000, deliveryLeaseMs: 30_000 };
  const times = { ...leases, checkIntervalMs: CHECK_INTERVAL_MS, windowMs: WINDOW_MS };
  const edgeSecret = options.edgeSecret ?? randomBytes(32).toString('base64url');
  const base = { nameserverPort: 53, ...times, ...options, config, manyNodes: database.manyNodes, edgeSecret };
  const here = {
    clock,
    log,
    metrics,
    changes,
    keyring,
    store: cached,
    uncached: store,
    supervisor,
    onAttempt,
    inherited,
  };
  const startingEdge = config.roles.includes('edge')
    ? parts.begin('listeners', startEdge({ ...base, ...here, edgeCache }))
    : null;
  const startingDns = config.roles.includes('dns') ? parts.begin('listeners', startDns({ ...base, ...here })) : null;
  const settings = settingsOf(base, options.challengePort === 'edge' ? await startingEdge : null);
  const newWriterPort = () => opened?.newWriterPort() ?? null;
  const threads = roleThreads({ supervisor, settings, invalidations, newWriterPort });
  const deps: RoleDeps = { ...settings, ...here };
  const background = backgroundOf(process, deps, threads);

  const startingBackground = late === null ? background.start() : null;
  if (late !== null) parts.waitFor(startOnceOpen(late, background.start, log));
  const startingApi = config.roles.includes('api')
    ? parts.begin('listeners', startApi({ ...deps, supervisor, threads, inherited, late }))
    : null;
  const [edge, dns, api] = await Promise.all([startingEdge, startingDns, startingApi, startingBackground]);
  addSnapshots(metrics.registry, supervisor.snapshots);
  const scraped = config.metricsListen
    ? parts.add('listeners', await startMetrics({ ...deps, inherited }, config.metricsListen))
    : null;
  const listening = [edge, dns, api, scraped].filter((part) => part !== null);
  inherited?.closeRest();
  return {
    api: api?.address ?? null,
    edge,
    dns: dns?.addresses ?? null,
    metrics: scraped?.address ?? null,
    store: cached,
    failed: supervisor.failed,
    async accept() {
      await Promise.all(listening.map((part) => part.accept()));
      if (isSuccessor) background.startRolesOnceFree();
    },
    async handOver() {
      await edge?.save();
      const sockets = await Promise.all(listening.map((part) => part.sockets()));
      return { sockets: sockets.flat(), edgeSecret };
    },
    leave: async () => edge?.leave(),
  };
}

/** Loads the code of the DNS server only where it answers. */
async function startDns(deps: Parameters<typeof import('./roles/dns-role.ts').startDns>[0]) {
  const role = await import('./roles/dns-role.ts');
  return role.startDns(deps);
}

/** Loads the API's code only where it is served. */
async function startApi(deps: Parameters<typeof import('./roles/api-role.ts').startApi>[0]) {
  const role = await import('./roles/api-role.ts');
  return role.startApi(deps);
}

/** A process with neither of the roles of the background. */
const NOTHING: Deliveries = { wake() {}, stop: async () => {} };

/** Parts that need the open store: checks, deliveries and certificates, pruning, and the change feed. */
function backgroundOf(
  { config, options, clock, database, metrics, supervisor, parts, ending }: Process,
  deps: RoleDeps,
  threads: RoleThreads,
) {
  const { log, isSuccessor = false } = options;
  let deliveries: Deliveries | undefined;

  async function startRoles(): Promise<Deliveries> {
    if (!runsInBackground(config)) return NOTHING;
    if (hasBackgroundThread(config)) deliveries = await startBackgroundThread(threads);
    else deliveries = (await import('./roles/background-role.ts')).startBackground(deps);
    return deliveries;
  }

  return {
    async start(): Promise<void> {
      const guarded = parts.add('roles', startGuardedClock({ clock, store: deps.store, log, metrics }));
      await guarded.ready;
      if (!isSuccessor) await parts.begin('roles', startRoles());
      parts.add('roles', startPruning({ ...deps, clock: guarded }));
      const heartbeat = startEdgeHeartbeat(deps);
      if (heartbeat !== null) parts.add('roles', heartbeat);
      const onChange = () => {
        threads.poll();
        return deps.changes.poll();
      };
      parts.add('feeds', database.listen({ onDelivery: () => deliveries?.wake(), onChange }));
    },
    /** Starts the roles that only one process may run, once the process before this one has given them up. */
    startRolesOnceFree(): void {
      const starting = waitForRoleLocks(database, config, { signal: ending, log }).then((release) => {
        parts.add('locks', { stop: async () => release() });
        return startRoles();
      });
      parts.begin('roles', starting).catch((error: unknown) => {
        if (!ending.aborted) supervisor.lost('background', error);
      });
    },
  };
}

/** The settings that all threads of the process share. */
function settingsOf(
  base: Omit<RoleSettings, 'challengePort'> & Pick<ServerOptions, 'challengePort'>,
  edge: Pick<Edge, 'http' | 'https'> | null,
): RoleSettings {
  const { manyNodes, nameserverPort, certificateLeaseMs, deliveryLeaseMs, checkIntervalMs, windowMs } = base;
  const { challengePort: given = 80, isPublicHere = false, internalCaaNames = [], edgeSecret } = base;
  const challengePort = given === 'edge' ? Number(new URL(edge?.http ?? 'http://none').port) : given;
  // 0: the edge is public at whichever port it listens.
  const edgeHttpsPort = base.config.edgeHttpsPort || Number(new URL(edge?.https ?? 'https://none').port || 443);
  const config = { ...base.config, edgeHttpsPort };
  const leases = { certificateLeaseMs, deliveryLeaseMs };
  const times = { checkIntervalMs, windowMs };
  const rest = { isPublicHere, internalCaaNames, edgeSecret };
  return { config, manyNodes, nameserverPort, challengePort, ...leases, ...times, ...rest };
}
