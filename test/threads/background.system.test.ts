import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ANY_PORTS, start } from '../support/command.ts';
import { type Server, startServer } from '../support/server-process.ts';
import { createSite, plant, type Site, type Tenant } from '../support/server-site.ts';

// `nameplate serve` with checks and certificates in a thread of their own, and what becomes of it when threads die.

const FAULTS = join(import.meta.dirname, 'faulty-threads.ts');
const SCHEDULE = { checkIntervalMs: 50, windowMs: 600_000 };

let site: Site;
let tenant: Tenant;
beforeEach(async () => {
  site = await createSite(SCHEDULE);
  tenant = await plant(site);
});
afterEach(() => site.close());

async function serve(env: Record<string, string> = {}): Promise<Server> {
  return startServer({
    ...SCHEDULE,
    database: site.data.url,
    nameserverPort: site.dns.port,
    roles: 'api,verifier,certificates',
    env: { NAMEPLATE_API_THREADS: '1', NAMEPLATE_ISSUER: 'internal', FAULTS_DIRECTORY: site.directory, ...env },
    preload: FAULTS,
  });
}

async function call(
  server: Server,
  operation: string,
  body: object,
): Promise<{ status: number; data: { status: string } }> {
  const response = await fetch(`${server.url}/v2/domains.${operation}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { data } = (await response.json()) as { data: { status: string } };
  return { status: response.status, data };
}

const create = (server: Server, domain: string) =>
  call(server, 'createDomain', { project: 'ppp', app: 'aaa', environment: 'eee', domain });

async function untilChecked(server: Server, domain: string): Promise<void> {
  const status = async () => (await call(server, 'getDomain', { domain })).data.status;
  await vi.waitUntil(async () => (await status()) === 'verifying', { timeout: 20_000 });
}

it('requests are answered while the event loop of checks stands still, and the checks go on afterwards', async () => {
  const server = await serve();
  await create(server, 'one.acme.com');
  writeFileSync(join(site.directory, 'block-background'), '');
  await vi.waitUntil(() => existsSync(join(site.directory, 'blocked-background')), { timeout: 20_000 });
  for (let i = 0; i < 20; i += 1) {
    expect((await create(server, `name${i}.acme.com`)).status).toBe(200);
    expect((await call(server, 'getDomain', { domain: 'one.acme.com' })).status).toBe(200);
  }
  writeFileSync(join(site.directory, 'release-background'), '');
  await untilChecked(server, 'name19.acme.com');
  expect(server.errors()).toEqual([]);
  await server.stop();
  expect(await server.ended).toBe(0);
});

it('a thread of checks that dies is replaced, and the checks go on', async () => {
  const server = await serve();
  await create(server, 'one.acme.com');
  await untilChecked(server, 'one.acme.com');
  writeFileSync(join(site.directory, 'crash-background'), '');
  await vi.waitUntil(() => server.errors().length > 0, { timeout: 20_000 });
  await create(server, 'two.acme.com');
  await untilChecked(server, 'two.acme.com');
  expect(server.errors()).toMatchObject([
    { level: 50, thread: 'background', restartInSeconds: 1, err: { message: 'as it was told' } },
  ]);
  await server.stop();
});

it('while a thread of the API hangs, the others answer', async () => {
  const server = await serve({ NAMEPLATE_API_THREADS: '2' });
  await create(server, 'one.acme.com');
  writeFileSync(join(site.directory, 'block-api'), '');
  await vi.waitUntil(() => existsSync(join(site.directory, 'blocked-api')), { timeout: 20_000 });
  let answered = 0;
  // Each on a connection of its own: that none reaches the main thread has a probability of 2^-48.
  const statuses = Array.from({ length: 48 }, async () => {
    const [response] = await once(get(`${server.url}/healthz`, { agent: false }), 'response');
    answered += 1;
    return response.resume().statusCode;
  });
  await vi.waitUntil(() => answered > 0, { timeout: 20_000 });
  writeFileSync(join(site.directory, 'release-api'), '');
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
  await server.stop();
});

it('a process whose writer thread dies ends with exit code 1, and one line of the log says why', async () => {
  const server = start(['serve'], {
    env: {
      NODE_OPTIONS: `--import=${FAULTS}`,
      FAULTS_DIRECTORY: site.directory,
      NAMEPLATE_CNAME_ZONE: 'cname.example.net',
      NAMEPLATE_DNS_RESOLVERS: '192.0.2.53',
      NAMEPLATE_DATABASE_URL: site.data.url,
      NAMEPLATE_LISTEN: '127.0.0.1:0',
      NAMEPLATE_METRICS_LISTEN: 'off',
      NAMEPLATE_ROLES: 'api',
    },
  });
  await server.says(/^\{.*"msg":"ready"\}$/m);
  writeFileSync(join(site.directory, 'crash-writer'), '');
  const { code, stdout, stderr } = await server.ended;
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ level }) => level >= 50)).toMatchObject([
    {
      level: 60,
      thread: 'writer',
      err: { message: 'as it was told' },
      msg: expect.stringContaining('the process ends'),
    },
  ]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
});

it('so does a playground', async () => {
  const env = { NODE_OPTIONS: `--import=${FAULTS}`, FAULTS_DIRECTORY: site.directory };
  const playground = start(['dev', '--data', join(site.directory, 'playground'), ...ANY_PORTS], { env });
  await playground.says(/Ctrl-C/);
  writeFileSync(join(site.directory, 'crash-writer'), '');
  const { code, stdout } = await playground.ended;
  expect(stdout).toMatch(/a thread that the process needs has ended; the process ends: as it was told\n\n {2}Stopping/);
  expect(code).toBe(1);
});
