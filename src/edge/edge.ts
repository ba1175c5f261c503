import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Registry } from 'prom-client';
import { type Clock, systemClock } from '../clock.ts';
import type { AddressLookup } from '../dialler.ts';
import { idMaker } from '../ids.ts';
import type { Log } from '../log.ts';
import type { News } from '../store/changes.ts';
import type { EdgeStore } from '../store/store.ts';
import { type EdgeLimits, LIMITS } from './limits.ts';
import type { ThreadData } from './messages.ts';
import { registerEdgeMetrics } from './metrics.ts';
import { proxyToOrigins } from './origins.ts';
import { type Report, reporting } from './report.ts';
import { type ServingSettings, serve } from './serving.ts';
import { createTally, tallyMemory } from './tally.ts';
import { startThread, type Thread } from './threads.ts';

export interface EdgeOptions {
  store: EdgeStore;
  changes: Pick<News, 'onChange'>;
  clock?: Clock;
  log: Log;
  metrics: { registry: Registry };
  /** Finds the addresses of origins. */
  lookUp: AddressLookup;
  http: Endpoint | null;
  https: Endpoint | null;
  /** Where the world finds HTTPS; redirects lead there. */
  httpsPort: number;
  /** Networks of special addresses where origins may be all the same. */
  allowedNetworks: readonly string[];
  /** Networks of the proxies in front, which are believed. */
  trustedProxies: readonly string[];
  limits?: Partial<EdgeLimits>;
  /** TLS contexts that each thread keeps: about 45 KB each. */
  tlsContexts?: number;
  /** Names that each thread remembers: about 5 KB each. */
  names?: number;
  /** Threads of its own; 0: the caller's, which is for tests. Where the system cannot share a port between threads there is one at most. */
  threads?: number;
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
  /** Accepts nothing more, lets what is under way finish within `GRACE_MS`, and lets go of everything. */
  stop(): Promise<void>;
}

const GRACE_MS = 3000;
/** Whoever learns the secret of tickets can read what was said under TLS 1.2 meanwhile. */
const NEW_TICKET_SECRET_MS = 6 * 3_600_000;
const SECRET_BYTES = 32;

/** Serves the customers' names: HTTP, HTTPS, and what lies behind. Rejects when it cannot listen, with the system's own error. */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const { http, https, log, clock = systemClock } = options;
  const threads = process.platform === 'linux' ? (options.threads ?? 1) : Math.min(options.threads ?? 1, 1);
  const reusePort = threads > 1;
  const limits = shareOf({ ...LIMITS, ...options.limits }, Math.max(1, threads));
  const settings: ServingSettings = {
    http: http && { ...(reusePort ? await reserve(http) : http), reusePort },
    https: https && { ...(reusePort ? await reserve(https) : https), reusePort },
    httpsPort: options.httpsPort,
    trustedProxies: options.trustedProxies,
    limits,
    tlsContexts: options.tlsContexts ?? 2000,
    names: options.names ?? 20_000,
  };
  const report = reporting(log, clock);
  const memories = Array.from({ length: Math.max(1, threads) }, tallyMemory);
  registerEdgeMetrics(options.metrics.registry, memories);
  const running: Thread[] = [];
  const stop = async () => {
    clearInterval(renewing);
    await Promise.all(running.splice(0).map((thread) => thread.stop(GRACE_MS)));
  };
  let ticketSecret: Uint8Array = randomBytes(SECRET_BYTES);
  const renewing = setInterval(() => {
    ticketSecret = randomBytes(SECRET_BYTES);
    for (const thread of running) thread.setTicketSecret(ticketSecret);
  }, NEW_TICKET_SECRET_MS).unref();

  try {
    for (const tally of memories) {
      const data: ThreadData = { settings, allowedNetworks: options.allowedNetworks, tally, ticketSecret };
      const deps = { ...options, clock, report };
      running.push(await (threads === 0 ? serveHere(data, deps) : startThread(data, deps)));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const [first] = running;
  return {
    http: http && `http://${written(http, first?.httpPort)}`,
    https: https && `https://${written(https, first?.httpsPort)}`,
    stop,
  };
}

/** The edge in the caller's thread. */
async function serveHere(data: ThreadData, { store, changes, clock, lookUp, report }: Here): Promise<Thread> {
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

type Here = Pick<EdgeOptions, 'store' | 'changes' | 'lookUp'> & { clock: Clock; report: Report };

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

function written({ host }: Endpoint, port: number | null | undefined): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
