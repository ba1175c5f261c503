import { once } from 'node:events';
import { request as askHttp, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2';
import { request as askHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type ConnectionOptions, connect as connectTls, createSecureContext, type TLSSocket } from 'node:tls';
import { createLog } from '../../server/src/base/log.ts';
import { addSnapshots } from '../../server/src/base/threads/snapshots.ts';
import { createSupervisor } from '../../server/src/base/threads/supervisor.ts';
import type { Domain } from '../../server/src/domain/domain.ts';
import { type Edge, type EdgeOptions, startEdge } from '../../server/src/edge/edge.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import { type PolledChangeFeed, startChangeFeed } from '../../server/src/store/cache/change-feed.ts';
import {
  type Deployment,
  type Environment,
  type Store,
  StoreUnavailable,
  type UsageWrite,
} from '../../server/src/store/store.ts';
import { verify } from '../support/certificates.ts';
import { openEngine } from '../support/engine.ts';
import { aDeployment, plant, unique } from '../support/entities.ts';
import { issue, ROOT } from './authority.ts';
import { onLoopback } from './loopback.ts';

/** A whole edge on loopback, on a real store, with origins behind it. */
export interface Harness {
  edge: Edge;
  store: Store;
  changes: PolledChangeFeed;
  httpPort: number;
  httpsPort: number;
  /** Every line that was logged. */
  logged: string[];
  /** Methods of the store that were called. */
  calls: string[];
  clock: { now(): number; advance(ms: number): void };
  /** While it is away, everything that is asked of the store fails; while it hangs, that is never answered. */
  setStore(state: 'there' | 'away' | 'hanging'): void;
  /** A number of the metrics, by its line up to the value; 0 where there is no such line. */
  metric(line: string): Promise<number>;
  /** A name with a route, a certificate and a deployment, as far as they are wanted. */
  addSite(about?: Partial<SiteOptions>): Promise<Site>;
  deploy(environment: Environment, origin: string, about?: Partial<Deployment>): Promise<void>;
  /** Starts a server that requests may be forwarded to, and returns its origin. */
  addOrigin(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string>;
  /** Polls the change feed, so that the edge has all changes so far. */
  heard(): Promise<void>;
  close(): Promise<void>;
}

export interface SiteOptions {
  hostname: string;
  /** Null: nothing is deployed. Unless given, an origin that says what it was asked. */
  origin: string | null;
  certified: boolean;
  /** Unless given, that of a new workspace. */
  environment: Environment;
}

export interface Site {
  hostname: string;
  domain: Domain;
  environment: Environment;
  /** Serial number of its certificate; null without one. */
  serial: string | null;
}

export async function startHarness(options: Partial<EdgeOptions> = {}): Promise<Harness> {
  const { store, remove } = await openEngine();
  let ahead = 0;
  const clock = {
    now: () => Date.now() + ahead,
    advance(ms: number) {
      ahead += ms;
    },
  };
  const logged: string[] = [];
  const log = createLog('debug', { write: (line: string) => void logged.push(line) });
  const metrics = createMetrics();
  const closing: (() => Promise<unknown> | unknown)[] = [];
  const held: (() => void)[] = [];
  const calls: string[] = [];
  let state: 'there' | 'away' | 'hanging' = 'there';

  function setStore(wanted: typeof state): void {
    state = wanted;
    for (const goOn of held.splice(0)) goOn();
  }

  async function there<T>(name: string, read: () => Promise<T>): Promise<T> {
    calls.push(name);
    if (state === 'hanging') await new Promise<void>((resolve) => void held.push(resolve));
    if (state === 'away') throw new StoreUnavailable('the store is away');
    return read();
  }
  const reads = {
    findSite: (hostname: string) => there('findSite', () => store.findSite(hostname)),
    findOperatorSite: (hostname: string) => there('findOperatorSite', () => store.findOperatorSite(hostname)),
    findOrigin: (environmentId: string) => there('findOrigin', () => store.findOrigin(environmentId)),
    findBrand: (workspaceId: string) => there('findBrand', () => store.findBrand(workspaceId)),
    findChallenge: (hostname: string, token: string, now: number) =>
      there('findChallenge', () => store.findChallenge(hostname, token, now)),
    addUsage: (write: UsageWrite) => there('addUsage', () => store.addUsage(write)),
    changesSince: (seq: number) => there('changesSince', () => store.changesSince(seq)),
  };
  const changes = startChangeFeed(reads, { clock, log });
  await changes.poll();
  const supervisor = createSupervisor({ log, metrics });
  const edge = await startEdge({
    store: reads,
    changes,
    clock,
    log,
    metrics,
    supervisor,
    ...onLoopback,
    threads: 0,
    ...options,
  }).catch(async (error: unknown) => {
    await changes.stop();
    await store.close();
    await remove();
    throw error;
  });
  addSnapshots(metrics.registry, supervisor.snapshots);
  const echo = await addOrigin(({ method, url, headers }, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ method, url, headers }));
  });

  async function addOrigin(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
    const server = createServer(answer);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function addSite({ origin = echo, certified = true, ...about }: Partial<SiteOptions> = {}): Promise<Site> {
    const environment = about.environment ?? (await plant(store)).environment;
    const hostname = about.hostname ?? `${unique('site')}.example.com`;
    const domain = await verify(store, environment, { name: hostname, at: clock.now() });
    if (origin !== null) await deploy(environment, origin);
    if (!certified) return { hostname, domain, environment, serial: null };
    const { serial, ...issued } = issue(hostname);
    await store.importCertificate(hostname, issued, clock.now());
    return { hostname, domain, environment, serial };
  }

  async function deploy(environment: Environment, origin: string, about: Partial<Deployment> = {}): Promise<void> {
    await store.createDeployment(aDeployment(environment, { origin, ...about }));
  }

  const portOf = (url: string | null) => Number(url?.split(':').at(-1));
  return {
    edge,
    store,
    changes,
    httpPort: portOf(edge.http),
    httpsPort: portOf(edge.https),
    logged,
    calls,
    clock,
    setStore,
    async metric(line) {
      const text = await metrics.registry.metrics();
      const found = text.split('\n').find((one) => one.startsWith(`${line} `));
      return Number(found?.slice(line.length) ?? 0);
    },
    addSite,
    deploy,
    addOrigin,
    heard: () => changes.poll(),
    async close() {
      setStore('there');
      for (const end of closing) await end();
      await edge.stop();
      await changes.stop();
      await store.close();
      await remove();
    },
  };
}

export interface Answer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
}

export interface Asking {
  port: number;
  hostname: string;
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Unless given, the host name. */
  servername?: string;
}

/** One request over HTTP/1.1, in clear, on a connection of its own. */
export function overHttp({ port, hostname, path = '/', method = 'GET', headers, body }: Asking): Promise<Answer> {
  const options = { host: '127.0.0.1', port, path, method, agent: false, headers: { host: hostname, ...headers } };
  return new Promise((resolve, reject) => {
    askHttp(options, (answer) => resolve(readAnswer(answer)))
      .on('error', reject)
      .end(body);
  });
}

/** One request over HTTP/1.1 and TLS, on a connection of its own; the certificate is checked. */
export function overHttps({ port, hostname, path = '/', method = 'GET', ...asking }: Asking): Promise<Answer> {
  const { headers, body, servername = hostname } = asking;
  const options = { host: '127.0.0.1', port, path, method, agent: false, ca: ROOT, servername };
  return new Promise((resolve, reject) => {
    askHttps({ ...options, headers: { host: hostname, ...headers } }, (answer) => resolve(readAnswer(answer)))
      .on('error', reject)
      .end(body);
  });
}

/** One request over HTTP/2, on a connection of its own; the certificate is checked. */
export async function overHttp2({ port, hostname, path = '/', method = 'GET', ...asking }: Asking): Promise<Answer> {
  const { headers, body, servername = hostname } = asking;
  const session = connectHttp2(`https://${servername}`, {
    createConnection: () => connectTls({ port, host: '127.0.0.1', servername, ca: ROOT, ALPNProtocols: ['h2'] }),
  });
  try {
    return await new Promise<Answer>((resolve, reject) => {
      session.on('error', reject);
      const stream = session.request({ ':authority': hostname, ':path': path, ':method': method, ...headers });
      const chunks: Buffer[] = [];
      let head: IncomingHttpHeaders & { ':status'?: number | undefined } = {};
      stream.on('response', (received) => {
        head = received;
      });
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', reject);
      stream.on('end', () => {
        resolve({ status: head[':status'] ?? 0, headers: head, text: Buffer.concat(chunks).toString() });
      });
      stream.end(body);
    });
  } finally {
    session.close();
  }
}

/** TLS settings of an ordinary client; created once, since that costs more than a handshake. */
const usual = createSecureContext({ ca: ROOT });

/** A TLS connection whose handshake is done; rejects with what ended it before. */
export function handshake(port: number, options: ConnectionOptions): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const isSpecial = options.ciphers !== undefined || options.maxVersion !== undefined;
    const context = isSpecial ? { ca: ROOT } : { secureContext: usual };
    const socket = connectTls({ ...context, port, host: '127.0.0.1', ALPNProtocols: ['http/1.1'], ...options });
    socket.once('secureConnect', () => resolve(socket));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
  });
}

async function readAnswer(answer: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return { status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(chunks).toString() };
}
