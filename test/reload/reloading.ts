import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { databaseAt, keyringFor } from '../../server/src/store/database.ts';
import type { Environment, Store } from '../../server/src/store/store.ts';
import { issue } from '../edge/authority.ts';
import { verify } from '../support/certificates.ts';
import type { Closing } from '../support/closing.ts';
import { type Ended, type Started, start, startCommand, temporaryDirectory } from '../support/command.ts';
import { aDeployment, plant } from '../support/entities.ts';

/** A server in processes of its own, with a name that it serves; it is reloaded as operators do. */
export interface ReloadableServer {
  hostname: string;
  httpPort: number;
  httpsPort: number;
  originPort: number;
  /** `http://host:port` */
  api: string;
  /** `http://host:port`; null without such a listener. */
  health: string | null;
  /** Path of the database. */
  path: string;
  /** The process that was started, and its output, which those that follow share. */
  first: Started;
  /** Process ids of those that have served, in order, once there are so many. */
  pids(count: number): Promise<number[]>;
  /** The "ready" lines so far, once there are this many. */
  ready(count: number): Promise<ReadyLine[]>;
  /** `nameplate reload`, with more variables or others; of the program that is to serve. */
  reload(changes?: Record<string, string>, program?: string): Promise<Ended>;
}

export interface ServerWorld {
  /** With more variables, or others. */
  env: Record<string, string>;
  /** Adds to its store. */
  prepare(store: Store, environment: Environment): Promise<void>;
  /** Handles requests at the origin of the name. */
  onRequest(request: IncomingMessage, response: ServerResponse): void;
  /** How it is started; `bin/nameplate serve` unless given. */
  launch(env: Record<string, string>): Started;
}

export const HOSTNAME = 'site.example.com';

/** Settings for so many threads of the API, and as many of the edge. */
export function threads(count: number): Record<string, string> {
  return { NAMEPLATE_API_THREADS: String(count), NAMEPLATE_EDGE_THREADS: String(count) };
}

/** A line of the log that says that a process serves. */
const READY = /^\{.*"msg":"ready"\}$/gm;

interface ReadyLine {
  pid: number;
  api: string | null;
  /** `http://host:port` each; null without such a listener. */
  edge: { http: string | null; https: string | null; health: string | null } | null;
}

/** Starts a server with one verified name, its certificate, and an origin. */
export async function startReloadable(
  closing: Closing,
  { env = {}, prepare, onRequest = (_, response) => void response.end('served'), launch }: Partial<ServerWorld> = {},
): Promise<ReloadableServer> {
  const directory = temporaryDirectory();
  closing.push(directory.remove);
  const origin = createServer(onRequest).listen(0, '127.0.0.1');
  await once(origin, 'listening');
  closing.push(() => {
    origin.close();
    origin.closeAllConnections();
  });
  const originPort = (origin.address() as AddressInfo).port;
  const path = join(directory.path, 'nameplate.db');
  await makeSite(path, {
    origin: `http://127.0.0.1:${originPort}`,
    apiHostname: env.NAMEPLATE_API_HOSTNAME,
    prepare,
  });
  const variables: Record<string, string> = {
    NAMEPLATE_CNAME_ZONE: 'cname.example.net',
    NAMEPLATE_DNS_RESOLVERS: '192.0.2.53',
    NAMEPLATE_DATABASE_URL: `sqlite:${path}`,
    NAMEPLATE_ROLES: 'api,verifier,edge',
    NAMEPLATE_MONITORING: 'off',
    ...threads(1),
    NAMEPLATE_LISTEN: '127.0.0.1:0',
    NAMEPLATE_METRICS_LISTEN: '127.0.0.1:0',
    NAMEPLATE_EDGE_HTTP_LISTEN: '127.0.0.1:0',
    NAMEPLATE_EDGE_HTTPS_LISTEN: '127.0.0.1:0',
    NAMEPLATE_EDGE_ALLOWED_NETWORKS: '127.0.0.0/8',
    ...env,
  };
  const first = launch === undefined ? start(['serve'], { env: variables }) : launch(variables);
  let output = '';
  first.child.stdout?.on('data', (text: string) => {
    output += text;
  });
  closing.push(async () => {
    for (const { pid } of readyLines(output)) kill(pid, 'SIGKILL');
    first.child.kill('SIGKILL');
    await first.ended;
  });
  const [line] = await first.says(new RegExp(READY.source, 'm'));
  const ready: ReadyLine = JSON.parse(line);
  const readyOf = async (count: number) => {
    // Its output may arrive after what it has said elsewhere.
    while (readyLines(output).length < count) await once(first.child, 'said');
    return readyLines(output);
  };
  return {
    hostname: HOSTNAME,
    httpPort: portOf(ready.edge?.http),
    httpsPort: portOf(ready.edge?.https),
    originPort,
    api: ready.api ?? '',
    health: ready.edge?.health ?? null,
    path,
    first,
    pids: async (count) => (await readyOf(count)).map(({ pid }) => pid),
    ready: readyOf,
    reload: (changes = {}, program = './bin/nameplate') =>
      startCommand(program, ['reload'], { env: { ...variables, ...changes } }).ended,
  };
}

interface MadeSite {
  origin: string;
  apiHostname: string | undefined;
  prepare: ServerWorld['prepare'] | undefined;
}

async function makeSite(path: string, { origin, apiHostname, prepare }: MadeSite): Promise<void> {
  const database = await databaseAt({ engine: 'sqlite', path });
  const store = await database.open({ keyring: keyringFor(database) });
  const { environment } = await plant(store);
  await store.createDeployment(aDeployment(environment, { origin }));
  await verify(store, environment, { name: HOSTNAME, at: Date.now() });
  await prepare?.(store, environment);
  if (apiHostname !== undefined) await store.claimOperatorName(apiHostname, Date.now());
  for (const name of apiHostname === undefined ? [HOSTNAME] : [HOSTNAME, apiHostname]) {
    const { serial: _, ...issued } = issue(name);
    await store.importCertificate(name, issued, Date.now());
  }
  await store.close();
}

export function accepts(port: number, host = '127.0.0.1'): Promise<boolean> {
  const socket = connect({ host, port });
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy()) as Promise<boolean>;
}

/** The port of an address; 0 without one. */
export function portOf(address: string | null | undefined): number {
  return address ? Number(new URL(address).port) : 0;
}

function readyLines(output: string): ReadyLine[] {
  return [...output.matchAll(READY)].map(([line]) => JSON.parse(line));
}

/** A process that may have ended already. */
export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has.
  }
}

/** Whether there is such a process, and it has not ended: its parent may not know yet. */
export function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
