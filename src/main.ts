import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApi } from './api/server.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Config, Endpoint } from './config.ts';
import { authoritativeResolver } from './dns/authoritative.ts';
import { dnsClient } from './dns/client.ts';
import { recursiveResolver } from './dns/recursive.ts';
import { WINDOW_MS } from './domains/domain.ts';
import { CHECK_INTERVAL_MS } from './domains/schedule.ts';
import { idMaker, pooled } from './ids.ts';
import type { Log } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { sharedLimiter } from './ratelimit/shared.ts';
import { type ChangeNews, followChanges } from './store/changes.ts';
import { type Database, databaseAt } from './store/open.ts';
import { rememberDomains } from './store/remember.ts';
import type { Store } from './store/store.ts';
import type { Waiting } from './store/waiting.ts';
import { createVerifier } from './verification/worker.ts';

/** The only composition root of a server: configuration → store → roles → listeners → shutdown. */

export interface ServerOptions {
  log: Log;
  clock?: Clock;
  /** Port that nameservers are asked at; 53 unless given. */
  nameserverPort?: number;
  checkIntervalMs?: number;
  windowMs?: number;
  /** Gives up the start while that waits for another process. */
  signal?: AbortSignal;
}

export interface RunningServer {
  /** `http://host:port`; null where the process has no such listener. */
  api: string | null;
  metrics: string | null;
  store: Store;
  /** Accepts nothing more, finishes what is under way within `GRACE_MS`, and lets go of everything. */
  stop(): Promise<void>;
}

interface Parts extends Required<Omit<ServerOptions, 'signal'>> {
  config: Config;
  metrics: Metrics;
  changes: ChangeNews;
  store: Store;
  /** Of which several may serve the API. */
  manyNodes: boolean;
}

/** Something that works in the background. It finishes what is under way when it is stopped. */
interface Running {
  stop(): Promise<unknown>;
}

interface Listening extends Running {
  /** `http://host:port` */
  address: string;
}

/** How long requests and checks that are under way may go on once the server stops. */
const GRACE_MS = 3000;
const PRUNE_EVERY_MS = 60_000;
/** No cache is ever this far behind. */
const CHANGES_KEPT_MS = 10 * 60_000;
/** The clocks of nodes differ by less. */
const ENDED_WINDOWS_KEPT_MS = 10 * 60_000;

/** Starts what the configuration names. Rejects with one line that says what to do, having let go of what it had begun. */
export async function startServer(config: Config, options: ServerOptions): Promise<RunningServer> {
  const { clock = systemClock, log, signal } = options;
  const database = await databaseAt(config.databaseUrl);
  // One owner at a time of what must be single; taken first, so that a second process does not migrate under the first.
  const unlock = await database.lockRoles(config.roles.filter((role) => role === 'verifier'));
  const onLongWait = (doing: string) => log.warn(`waiting for another process, ${doing}`);
  const waiting = { onLongWait, ...(signal && { signal }) };
  const store = await openStore(database, clock, waiting).catch((error: unknown) => {
    unlock();
    throw error;
  });
  const running: Running[] = [];
  const begin = <Part extends Running>(part: Part): Part => {
    running.push(part);
    return part;
  };
  const stop = async () => {
    const stopped = await Promise.allSettled(running.splice(0).map((part) => part.stop()));
    await store.close();
    unlock();
    for (const part of stopped) if (part.status === 'rejected') throw part.reason;
  };
  try {
    const defaults = { nameserverPort: 53, checkIntervalMs: CHECK_INTERVAL_MS, windowMs: WINDOW_MS };
    const changes = begin(followChanges(store, { clock, log }));
    begin(database.listen(changes.poll));
    const { manyNodes } = database;
    const shared = { clock, config, changes, metrics: createMetrics(), store: rememberDomains(store, changes) };
    const parts: Parts = { ...defaults, ...options, ...shared, manyNodes };
    begin(startPruning(parts));
    if (config.roles.includes('verifier')) begin(startVerifier(parts));
    const api = config.roles.includes('api') ? begin(await startApi(parts)).address : null;
    const metrics = config.metricsListen && begin(await startMetrics(parts, config.metricsListen)).address;
    return { api, metrics, store: parts.store, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openStore(database: Database, clock: Clock, waiting: Waiting): Promise<Store> {
  await database.migrate(waiting);
  return database.open({ clock });
}

async function startApi(parts: Parts): Promise<Listening> {
  const { store, changes, clock, log, metrics, config, windowMs, manyNodes } = parts;
  const settings = {
    service: config.service,
    docsUrl: config.docsUrl,
    cnameZone: config.cnameZone,
    reservedNames: config.reservedNames ?? [],
    rateLimits: config.rateLimits ?? {},
    trustedProxies: config.trustedProxies,
    windowMs,
  };
  const context = { store, clock, newId: idMaker(clock), randomBytes: pooled(randomBytes), settings };
  const limiter = manyNodes ? sharedLimiter({ store, clock, log }) : undefined;
  const app = createApi({ ...context, log, metrics, changes, ...(limiter && { limiter }) });
  await app.ready();
  const listening = await listen(app.server, config.listen, 'NAMEPLATE_LISTEN');
  return {
    address: listening.address,
    async stop() {
      await Promise.all([app.close(), listening.stop()]);
      await limiter?.stop();
    },
  };
}

function startVerifier(parts: Parts): Running {
  const { config, clock, metrics, nameserverPort } = parts;
  const client = dnsClient();
  const onAnswer = (kind: string) => metrics.dnsAnswers.inc({ kind });
  const asking = { client, resolvers: config.dnsResolvers, onAnswer };
  const allowedNetworks = config.dnsAllowedNetworks ?? [];
  const resolver =
    config.dnsMode === 'recursive'
      ? recursiveResolver(asking)
      : authoritativeResolver({ ...asking, clock, nameserverPort, allowedNetworks });
  const verifier = createVerifier({ ...parts, resolver, random: Math.random });
  verifier.start();
  return { stop: () => verifier.stop(GRACE_MS).finally(() => client.close()) };
}

function startPruning({ store, clock, log }: Parts): Running {
  const timer = setInterval(() => {
    const now = clock.now();
    const pruned = [store.pruneChanges(now - CHANGES_KEPT_MS), store.pruneRequests(now - ENDED_WINDOWS_KEPT_MS)];
    Promise.all(pruned).catch((error: unknown) => {
      log.warn({ err: error }, 'what is no longer needed could not be pruned; trying again in a minute');
    });
  }, PRUNE_EVERY_MS);
  return { stop: async () => clearInterval(timer) };
}

function startMetrics({ metrics: { registry }, log }: Parts, endpoint: Endpoint): Promise<Listening> {
  const server = createServer(async ({ url, method }, response) => {
    try {
      if (url !== '/metrics') response.writeHead(404).end();
      else if (method !== 'GET' && method !== 'HEAD') response.writeHead(405, { allow: 'GET, HEAD' }).end();
      else {
        const text = await registry.metrics();
        response.writeHead(200, { 'content-type': registry.contentType }).end(text);
      }
    } catch (error) {
      log.error({ err: error }, 'the metrics could not be read');
      response.writeHead(500).end();
    }
  });
  return listen(server, endpoint, 'NAMEPLATE_METRICS_LISTEN');
}

/** Listens. Once stopped, connections in use end with the answer that is under way, or with the grace. */
async function listen(server: Server, { host, port }: Endpoint, variable: string): Promise<Listening> {
  const listening = once(server, 'listening');
  server.listen(port, host);
  await listening.catch((error: unknown) => {
    throw cannotListen(error, `${host}:${port}`, variable);
  });
  const { port: actual } = server.address() as AddressInfo;
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    async stop() {
      const late = setTimeout(() => server.closeAllConnections(), GRACE_MS);
      // A connection that was in use when the server closed becomes idle with its answer.
      const idle = setInterval(() => server.closeIdleConnections(), 50);
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(late);
      clearInterval(idle);
    },
  };
}

function cannotListen(error: unknown, address: string, variable: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return new Error(`${address} is in use by another program. Stop that one, or set ${variable} to another port.`);
    case 'EACCES':
      return new Error(`${address} may not be listened on by this user. Set ${variable} to a port above 1023.`);
    case 'EADDRNOTAVAIL':
      return new Error(`${address} is not an address of this machine. Set ${variable} to one that is.`);
    default:
      return error;
  }
}
