import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Server, startServer } from '../support/server-process.ts';
import { createSite, plant, type Site, type Tenant } from '../support/server-site.ts';

// `nameplate serve` with checks and certificates in a thread of their own.

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
    env: { NAMEPLATE_API_THREADS: '1', NAMEPLATE_ISSUER: 'internal', BLOCKED_DIRECTORY: site.directory, ...env },
    preload: join(import.meta.dirname, 'blocked-background.ts'),
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

it('requests are answered while the event loop of checks stands still, and the checks go on afterwards', async () => {
  const server = await serve();
  await create(server, 'one.acme.com');
  writeFileSync(join(site.directory, 'begin'), '');
  await vi.waitUntil(() => existsSync(join(site.directory, 'blocked')), { timeout: 20_000 });
  for (let i = 0; i < 20; i += 1) {
    expect((await create(server, `name${i}.acme.com`)).status).toBe(200);
    expect((await call(server, 'getDomain', { domain: 'one.acme.com' })).status).toBe(200);
  }
  writeFileSync(join(site.directory, 'end'), '');
  const checked = async () => (await call(server, 'getDomain', { domain: 'name19.acme.com' })).data.status;
  await vi.waitUntil(async () => (await checked()) === 'verifying', { timeout: 20_000 });
  expect(server.errors()).toEqual([]);
  await server.stop();
  expect(await server.ended).toBe(0);
});
