import { randomBytes, randomUUID } from 'node:crypto';
import type { Registry } from 'prom-client';
import { type Clock, systemClock } from '../base/clock.ts';
import { idMaker } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Supervisor } from '../base/threads/supervisor.ts';
import { type ThrottledWarn, throttledWarn } from '../base/throttled-log.ts';
import type { Endpoint } from '../config/config.ts';
import { addressRule } from '../net/addresses.ts';
import type { AddressLookup } from '../net/dialer.ts';
import type { InheritedSockets, ListeningPart, ListeningSockets } from '../net/inherited-sockets.ts';
import { type ThreadListeners, threadListeners } from '../net/thread-listeners.ts';
import type { ChangeFeed } from '../store/cache/change-feed.ts';
import type { EdgeStore, UsageStore } from '../store/store.ts';
import type { AccessLogSettings } from './access-log.ts';
import { startAskEndpoint } from './ask-endpoint.ts';
import type { EdgeCache, ServedLookup } from './cache/edge-cache.ts';
import { createSites } from './cache/site-cache.ts';
import { type EdgeLimits, LIMITS } from './edge-limits.ts';
import { createEdgeMetrics, type EdgeMetrics } from './edge-metrics.ts';
import type { EdgeServerSettings } from './edge-server.ts';
import { type EdgeSettingsOf, type EdgeThreads, startEdgeThreads } from './edge-threads.ts';
import { createOriginAddresses } from './routing/origin-addresses.ts';
import type { OwnApi } from './routing/route-request.ts';
import { createUsageWriter, type UsageWriter } from './usage-writer.ts';

export interface EdgeOptions {
  store: EdgeStore & Pick<UsageStore, 'addUsage'>;
  /** How often usage is written: once a minute unless given. */
  usageFlushMs?: number;
  /** Serves names that were served before while the store cannot be reached. */
  edgeCache?: EdgeCache | null;
  changes: ChangeFeed;
  clock?: Clock;
  log: Log;
  /** Those of the threads are added to it by `addSnapshots`. */
  metrics: { registry: Registry };
  /** Starts and replaces the threads. */
  supervisor: Supervisor;
  /** Finds the addresses of origins. */
  lookUp: AddressLookup;
  /** Port 0: any free port. */
  http: Endpoint | null;
  https: Endpoint | null;
  /** For a program in front, such as Caddy (`ask-endpoint.ts`); on loopback only. */
  askEndpoint?: Endpoint | null;
  /** For load balancers and process managers (`health-endpoint.ts`). */
  health?: Endpoint | null;
  /** The public port of HTTPS, for redirects. 0: the port of `https`. */
  httpsPort: number;
  /** Networks of special addresses where origins are allowed. */
  allowedNetworks: readonly string[];
  /** Networks of trusted proxies in front. */
  trustedProxies: readonly string[];
  /** Networks of peers whose connections begin with a PROXY header. */
  proxyProtocol?: readonly string[];
  accessLog?: AccessLogSettings | null;
  /** A name that has challenges without being a site: `selfCheckNameOf`. */
  selfCheckName?: string;
  /** The API of this process, if it has a name of its own. */
  api?: OwnApi | null;
  limits?: Partial<EdgeLimits>;
  /** Capacity of each thread's cache of TLS contexts, about 40 KB each. */
  tlsContexts?: number;
  /**
   * 0: no threads, everything in the caller's thread (for tests). Where threads cannot share a port (all but Linux), at
   * most 1.
   */
  threads?: number;
  /** How long connections may go on after `stop`. */
  graceMs?: number;
  /** Sockets that another process has opened for these addresses. */
  inherited?: InheritedSockets | undefined;
}

export interface Edge extends ListeningPart {
  /** `http://host:port`; null without such a listener. */
  http: string | null;
  /** `https://host:port` */
  https: string | null;
  /** `http://host:port` */
  askEndpoint: string | null;
  /** `http://host:port` */
  health: string | null;
  /** Writes the edge cache, for a process that replaces this one. */
  save(): Promise<void>;
  /** Another process answers health checks and writes the edge cache from now on. */
  leave(): Promise<void>;
  /** Writes the usage that was counted so far. */
  flushUsage(): Promise<void>;
  /** Stops accepting, drains for `graceMs`, then closes everything. */
  stop(): Promise<void>;
}

interface Deps extends Omit<EdgeOptions, 'metrics' | 'clock' | 'store'> {
  store: EdgeStore;
  addUsage: UsageWriter['add'];
  clock: Clock;
  warn: ThrottledWarn;
  metrics: EdgeMetrics;
  served: ServedLookup | null;
}

const GRACE_MS = 3000;
const SECRET_BYTES = 32;

/** Serves the customers' names over HTTP and HTTPS. Rejects when it cannot listen, with the error of the system. */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const { clock = systemClock, askEndpoint: askListen = null, edgeCache = null } = options;
  const metrics = createEdgeMetrics(options.metrics.registry);
  const running: { stop(graceMs: number): Promise<void> }[] = [];
  let serving: EdgeThreads | undefined;
  const snapshots = edgeCache?.startRecording({
    ...options,
    recentNames: async () => (await serving?.recentNames()) ?? [],
  });
  if (snapshots !== undefined) running.push(snapshots);
  const usage = createUsageWriter({
    ...options,
    take: async () => (await serving?.takeUsage()) ?? [],
    writer: randomUUID(),
    flushMs: options.usageFlushMs,
  });
  const deps: Deps = {
    ...options,
    ...{ clock, metrics, warn: throttledWarn(options.log, clock), served: edgeCache },
    store: snapshots?.store ?? options.store,
    addUsage: usage.add,
  };
  const stop = async () => {
    await Promise.all(running.splice(0).map((part) => part.stop(options.graceMs ?? GRACE_MS)));
    await usage.stop();
  };
  const opened: ThreadListeners[] = [];
  const wanted = threadsOf(options);
  const open = async (name: 'http' | 'https' | 'health' | 'front', endpoint: Endpoint | null) => {
    if (endpoint === null) return null;
    const threads = name === 'front' ? 1 : Math.max(1, wanted);
    const listeners = await threadListeners({ name, endpoint, threads, inherited: options.inherited });
    opened.push(listeners);
    return listeners;
  };
  try {
    const http = await open('http', options.http);
    const https = await open('https', options.https);
    const health = await open('health', options.health ?? null);
    const listeners = [http, https, health];
    const count = wanted === 0 ? 0 : Math.max(...listeners.map((each) => each?.count ?? 0));
    const settingsOf = edgeSettings(options, { http, https, health, threads: count });
    const isReplaceable = listeners.every((each) => each?.canReopen !== false);
    const threads =
      options.threads === 0
        ? await serveHere(settingsOf(0, 'first'), deps)
        : await startEdgeThreads(count, settingsOf, { ...deps, isReplaceable });
    serving = threads;
    running.push(threads);
    const front = await open('front', askListen);
    const askEndpoint = askListen && front && (await startAskEndpointOn(askListen, front, deps));
    if (askEndpoint !== null) running.push(askEndpoint);
    return {
      http: http && options.http && `http://${written({ ...options.http, port: http.port })}`,
      https: https && options.https && `https://${written({ ...options.https, port: https.port })}`,
      askEndpoint: askEndpoint && askListen && `http://${written({ ...askListen, port: askEndpoint.port })}`,
      health: health && options.health ? `http://${written({ ...options.health, port: health.port })}` : null,
      async accept() {
        await Promise.all([threads.accept(), askEndpoint?.accept()]);
      },
      async sockets() {
        const fds = await threads.sockets();
        const described: ListeningSockets[] = [];
        for (const [each, own] of [
          [http, fds.http],
          [https, fds.https],
          [health, fds.health],
          [front, askEndpoint?.fds() ?? []],
        ] as const)
          if (each !== null) described.push(each.describe(own));
        return described;
      },
      flushUsage: usage.flush,
      save: async () => snapshots?.save(),
      async leave() {
        snapshots?.leave();
        await threads.leave();
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    for (const listeners of opened) listeners.release();
  }
}

function startAskEndpointOn(
  endpoint: Endpoint,
  listeners: ThreadListeners,
  deps: Deps,
): ReturnType<typeof startAskEndpoint> {
  const listen = listeners.optionsOf(0, 'first') ?? endpoint;
  const sites = createSites({ ...deps, apiHostname: deps.api?.hostname, isProxy: () => true, unknownPerMinute: 0 });
  const findAddress = createOriginAddresses({ mayDial: addressRule(deps.allowedNetworks), lookUp: deps.lookUp });
  return startAskEndpoint({ listen, sites, findAddress });
}

function threadsOf({ http, https, health = null, threads = 1 }: EdgeOptions): number {
  if (http === null && https === null && health === null) return 0;
  return Math.min(process.platform === 'linux' ? Number.POSITIVE_INFINITY : 1, Math.max(1, threads));
}

function edgeSettings(
  options: EdgeOptions,
  { http, https, health, threads }: Record<'http' | 'https' | 'health', ThreadListeners | null> & { threads: number },
): EdgeSettingsOf {
  const shared = {
    httpsPort: options.httpsPort || (https?.port ?? 443),
    allowedNetworks: options.allowedNetworks,
    trustedProxies: options.trustedProxies,
    proxyProtocol: options.proxyProtocol ?? [],
    accessLog: options.accessLog ?? null,
    selfCheckName: options.selfCheckName,
    api: options.api ?? null,
    limits: shareOf({ ...LIMITS, ...options.limits }, Math.max(1, threads)),
    tlsContexts: options.tlsContexts ?? 2000,
  };
  return (index, start) => ({
    ...shared,
    http: http?.optionsOf(index, start) ?? null,
    https: https?.optionsOf(index, start) ?? null,
    health: health?.optionsOf(index, start) ?? null,
  });
}

async function serveHere(settings: EdgeServerSettings, deps: Deps): Promise<EdgeThreads> {
  const ticketSecret = randomBytes(SECRET_BYTES);
  const logAccess = (fields: Record<string, unknown>, message: string) => deps.log.info(fields, message);
  const here = { logAccess, newId: idMaker(deps.clock), ticketSecret: () => ticketSecret };
  const { startEdgeServer } = await import('./edge-server.ts');
  const server = await startEdgeServer(settings, { ...deps, ...here });
  return {
    ...server,
    async stop(graceMs) {
      await server.stop(graceMs);
      deps.addUsage(server.takeUsage());
    },
    takeUsage: async () => server.takeUsage(),
    sockets: async () => server.sockets(),
    leave: async () => server.leave(),
    recentNames: async () => [server.recentNames()],
  };
}

/** The limits of one thread. The system spreads connections evenly over the threads. */
function shareOf(limits: EdgeLimits, threads: number): EdgeLimits {
  const share = (all: number) => Math.ceil(all / threads);
  return {
    ...limits,
    connections: share(limits.connections),
    connectionsPerAddress: share(limits.connectionsPerAddress),
    unknownPerMinute: share(limits.unknownPerMinute),
  };
}

function written({ host, port }: Endpoint): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
