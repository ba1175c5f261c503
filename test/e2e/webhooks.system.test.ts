import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../server/src/base/log.ts';
import { readServerConfig } from '../../server/src/config/config.ts';
import { type RunningServer, startServer } from '../../server/src/main.ts';
import type { Closing } from '../support/closing.ts';
import { temporaryDirectory } from '../support/command.ts';
import { type Planted, plant } from '../support/entities.ts';
import { type Receiver, startReceiver } from '../webhooks/receivers.ts';
import { addDomain, removeDomain, SECRET, subscribe } from '../webhooks/world.ts';

const directory = temporaryDirectory();
const closing: Closing = [];
const clock = { now: Date.now, advance() {} };
let server: RunningServer;
let planted: Planted;
let receiver: Receiver;

beforeAll(async () => {
  const config = readServerConfig({
    NAMEPLATE_CNAME_ZONE: 'cname.example.net',
    NAMEPLATE_DNS_RESOLVERS: '192.0.2.53',
    NAMEPLATE_DATABASE_URL: `sqlite:${directory.path}/nameplate.db`,
    NAMEPLATE_ROLES: 'api,verifier',
    NAMEPLATE_LISTEN: '127.0.0.1:0',
    // Deliveries have a thread of their own.
    NAMEPLATE_API_THREADS: '1',
    NAMEPLATE_METRICS_LISTEN: '127.0.0.1:0',
    NAMEPLATE_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1',
    NAMEPLATE_WEBHOOK_SCHEMES: 'https,http',
  });
  server = await startServer(config, { log: createLog('silent') });
  receiver = await startReceiver(closing, SECRET);
  planted = await plant(server.store);
  await subscribe({ store: server.store, clock }, planted, receiver.url);
});
afterAll(async () => {
  await server.stop();
  for (const close of closing) await close();
  directory.remove();
});

test('a server delivers the events of a domain, and counts them', async () => {
  const world = { store: server.store, clock };
  const id = await addDomain(world, planted, 'a.example.com');
  await removeDomain(world, planted, id);
  await receiver.got(2);
  expect(receiver.received.map(({ type }) => type)).toEqual(['domain.created', 'domain.deleted']);
  await expect
    .poll(async () => (await fetch(`${server.metrics}/metrics`)).text())
    .toContain('nameplate_webhook_deliveries_total{outcome="delivered"} 2');
});
