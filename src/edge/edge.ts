import { randomBytes } from 'node:crypto';
import type { Registry } from 'prom-client';
import type { ChangeFeed } from '../cache/change-feed.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { Endpoint } from '../config/config.ts';
import { idMaker } from '../ids.ts';
import type { Log } from '../log.ts';
import { addressRule } from '../net/addresses.ts';
import type { AddressLookup } from '../net/dialer.ts';
import { type ListenOptions, type ReservedPort, reservePort } from '../net/listen.ts';
import type { EdgeStore } from '../store/contract/store.ts';
import type { Supervisor } from '../threads/supervisor.ts';
import type { AccessLogSettings } from './access-log.ts';
import { startAskEndpoint } from './ask-endpoint.ts';
import type { EdgeCache, ServedLookup } from './edge-cache/edge-cache.ts';
import { type EdgeLimits, LIMITS } from './edge-limits.ts';
import { createEdgeMetrics, type EdgeMetrics } from './edge-metrics.ts';
import { type EdgeServerSettings, startEdgeServer } from './edge-server.ts';
import { startEdgeThreads } from './edge-threads.ts';
import { createOriginAddresses } from './routing/origin-addresses.ts';
import type { OwnApi } from './routing/route-request.ts';
import { createSites } from './routing/site-cache.ts';
import { type ThrottledWarn, throttledWarn } from './throttled-log.ts';

export interface EdgeOptions {
  store: EdgeStore;
  /** What was served before, for when the store cannot be reached. */
  edgeCache?: EdgeCache | null;
  changes: ChangeFeed;
  clock?: Clock;
  log: Log;
  /** Those of the threads are added to it by `addSnapshots`. */
  metrics: { registry: Registry };
  /** Of the threads. */
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
  /** 0: no threads, everything in the caller's thread (for tests). Where threads cannot share a port (all but Linux), at most 1. */
  threads?: number;
  /** How long `stop` waits for requests in flight. */
  graceMs?: number;
}

export interface Edge {
  /** `http://host:port`; null without such a listener. */
  http: string | null;
  /** `https://host:port` */
  https: string | null;
  /** `http://host:port` */
  askEndpoint: string | null;
  /** `http://host:port` */
  health: string | null;
  /** Stops accepting, waits a while for requests in flight, then closes everything. */
  stop(): Promise<void>;
}

interface Running {
  stop(graceMs: number): Promise<void>;
}

interface Deps extends Omit<EdgeOptions, 'metrics' | 'clock'> {
  clock: Clock;
  warn: ThrottledWarn;
  metrics: EdgeMetrics;
  served: ServedLookup | null;
}

/** What listens, in this thread or in others. */
interface Serving extends Running {
  recentNames(): Promise<readonly (readonly string[])[]>;
}

const GRACE_MS = 3000;
const SECRET_BYTES = 32;

/** Serves the customers' names over HTTP and HTTPS. Rejects when it cannot listen, with the error of the system. */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const { clock = systemClock, askEndpoint: askListen = null, edgeCache = null } = options;
  const metrics = createEdgeMetrics(options.metrics.registry);
  const running: Running[] = [];
  let serving: Serving | undefined;
  const kept = edgeCache?.keep({ ...options, recentNames: async () => (await serving?.recentNames()) ?? [] });
  if (kept !== undefined) running.push(kept);
  const deps: Deps = {
    ...options,
    ...{ clock, metrics, warn: throttledWarn(options.log, clock), served: edgeCache },
    store: kept?.store ?? options.store,
  };
  const stop = async () => {
    await Promise.all(running.splice(0).map((part) => part.stop(options.graceMs ?? GRACE_MS)));
  };
  const threads = threadsOf(options);
  const reserved: ReservedPort[] = [];
  const reserve = async (endpoint: Endpoint): Promise<ListenOptions> => {
    const port = await reservePort(endpoint, { reusePort: threads > 1 });
    reserved.push(port);
    return port.listen;
  };
  try {
    const http = options.http && (await reserve(options.http));
    const https = options.https && (await reserve(options.https));
    const health = options.health ? await reserve(options.health) : null;
    const settings = settingsOf(options, { http, https, health, threads });
    serving = await (options.threads === 0 ? serveHere(settings, deps) : startEdgeThreads(threads, settings, deps));
    running.push(serving);
    const askEndpoint = askListen && (await startAskEndpointOn(askListen, deps));
    if (askEndpoint !== null) running.push(askEndpoint);
    return {
      http: http && `http://${written(http)}`,
      https: https && `https://${written(https)}`,
      askEndpoint: askEndpoint && askListen && `http://${written({ ...askListen, port: askEndpoint.port })}`,
      health: health && `http://${written(health)}`,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    for (const port of reserved) port.release();
  }
}

function startAskEndpointOn(listen: Endpoint, deps: Deps): ReturnType<typeof startAskEndpoint> {
  const sites = createSites({ ...deps, apiHostname: deps.api?.hostname, isProxy: () => true, unknownPerMinute: 0 });
  const findAddress = createOriginAddresses({ mayDial: addressRule(deps.allowedNetworks), lookUp: deps.lookUp });
  return startAskEndpoint({ listen, sites, findAddress });
}

function threadsOf({ http, https, health = null, threads = 1 }: EdgeOptions): number {
  if (http === null && https === null && health === null) return 0;
  return Math.min(process.platform === 'linux' ? Number.POSITIVE_INFINITY : 1, Math.max(1, threads));
}

function settingsOf(
  options: EdgeOptions,
  { http, https, health, threads }: Pick<EdgeServerSettings, 'http' | 'https' | 'health'> & { threads: number },
): EdgeServerSettings {
  return {
    http,
    https,
    health,
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
}

async function serveHere(settings: EdgeServerSettings, deps: Deps): Promise<Serving> {
  const ticketSecret = randomBytes(SECRET_BYTES);
  const logAccess = (fields: Record<string, unknown>, message: string) => deps.log.info(fields, message);
  const here = { logAccess, newId: idMaker(deps.clock), ticketSecret: () => ticketSecret };
  const { recentNames, stop } = await startEdgeServer(settings, { ...deps, ...here });
  return { recentNames: async () => [recentNames()], stop };
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
