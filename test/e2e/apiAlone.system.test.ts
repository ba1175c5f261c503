import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../playground/dns/simulator.ts';
import { seed } from '../../playground/seed.ts';
import type { DiagnosisData } from '../../server/src/api/domains/diagnosis-schema.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import { idMaker } from '../../server/src/base/ids.ts';
import { createLog } from '../../server/src/base/log.ts';
import { readServerConfig } from '../../server/src/config/config.ts';
import { type RunningServer, startServer } from '../../server/src/main.ts';
import { temporaryDirectory } from '../support/command.ts';
import { ENCRYPTION_KEY } from '../support/encryption-key.ts';

// A process with the role `api` alone, as one of many behind a load balancer: no checks run in it.

const directory = temporaryDirectory();
let dns: Simulator;
let server: RunningServer;
let rootKey: string;

beforeAll(async () => {
  dns = await startSimulator({ port: 0 });
  const config = readServerConfig({
    NAMEPLATE_LISTEN: '127.0.0.1:0',
    NAMEPLATE_CNAME_ZONE: 'cname.platform.test',
    NAMEPLATE_DNS_RESOLVERS: `127.0.0.1:${dns.port}`,
    NAMEPLATE_DNS_ALLOWED_NETWORKS: '127.0.0.0/8',
    NAMEPLATE_DATABASE_URL: `sqlite:${directory.path}/nameplate.db`,
    NAMEPLATE_ENCRYPTION_KEY: ENCRYPTION_KEY,
    NAMEPLATE_ROLES: 'api',
    NAMEPLATE_METRICS_LISTEN: 'off',
  });
  server = await startServer(config, { log: createLog('silent'), nameserverPort: dns.port });
  const deps = { store: server.store, clock: systemClock, newId: idMaker(systemClock), randomBytes };
  ({ rootKey } = await seed(deps, undefined));
});
afterAll(async () => {
  await dns.close();
  directory.remove();
});

async function call(operation: string, body: object): Promise<{ status: number; data: DiagnosisData }> {
  const response = await fetch(`${server.api}/v2/domains.${operation}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rootKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, data: ((await response.json()) as { data: DiagnosisData }).data };
}

const create = (domain: string) =>
  call('createDomain', { project: 'demo', app: 'web', environment: 'production', domain });

test('it asks the nameservers itself, in a thread of its own', async () => {
  await create('shop.acme.com');
  dns.set('shop.acme.com', 'CNAME', ['old.example.net']);
  const { status, data } = await call('diagnoseDomain', { domain: 'shop.acme.com' });
  expect(status).toBe(200);
  expect(data.records[0]?.seen).toMatchObject([{ outcome: 'other', values: ['old.example.net'] }]);
  expect(data.findings).toContainEqual(expect.objectContaining({ code: 'cname_elsewhere' }));
  expect(data.schedule).toMatchObject({ attempts: 0 });
});

test('it stops while a diagnosis waits for a silent nameserver', async () => {
  await create('silent.acme.com');
  dns.fail('silent.acme.com', 'timeout');
  const asked = () => dns.log().some(({ name }) => name === 'silent.acme.com');
  const diagnosis = call('diagnoseDomain', { domain: 'silent.acme.com' }).catch(() => 'disconnected');
  await expect.poll(asked).toBe(true);
  await server.stop();
  // The connection is closed after the grace period, unless the look has ended by then.
  await diagnosis;
});
