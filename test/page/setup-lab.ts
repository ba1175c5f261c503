import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server as HttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Browser, BrowserContext } from 'playwright-core';
import { createClient, type Domain, type NameplateClient } from '../../client/client.ts';
import { seed } from '../../playground/seed.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import { idMaker } from '../../server/src/base/ids.ts';
import { databaseAt } from '../../server/src/store/database.ts';
import { parseDatabaseUrl } from '../../server/src/store/url.ts';
import { type Internet, startInternet } from '../interop/internet.ts';
import type { Nameserver } from '../interop/knot.ts';
import { startBrowser } from '../support/browser.ts';
import { runJson } from '../support/command.ts';
import { japaneseFonts } from '../support/fonts.ts';
import { freePort } from '../support/free-port.ts';
import { type Pebble, startPebble } from '../support/pebble.ts';
import { type Server, startServer } from '../support/server-process.ts';

/**
 * The set-up page as customers meet it: the program in a process of its own with all roles, an Internet of real DNS
 * servers, a real CA, an origin, and Chromium.
 */
export interface SetupLab {
  internet: Internet;
  /** Nameservers of a provider, with the same content. */
  servers: [Nameserver, Nameserver];
  pebble: Pebble;
  server: Server;
  client: NameplateClient;
  browser: Browser;
  /** Answers what the edge forwards; a test may have it answer otherwise. */
  origin: { answer: RequestListener };
  /** A client of another workspace, with a project, app and environment of the same names and nothing deployed. */
  otherWorkspace(): Promise<NameplateClient>;
  /** A link of `nameplate dashboard login`. */
  signInLink(as?: string): Promise<string>;
  /** A domain, and a link to its set-up page. */
  invite(name: string): Promise<Invitation>;
  /** The browser in which a customer opens links. */
  openBrowser(locale?: string): Promise<BrowserContext>;
  /** The body of `responseOverHttps`. */
  requestOverHttps(name: string): Promise<string>;
  /** The response to a request for the name, through the edge, to a client that trusts `ca`: the CA unless given. */
  responseOverHttps(name: string, ca?: string): Promise<IncomingMessage>;
  close(): Promise<void>;
}

export interface Invitation extends Pick<Domain, 'dnsRecords'> {
  url: string;
  linkId: string;
}

/** Every target leads there. */
export const EDGE_ADDRESS = '127.0.0.1';
export const GREETING = 'hello from the origin';
const CA_NAME = 'ca.test';
export const PLACE = { project: 'demo', app: 'web', environment: 'production' };
const WINDOW_MS = 24 * 3_600_000;

export interface SetupLabOptions {
  /** Interval of the background checks, in ms. */
  checkIntervalMs: number;
  /** An empty one, or one with the schema; a file of SQLite unless given. */
  database?: string;
  /** The server answers for a zone of its own, by which certificates are ordered over DNS. */
  hasChallengeZone?: true;
  /** More variables of the server. */
  env?: Record<string, string>;
}

const ROLES = 'api,verifier,certificates,edge';

/** The first time programs may have to be fetched, see `START_LIMIT_MS`. `dist/page` must have been built. */
export async function startSetupLab({ checkIntervalMs, env, ...options }: SetupLabOptions): Promise<SetupLab> {
  const closing: (() => unknown)[] = [];
  const keep = <T extends { close(): unknown }>(one: T): T => {
    closing.push(() => one.close());
    return one;
  };
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-setup-'));
  closing.push(() => rm(directory, { recursive: true }));
  const internet = keep(await startInternet());
  await publishNeighbours(internet);
  const [apiPort, httpPort, httpsPort] = [await freePort(), await freePort(), await freePort()];
  const dns = { address: internet.resolver.address, port: internet.port };
  const pebble = keep(await startPebble({ dns, httpPort, env: { PEBBLE_VA_NOSLEEP: '1' } }));
  const trusted = join(directory, 'ca.pem');
  await writeFile(trusted, pebble.trustRoots);
  const { database = `sqlite:${directory}/nameplate.db` } = options;
  const directoryServer = keep(await startDirectory(pebble));
  const { rootKey, workspaceId } = await createWorkspace(database);
  const url = `http://127.0.0.1:${apiPort}`;
  const server = await startServer({
    database,
    nameserverPort: internet.port,
    challengePort: httpPort,
    checkIntervalMs,
    windowMs: WINDOW_MS,
    roles: ROLES,
    env: {
      NAMEPLATE_LISTEN: `127.0.0.1:${apiPort}`,
      NAMEPLATE_PUBLIC_URL: url,
      NAMEPLATE_DNS_RESOLVERS: `${dns.address}:${dns.port}`,
      NAMEPLATE_ISSUER: 'acme',
      NAMEPLATE_ACME_DIRECTORY: `http://127.0.0.1:${portOf(directoryServer)}/dir`,
      NAMEPLATE_ACME_CAA_NAMES: CA_NAME,
      NAMEPLATE_ACME_CA_FILE: trusted,
      NAMEPLATE_ACME_ALLOWED_NETWORKS: '127.0.0.0/8',
      NAMEPLATE_EDGE_HTTP_LISTEN: `127.0.0.1:${httpPort}`,
      NAMEPLATE_EDGE_HTTPS_LISTEN: `127.0.0.1:${httpsPort}`,
      NAMEPLATE_EDGE_HTTPS_PORT: String(httpsPort),
      NAMEPLATE_EDGE_ADDRESSES: EDGE_ADDRESS,
      NAMEPLATE_EDGE_ALLOWED_NETWORKS: '127.0.0.0/8',
      ...(options.hasChallengeZone && (await delegateChallenges(internet))),
      ...env,
    },
  });
  closing.push(() => server.kill());
  const client = createClient({ baseUrl: server.url, rootKey });
  const origin: SetupLab['origin'] = { answer: (_, response) => void response.end(GREETING) };
  const originServer = keep(
    await startHttp((request, response) => origin.answer(request, response.setHeader('connection', 'close'))),
  );
  await client.deployments.createDeployment({ ...PLACE, origin: `http://127.0.0.1:${portOf(originServer)}` });
  const { browser, close } = await startBrowser({
    resolve: `MAP *.test:443 127.0.0.1:${httpsPort}`,
    fonts: await japaneseFonts(),
  });
  closing.push(close);
  const responseOverHttps: SetupLab['responseOverHttps'] = async (name, ca = pebble.issuingRoots) => {
    const to = { host: '127.0.0.1', port: httpsPort, servername: name, headers: { host: name }, agent: false };
    const [response] = await once(get({ ...to, ca }), 'response');
    return response;
  };

  return {
    internet,
    servers: internet.nameservers,
    pebble,
    server,
    client,
    browser,
    origin,
    async otherWorkspace() {
      const about = { env: { NAMEPLATE_DATABASE_URL: database } };
      const { id } = await runJson<{ id: string }>(['workspaces', 'create', 'other'], about);
      const words = ['keys', 'create', '--workspace', id, '--preset', 'owner'];
      const { key } = await runJson<{ key: string }>(words, about);
      const other = createClient({ baseUrl: server.url, rootKey: key });
      await other.projects.createProject({ slug: PLACE.project });
      await other.apps.createApp({ project: PLACE.project, slug: PLACE.app });
      await other.environments.createEnvironment({ project: PLACE.project, app: PLACE.app, slug: PLACE.environment });
      return other;
    },
    async signInLink(as = 'ada') {
      const words = ['dashboard', 'login', '--workspace', workspaceId, '--as', as, '--preset', 'owner'];
      const variables = { NAMEPLATE_DATABASE_URL: database, NAMEPLATE_PUBLIC_URL: url };
      return (await runJson<{ url: string }>(words, { env: variables })).url;
    },
    async invite(name) {
      const { dnsRecords } = await client.domains.createDomain({ ...PLACE, domain: name });
      return { dnsRecords, ...(await client.domains.createSetupLink({ domain: name })) };
    },
    // The browser does not know pebble: `requestOverHttps` verifies certificates.
    openBrowser: (locale = 'en') => browser.newContext({ locale, ignoreHTTPSErrors: true }),
    requestOverHttps: async (name) => text(await responseOverHttps(name)),
    responseOverHttps,
    async close() {
      for (const one of closing.reverse()) await one();
    },
  };
}

/** The platform's own zone, and the host that customers come from. */
async function publishNeighbours(internet: Internet): Promise<void> {
  await (await internet.register('nameplate')).publish(`*.cname A ${EDGE_ADDRESS}`);
  await (await internet.register('oldhost')).publish('shops A 127.0.0.9');
}

/** Resolves with the variables of the server that answers for them. */
async function delegateChallenges(internet: Internet): Promise<Record<string, string>> {
  const { host, address } = internet.spareHost();
  const { name } = await internet.register('challenges', [{ host, address }]);
  return {
    NAMEPLATE_ROLES: `${ROLES},dns`,
    NAMEPLATE_CHALLENGE_ZONE: name,
    NAMEPLATE_DNS_SERVERS: `${host}=${address}`,
    NAMEPLATE_DNS_LISTEN: `${address}:${internet.port}`,
  };
}

async function createWorkspace(url: string): ReturnType<typeof seed> {
  const store = await (await databaseAt(parseDatabaseUrl(url))).open();
  const seeded = await seed({ store, clock: systemClock, newId: idMaker(systemClock), randomBytes }, undefined);
  await store.close();
  return seeded;
}

/**
 * The directory of pebble, which does not say how the CA calls itself in CAA records (RFC 8555 section 7.1.1), with
 * that.
 */
async function startDirectory({ directoryUrl, trustRoots }: Pebble): Promise<HttpServer> {
  const [response] = await once(get(directoryUrl, { ca: trustRoots }), 'response');
  const { meta, ...directory } = JSON.parse(await text(response));
  const body = JSON.stringify({ ...directory, meta: { ...meta, caaIdentities: [CA_NAME] } });
  return startHttp((_, found) => void found.setHeader('content-type', 'application/json').end(body));
}

async function startHttp(answer: RequestListener): Promise<HttpServer> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function portOf(server: HttpServer): number {
  return (server.address() as AddressInfo).port;
}
