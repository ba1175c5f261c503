import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Registry } from 'prom-client';
import type { ChangeFeed } from '../cache/change-feed.ts';
import { type Clock, systemClock } from '../clock.ts';
import { idMaker } from '../ids.ts';
import type { Log } from '../log.ts';
import type { AddressLookup } from '../net/dialer.ts';
import type { EdgeStore } from '../store/contract/store.ts';
import { startFront } from './ask-endpoint.ts';
import { type EdgeLimits, LIMITS } from './edge-limits.ts';
import { registerEdgeMetrics } from './edge-metrics.ts';
import { proxyToOrigins } from './proxy/origins.ts';
import { createRoutes, type Routes } from './routing/routes.ts';
import { createTally, tallyMemory } from './shared-counters.ts';
import type { ThreadData } from './threads/messages.ts';
import { type ServingSettings, serve } from './threads/serving.ts';
import { startThread, type Thread } from './threads/threads.ts';
import { type Report, reporting } from './throttled-log.ts';

export interface EdgeOptions {
  store: EdgeStore;
  changes: Pick<ChangeFeed, 'subscribe'>;
  clock?: Clock;
  log: Log;
  metrics: { registry: Registry };
  /** Finds the addresses of origins. */
  lookUp: AddressLookup;
  http: Endpoint | null;
  https: Endpoint | null;
  /** Where a program in front asks, such as Caddy: on loopback alone (`front.ts`). */
  front?: Endpoint | null;
  /** Where the world finds HTTPS; redirects lead there. 0: where it is listened. */
  httpsPort: number;
  /** Networks of special addresses where origins may be all the same. */
  allowedNetworks: readonly string[];
  /** Networks of the proxies in front, which are believed. */
  trustedProxies: readonly string[];
  limits?: Partial<EdgeLimits>;
  /** TLS contexts that each thread keeps: about 40 KB each. */
  tlsContexts?: number;
  /** Names that each thread remembers: about 5 KB each. */
  names?: number;
  /** Threads of its own; 0: the caller's, which is for tests. Where the system cannot share a port between threads there is one at most. */
  threads?: number;
  /** How long what is under way may go on once it stops. */
  graceMs?: number;
}

/** Port 0: any that is free. */
export interface Endpoint {
  host: string;
  port: number;
}

export interface Edge {
  /** `http://host:port`; null where there is no such listener. */
  http: string | null;
  /** `https://host:port` */
  https: string | null;
  /** `http://host:port` */
  front: string | null;
  /** Accepts nothing more, lets what is under way finish for a while, and lets go of everything. */
  stop(): Promise<void>;
}

/** Something that works in the background. */
interface Running {
  stop(graceMs: number): Promise<void>;
}

type Deps = EdgeOptions & { clock: Clock; report: Report };

const GRACE_MS = 3000;
const NAMES = 20_000;
/** Whoever learns the secret of tickets can read what was said under TLS 1.2 meanwhile. */
const NEW_TICKET_SECRET_MS = 6 * 3_600_000;
const SECRET_BYTES = 32;

/** Serves the customers' names: HTTP, HTTPS, and what lies behind. Rejects when it cannot listen, with the system's own error. */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const { clock = systemClock, front: frontListen = null } = options;
  const deps = { ...options, clock, report: reporting(options.log, clock) };
  const { settings, threads } = await settle(options);
  const { http, https } = settings;
  const frontTally = tallyMemory();
  const tallies = Array.from({ length: threads }, tallyMemory);
  registerEdgeMetrics(options.metrics.registry, [frontTally, ...tallies]);
  const running: Running[] = [];
  const stop = async () => {
    await Promise.all(running.splice(0).map((part) => part.stop(options.graceMs ?? GRACE_MS)));
  };
  try {
    running.push(await startThreads(tallies, settings, deps));
    const front = frontListen && (await startFront({ listen: frontListen, routes: routesForFront(deps, frontTally) }));
    if (front !== null) running.push(front);
    return {
      http: http && `http://${written(http)}`,
      https: https && `https://${written(https)}`,
      front: front && frontListen && `http://${written({ ...frontListen, port: front.port })}`,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What each thread is told, and how many there are. */
async function settle(options: EdgeOptions): Promise<{ settings: ServingSettings; threads: number }> {
  const http = options.http && (await reserve(options.http));
  const https = options.https && (await reserve(options.https));
  const most = process.platform === 'linux' ? Number.POSITIVE_INFINITY : 1;
  const threads = http === null && https === null ? 0 : Math.min(most, Math.max(1, options.threads ?? 1));
  const reusePort = threads > 1;
  const settings = {
    http: http && { ...http, reusePort },
    https: https && { ...https, reusePort },
    httpsPort: options.httpsPort || (https?.port ?? 443),
    trustedProxies: options.trustedProxies,
    limits: shareOf({ ...LIMITS, ...options.limits }, Math.max(1, threads)),
    tlsContexts: options.tlsContexts ?? 2000,
    names: options.names ?? NAMES,
  };
  return { settings, threads };
}

/** Starts a thread for each tally. They accept each other's session tickets. */
async function startThreads(
  tallies: readonly SharedArrayBuffer[],
  settings: ServingSettings,
  deps: Deps,
): Promise<Running> {
  const start = deps.threads === 0 ? serveHere : startThread;
  const ticketSecret = randomBytes(SECRET_BYTES);
  const started: Thread[] = [];
  const renewing = setInterval(() => {
    const secret = randomBytes(SECRET_BYTES);
    for (const thread of started) thread.setTicketSecret(secret);
  }, NEW_TICKET_SECRET_MS).unref();
  const stop = async (graceMs: number) => {
    clearInterval(renewing);
    await Promise.all(started.map((thread) => thread.stop(graceMs)));
  };
  try {
    for (const tally of tallies) {
      started.push(await start({ settings, allowedNetworks: deps.allowedNetworks, tally, ticketSecret }, deps));
    }
  } catch (error) {
    await stop(0);
    throw error;
  }
  return { stop };
}

/** The edge in the caller's thread. */
async function serveHere(data: ThreadData, { store, changes, clock, lookUp, report }: Deps): Promise<Thread> {
  const tally = createTally(data.tally);
  let { ticketSecret } = data;
  const serving = await serve(data.settings, {
    store,
    changes,
    clock,
    newId: idMaker(clock),
    tally,
    report,
    ticketSecret: () => ticketSecret,
    proxy: proxyToOrigins({ ...data, lookUp, report, tally }),
  });
  return {
    ...serving,
    setTicketSecret(secret) {
      ticketSecret = secret;
    },
  };
}

/** Programs in front ask on behalf of everybody. */
function routesForFront(deps: Deps, memory: SharedArrayBuffer): Routes {
  const tally = createTally(memory);
  return createRoutes({ ...deps, tally, isProxy: () => true, unknownPerMinute: 0, capacity: NAMES });
}

/** The port, if nobody has it: that several sockets share one is otherwise no error, also where they are of two programs. */
async function reserve({ host, port }: Endpoint): Promise<Endpoint> {
  const server = createServer();
  const listening = once(server, 'listening');
  server.listen({ host, port });
  await listening;
  const { port: actual } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return { host, port: actual };
}

/** What one of so many threads may take. Connections spread evenly over them. */
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
