import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { type AddressInfo, isIPv4 } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createSecureContext, type SecureContext } from 'node:tls';
import { type Simulator, startSimulator } from '../../../playground/dns/simulator.ts';
import { type Ended, start } from '../../support/command.ts';
import { answersOf } from '../../support/dns-query.ts';
import { ENCRYPTION_KEY } from '../../support/encryption-key.ts';
import { freePort } from '../../support/free-port.ts';
import { type Pebble, startPebble } from '../../support/pebble.ts';
import { type Server, startServer } from '../../support/server-process.ts';
import { until } from '../../support/server-site.ts';
import { CLOUDFLARE_TOKEN } from '../../support/vendors/cloudflare.ts';

/*
 * A platform, its customers, and the two servers that it moves between. The customers' names lead to one name of the
 * platform's, which has an address: of the old server, or of Nameplate's edge. Both use the same two ports.
 */

export const TARGET = 'customers.platform.test';
export const OLD = '127.0.0.2';
export const NEW = '127.0.0.1';

/** Visits a second. */
const RATE = 50;
/** A visit that takes longer is a failure. */
const VISIT_LIMIT_MS = 10_000;

/** Names to move: 1,000, unless the environment asks for fewer. */
export const NAMES = Number(process.env.MOVING_NAMES ?? 1000);

export interface World {
  directory: string;
  /** The customers' names, each below a domain of its own. */
  names: string[];
  dns: Simulator;
  http: number;
  https: number;
  /** `http://host:port` of the platform's own server, which answers with the name that was asked for. */
  origin: string;
  /** The switch: changes the platform's one record. */
  lead(address: string): void;
  /** The world's DNS, but for that record. */
  others(): unknown;
  startPebble(): Promise<CountedPebble>;
  /** For what is closed at the end, last first. */
  closing: (() => unknown)[];
  close(): Promise<void>;
}

export interface CountedPebble extends Pebble {
  /** Orders that it has been asked for. */
  orders(): number;
}

export async function createWorld(): Promise<World> {
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-moving-'));
  const dns = await startSimulator({ port: 0 });
  const names = Array.from({ length: NAMES }, (_, i) => `www.customer${i}.test`);
  for (const name of names) dns.set(name, 'CNAME', [TARGET]);
  const [http, https] = [await freePort(), await freePort()];
  const origin = createServer((asked, response) => response.end(asked.headers.host?.replace(/:\d+$/, '')));
  await once(origin.listen(0, NEW), 'listening');
  const closing: World['closing'] = [() => rm(directory, { recursive: true }), dns.close, () => origin.close()];
  const lead = (address: string) => dns.set(TARGET, 'A', [address]);
  lead(OLD);
  return {
    ...{ directory, names, dns, http, https, closing, lead },
    origin: `http://${NEW}:${(origin.address() as AddressInfo).port}`,
    others: () => ({ ...dns.snapshot(), records: dns.list().filter(({ name }) => name !== TARGET) }),
    async startPebble() {
      const env = { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0', PEBBLE_AUTHZREUSE: '0' };
      const pebble = await startPebble({ dns, httpPort: http, env });
      closing.push(pebble.close);
      return { ...pebble, orders: () => pebble.log().match(/Added order "/g)?.length ?? 0 };
    },
    async close() {
      for (const close of closing.reverse()) await close();
    },
  };
}

export interface Platform {
  server: Server;
  /** Runs a command with the platform's key, or on the database; rejects when it fails. */
  run(...words: string[]): Promise<Ended>;
  json<T>(...words: string[]): Promise<T>;
  /** `move check --all` at the edge, which has to serve all names. */
  check(): Promise<unknown>;
  /** `move from`, for names that lead to the shared target; resolves with its counts. */
  move(...from: string[]): Promise<unknown>;
}

/** Nameplate, with a platform that forwards to the origin, and its shared target. */
export async function startPlatform(
  world: World,
  cas: Pebble[],
  settings: Record<string, string> = {},
): Promise<Platform> {
  const { directory, dns, http, https, closing } = world;
  const database = `sqlite:${join(directory, 'nameplate.db')}`;
  await writeFile(join(directory, 'cas.pem'), cas.map(({ trustRoots }) => trustRoots).join(''));
  const issuing = join(directory, 'issuing.pem');
  await writeFile(issuing, cas.map(({ issuingRoots }) => issuingRoots).join(''));
  const [first, second] = cas.map(({ directoryUrl }) => directoryUrl);
  const server = await startServer({
    ...{ database, nameserverPort: dns.port, challengePort: http, checkIntervalMs: 500, windowMs: 3_600_000 },
    roles: 'api,verifier,certificates,edge',
    env: {
      NAMEPLATE_ISSUER: 'acme',
      NAMEPLATE_ACME_DIRECTORY: first ?? '',
      NAMEPLATE_ACME_SECOND_DIRECTORY: second ?? '',
      NAMEPLATE_ACME_CA_FILE: join(directory, 'cas.pem'),
      NAMEPLATE_ACME_ALLOWED_NETWORKS: '127.0.0.0/8',
      NAMEPLATE_EDGE_ALLOWED_NETWORKS: '127.0.0.0/8',
      NAMEPLATE_EDGE_HTTP_LISTEN: `${NEW}:${http}`,
      NAMEPLATE_EDGE_HTTPS_LISTEN: `${NEW}:${https}`,
      NAMEPLATE_EDGE_HTTPS_PORT: String(https),
      ...settings,
    },
  });
  closing.push(server.stop);

  const env: Record<string, string> = {
    NAMEPLATE_DATABASE_URL: database,
    NAMEPLATE_ENCRYPTION_KEY: ENCRYPTION_KEY,
    NAMEPLATE_URL: server.url,
    NAMEPLATE_MOVE_TOKEN: CLOUDFLARE_TOKEN,
    NODE_EXTRA_CA_CERTS: issuing,
  };
  async function run(...words: string[]): Promise<Ended> {
    const ended = await start(words, { env }).ended;
    const said = `nameplate ${words.join(' ')} ended with ${ended.code}: ${ended.stdout}${ended.stderr}`;
    if (ended.code !== 0 && ended.code !== BLOCKED) throw new Error(said);
    return ended;
  }
  const json = async <T>(...words: string[]): Promise<T> => JSON.parse((await run(...words, '--json')).stdout);

  const { workspaceId, key } = await json<{ workspaceId: string; key: string }>('init', 'platform');
  env.NAMEPLATE_ROOT_KEY = key;
  await run('deployments', 'create', world.origin, ...PLACE);
  await run('targets', 'add', TARGET, '--workspace', workspaceId);
  // The first key may not take names that lead here already.
  const permission = ['--permission', 'environment.*.use_shared_target'];
  env.NAMEPLATE_ROOT_KEY = (
    await json<{ key: string }>('keys', 'create', '--workspace', workspaceId, '--preset', 'platform', ...permission)
  ).key;
  const report = ['--report', join(directory, 'report.csv')];
  const move = (...from: string[]) => json('move', 'from', ...from, '--target', TARGET, ...PLACE, ...report);
  const check = () => json('move', 'check', '--all', '--edge', `${NEW}:${https}`);
  return { server, run, json, check, move };
}

/** Resolves once all names can be switched, as the board says. */
export function untilReady({ json }: Platform): Promise<void> {
  const status = () => json<{ total: number; readyToSwitch: number }>('move', 'status');
  return until(`${NAMES} names are ready to switch`, async () => (await status()).readyToSwitch === NAMES, 15);
}

/** Exit code of commands that did what they should, and report names that are not ready or were refused. */
const BLOCKED = 3;

/** Where `init` made an environment. */
export const PLACE = ['--project', 'main', '--app', 'web', '--environment', 'production'];

export interface Visitors {
  /** How often each result came: `127.0.0.2` for a visit that this server answered well, or what went wrong. */
  results: Map<string, number>;
  /** Resolves after so many more visits that this server answered well; rejects after two minutes. */
  reach(address: string, more: number): Promise<void>;
  /** Waits for visits in flight; resolves with the number of visits, and of those that failed by reason. */
  stop(): Promise<{ visits: number; failed: Record<string, number> }>;
}

/** Visits of names at random, at a fixed rate whatever becomes of those before, as `visit` makes one. */
export function startVisitors(world: World, roots: string[], random: () => number): Visitors {
  const secureContext = createSecureContext({ ca: roots });
  const results = new Map<string, number>();
  const under = new Set<Promise<void>>();
  const counted = (result: string) => results.get(result) ?? 0;
  const count = (result: string) => void results.set(result, counted(result) + 1);
  const timer = setInterval(() => {
    const name = world.names[Math.floor(random() * world.names.length)] ?? '';
    const one = visit(world, { name, secureContext })
      .then(count, (error: Error) => count(`${error.message} (${name})`))
      .finally(() => under.delete(one));
    under.add(one);
  }, 1000 / RATE);
  return {
    results,
    reach(address, more) {
      const wanted = counted(address) + more;
      return until(`${more} more visits at ${address}`, () => counted(address) >= wanted);
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(under);
      const failed = [...results].filter(([result]) => result !== OLD && result !== NEW);
      return { visits: [...results.values()].reduce((a, b) => a + b, 0), failed: Object.fromEntries(failed) };
    },
  };
}

export interface Visit {
  name: string;
  /** Trusts those CAs. */
  secureContext: SecureContext;
  /** The address in place of that which the name has. */
  host?: string;
}

/** One visit as a browser makes it: the name is resolved, and the certificate has to be right for it. */
export async function visit({ dns, https }: World, { name, secureContext, host: given }: Visit): Promise<string> {
  const host = given ?? (await addressOf(dns, name));
  // The first visit of a name may last: Caddy obtains its certificate then.
  const signal = AbortSignal.timeout(given === undefined ? VISIT_LIMIT_MS : 120_000);
  const about = { host, port: https, servername: name, headers: { host: name }, secureContext, agent: false, signal };
  const [response] = (await once(request(about).end(), 'response', { signal })) as [IncomingMessage];
  const page = await text(response);
  if (response.statusCode !== 200 || page !== name) throw new Error(`${host}: ${response.statusCode} ${page}`);
  return host;
}

/** Visits each name once, at one address unless that is the one which it has; rejects when a visit fails. */
export async function visitEach(world: World, roots: string[], host?: string): Promise<void> {
  const secureContext = createSecureContext({ ca: roots });
  const names = [...world.names];
  const visitor = async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop())
      await visit(world, { name, secureContext, ...(host !== undefined && { host }) });
  };
  await Promise.all(Array.from({ length: 8 }, visitor));
}

async function addressOf({ address, port }: Simulator, name: string): Promise<string> {
  // A chain: the platform's name, and its address.
  const answers = [await answersOf(`${address}:${port}`, { name, type: 'A' })].flat();
  const found = answers.find((answer) => isIPv4(answer));
  if (found === undefined) throw new Error(`${name} has no address: ${answers}`);
  return found;
}

/** Prints how long a step took, for people; resolves with what it made. */
export async function timed<T>(step: string, act: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const made = await act();
  console.log(`${step}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return made;
}
