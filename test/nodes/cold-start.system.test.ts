import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Domain } from '../../server/src/domain/domain.ts';
import { readEdgeCache } from '../../server/src/edge/cache/edge-cache-file.ts';
import { databaseAt, keyringFor } from '../../server/src/store/database.ts';
import { parseKeys } from '../../server/src/store/sealing/keyring.ts';
import type { Environment, Store } from '../../server/src/store/store.ts';
import { parseDatabaseUrl } from '../../server/src/store/url.ts';
import { issue } from '../edge/authority.ts';
import { handshake, overHttps } from '../edge/harness.ts';
import { ask } from '../support/api-client.ts';
import { verify } from '../support/certificates.ts';
import { ENCRYPTION_KEY } from '../support/encryption-key.ts';
import { aDeployment } from '../support/entities.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { onPostgres } from '../support/server-data.ts';
import { type Server, type ServerStart, startServer } from '../support/server-process.ts';
import { createSite, plant, type Site, type Tenant, until } from '../support/server-site.ts';
import { startProxy, type Proxy as TcpProxy } from '../support/tcp-proxy.ts';

/** A node whose edge is started while PostgreSQL cannot be reached. */

/** How long the database is away, in ms; the node is killed in the middle. */
const OUTAGE_MS = Number(process.env.OUTAGE_MS ?? 0);
const NAMES = OUTAGE_MS > 0 ? 30 : 10;
const TEST_LIMIT_MS = 240_000 + 2 * OUTAGE_MS;
const SCHEDULE = { checkIntervalMs: 1000, windowMs: 86_400_000 };

let postgres: PostgresServer;
let site: Site;
let proxy: TcpProxy;
let store: Store;
let tenant: Tenant;
let domains: Domain[];
const nodes: Server[] = [];
const origin = createServer((request, response) => response.end(`origin of ${request.headers.host}`));

beforeAll(async () => {
  postgres = await startPostgres();
  origin.listen(0, '127.0.0.1');
});
afterAll(async () => {
  origin.close();
  await postgres.close();
});

beforeEach(async () => {
  site = await createSite(SCHEDULE, onPostgres(postgres));
  proxy = await startProxy(Number(new URL(site.data.url).port));
  tenant = await plant(site);
  const database = await databaseAt(parseDatabaseUrl(site.data.url));
  store = await database.open({ keyring: keyringFor(database, parseKeys(ENCRYPTION_KEY)) });
  const place = { project: 'ppp', app: 'aaa', environment: 'eee' };
  const environment = (await store.findEnvironment(tenant.workspaceId, place)) as Environment;
  const { port } = origin.address() as AddressInfo;
  await store.createDeployment(aDeployment(environment, { origin: `http://127.0.0.1:${port}` }));
  domains = await Promise.all(
    Array.from({ length: NAMES }, async (_, i) => {
      const domain = await verify(store, environment, { name: `site${i}.example.com`, at: Date.now() });
      const { serial: __, ...issued } = issue(domain.name);
      await store.importCertificate(domain.name, issued, Date.now());
      return domain;
    }),
  );
});
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.kill()));
  await proxy.close();
  await store.close();
  await site.close();
});

/** Through the proxy. */
function databaseUrl(): string {
  const url = new URL(site.data.url);
  url.port = String(proxy.port);
  return url.href;
}

/** A node that reaches PostgreSQL through the proxy. */
async function serve(env: Record<string, string> = {}): Promise<Server> {
  const start: ServerStart = {
    ...SCHEDULE,
    database: databaseUrl(),
    nameserverPort: site.dns.port,
    roles: 'api,verifier,certificates,edge',
    env: {
      NAMEPLATE_ISSUER: 'internal',
      NAMEPLATE_MONITORING: 'off',
      NAMEPLATE_API_THREADS: '1',
      NAMEPLATE_EDGE_THREADS: '2',
      NAMEPLATE_EDGE_HTTP_LISTEN: '127.0.0.1:0',
      NAMEPLATE_EDGE_HTTPS_LISTEN: '127.0.0.1:0',
      NAMEPLATE_EDGE_ALLOWED_NETWORKS: '127.0.0.0/8',
      NAMEPLATE_METRICS_LISTEN: '127.0.0.1:0',
      NAMEPLATE_EDGE_CACHE: cacheFile(),
      ...env,
    },
  };
  const node = await startServer(start);
  nodes.push(node);
  return node;
}

const cacheFile = () => join(site.directory, 'edge-cache');
const get = (node: Server, hostname: string) => overHttps({ port: node.httpsPort ?? 0, hostname });
/** Names in the file: 0 without one. */
async function namesInFile(): Promise<number> {
  const database = await databaseAt(parseDatabaseUrl(databaseUrl()));
  const keyring = keyringFor(database, parseKeys(ENCRYPTION_KEY));
  const file = { path: cacheFile(), database: database.name, keyring };
  const found = await readEdgeCache<object>(file);
  return found?.entries.filter((entry) => 'hostname' in entry).length ?? 0;
}

async function expectServed(node: Server, names: Domain[] = domains): Promise<void> {
  // Both threads: each connection goes to one of them.
  for (const { name } of [...names, ...names])
    expect(await get(node, name)).toMatchObject({ status: 200, text: `origin of ${name}` });
}

/** Visits every name once, and again every second for so long. Resolves with the number of visits. */
async function expectServedFor(node: Server, ms: number): Promise<number> {
  const end = performance.now() + ms;
  for (let visits = 2 * NAMES; ; visits += 2 * NAMES) {
    await expectServed(node);
    if (performance.now() >= end) return visits;
    await delay(1000);
  }
}

async function metric(node: Server, name: string): Promise<number> {
  const text = await (await fetch(`${node.metrics}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}

/** Serves every name, and is stopped: then all are in the file. */
async function serveOnce(): Promise<void> {
  const node = await serve();
  await expectServed(node);
  await node.stop();
  expect(await namesInFile()).toBe(NAMES);
}

async function readiness({ url }: Server): Promise<string> {
  return ((await (await fetch(`${url}/readyz`)).json()) as { status: string }).status;
}

async function expectUnready(node: Server): Promise<void> {
  expect(await readiness(node)).toBe('degraded');
  expect((await fetch(`${node.url}/healthz`)).status).toBe(200);
  const { status, headers } = await ask(node.url, tenant, 'getDomain', 'site1.example.com');
  expect([status, headers.get('retry-after')]).toEqual([500, '1']);
  expect(await metric(node, 'nameplate_store_open')).toBe(0);
}

async function expectNormal(node: Server): Promise<void> {
  await until('it is ready', async () => (await readiness(node)) === 'ready');
  await until('it says so', async () => (await metric(node, 'nameplate_store_open')) === 1);
  expect((await ask(node.url, tenant, 'getDomain', 'site1.example.com')).status).toBe(200);
  expect((await ask(node.url, tenant, 'createDomain', 'later.example.com')).status).toBe(200);
  // By the verifier, in a thread that was not started before.
  await until('a new domain is checked', async () => {
    return (await store.findDomainByName(tenant.workspaceId, 'later.example.com'))?.status === 'verifying';
  });
}

describe('a node that is started while PostgreSQL cannot be reached', () => {
  test(
    'serves every name that was served before; a name deleted meanwhile is gone when PostgreSQL is back',
    async () => {
      await serveOnce();
      await proxy.refuse();
      const before = await serve();
      const visits = await expectServedFor(before, OUTAGE_MS / 2);
      await before.kill();
      const node = await serve();
      await expectUnready(node);
      await expect(handshake(node.httpsPort ?? 0, { servername: 'new.example.com' })).rejects.toThrow(
        /internal error/i,
      );

      // Another node reaches PostgreSQL.
      const [deleted, ...others] = domains as [Domain, ...Domain[]];
      await store.deleteDomain(tenant.workspaceId, deleted.id, Date.now());
      console.log(`${visits + (await expectServedFor(node, OUTAGE_MS / 2))} visits while PostgreSQL was away`);
      const backAt = performance.now();
      await proxy.goOn();
      await until('it is gone', () =>
        handshake(node.httpsPort ?? 0, { servername: deleted.name }).then(
          (socket) => Boolean(socket.destroy()) && false,
          (error: Error) => /unrecognized name/i.test(error.message),
        ),
      );
      console.log(`gone ${(performance.now() - backAt).toFixed(0)} ms after PostgreSQL was back`);
      await expectServed(node, others);
      await expectNormal(node);
      await node.stop();
      expect(await namesInFile()).toBe(NAMES - 1);
    },
    TEST_LIMIT_MS,
  );

  test('the same with the server stopped, and with the node killed again before it was ever reached', async () => {
    await serveOnce();
    await store.close();
    await postgres.stop();
    const killed = await serve();
    await expectUnready(killed);
    await killed.kill();
    const node = await serve();
    await postgres.start();
    store = await (await databaseAt(parseDatabaseUrl(site.data.url))).open();
    await expectServed(node);
    await expectNormal(node);
    await node.stop();
    expect(await namesInFile()).toBe(NAMES);
  }, 240_000);

  test('serves what another thread has served, when PostgreSQL goes away under it', async () => {
    const node = await serve();
    for (const { name } of domains) await get(node, name);
    await proxy.refuse();
    await expectServed(node);
  }, 120_000);

  test('does not start without names that it has served from this database, or with a file that is switched off', async () => {
    await proxy.refuse();
    await expect(serve()).rejects.toThrow(/cannot use the database/);
    await proxy.goOn();
    await serveOnce();
    await proxy.refuse();
    await expect(serve({ NAMEPLATE_EDGE_CACHE: 'off' })).rejects.toThrow(/cannot use the database/);
    await expect(serve({ NAMEPLATE_ROLES: 'api' })).rejects.toThrow(/cannot use the database/);
    const other = await startProxy(Number(new URL(site.data.url).port));
    await other.close();
    proxy.port = other.port;
    await expect(serve()).rejects.toThrow(/cannot use the database/);
  }, 120_000);
});
