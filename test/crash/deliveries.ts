import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { databaseAt, keyringFor } from '../../server/src/store/database.ts';
import { parseKeys } from '../../server/src/store/sealing/keyring.ts';
import { parseDatabaseUrl } from '../../server/src/store/url.ts';
import { createLedger } from '../support/acknowledged.ts';
import type { Closing } from '../support/closing.ts';
import { ENCRYPTION_KEY } from '../support/encryption-key.ts';
import { newId } from '../support/entities.ts';
import { type Scene, startLoad } from '../support/load.ts';
import type { PostgresServer } from '../support/postgres.ts';
import type { Random } from '../support/seeded-random.ts';
import { embedded, onPostgres } from '../support/server-data.ts';
import { type Server, startServer } from '../support/server-process.ts';
import { createSite, plant, type Site, type Tenant, until } from '../support/server-site.ts';
import { type Received, type Receiver, startRawReceiver, startReceiver } from '../webhooks/receivers.ts';

/** Counts of deliveries to webhooks over all kills. */
export interface DeliveriesSurvived extends Record<string, number> {
  kills: number;
  /** Events in the timelines. */
  events: number;
  /** Requests that receivers got. */
  requests: number;
  /** Requests for an event that a receiver had got before. */
  repetitions: number;
  domains: number;
}

const SCHEDULE = { checkIntervalMs: 600, windowMs: 10_000 };
const LOAD = { clients: 6, pauseMs: 12, most: 40 };
/** Soon after a kill, what was in flight is due again. */
const LEASE_MS = 1500;
const SECRET = `whsec_${Buffer.alloc(24, 3).toString('base64')}`;

/**
 * Kills the server `kills` times at random moments while clients change domains and receivers get the events, and sees
 * that each receiver gets each event, in the order of its domain's timeline, and that what it gets twice has the same
 * id and body. One receiver never answers.
 */
export async function surviveDelivering(
  kills: number,
  random: Random,
  postgres?: PostgresServer,
): Promise<DeliveriesSurvived> {
  const closing: Closing = [];
  const site = await createSite(SCHEDULE, postgres === undefined ? embedded : onPostgres(postgres));
  try {
    const tenants = [await plant(site), await plant(site)] as const;
    const receivers = await Promise.all(tenants.map(() => startMoody(closing, random)));
    for (const [i, tenant] of tenants.entries()) await subscribe(site, tenant, receivers[i]?.receiver.url ?? '');
    await subscribe(site, tenants[1], await startRawReceiver(closing, (socket) => socket.resume()));
    const scene: Scene = { site, tenants, ledger: createLedger(), random };
    for (let kill = 0; kill < kills; kill++) await killDelivering(scene);

    for (const { calm } of receivers) calm();
    const server = await serve(site);
    const [dead] = await site.data.query(`select id from webhooks order by created_at desc limit 1`);
    const waiting = `select 1 from webhook_deliveries where finished_at is null and webhook_id <> '${dead?.id}' limit 1`;
    await until('everything is delivered', async () => (await site.data.query(waiting)).length === 0);
    await server.kill();

    const survived: DeliveriesSurvived = { kills, events: 0, requests: 0, repetitions: 0, domains: 0 };
    for (const [i, tenant] of tenants.entries())
      await compare(site, tenant, receivers[i]?.receiver.received ?? [], survived);
    return survived;
  } finally {
    await site.close();
    for (const close of closing.reverse()) await close();
  }
}

function serve(site: Site): Promise<Server> {
  const env = { NAMEPLATE_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', NAMEPLATE_WEBHOOK_SCHEMES: 'https,http' };
  const about = { ...SCHEDULE, deliveryLeaseMs: LEASE_MS, nameserverPort: site.dns.port };
  return startServer({ ...about, database: site.data.url, env });
}

async function killDelivering(scene: Scene): Promise<void> {
  const server = await serve(scene.site);
  const load = startLoad(scene, () => server.url, LOAD);
  await delay(scene.random.between(0, 1000));
  load.expectFailures();
  await server.kill();
  load.finish();
  await load.ended;
  expect(server.errors()).toEqual([]);
}

/**
 * A receiver that, until it is told to be calm, answers some requests late, with 500, or not at all; the same event
 * once at most.
 */
async function startMoody(closing: Closing, random: Random): Promise<{ receiver: Receiver; calm(): void }> {
  const refused = new Set<string>();
  const receiver = await startReceiver(closing, SECRET, (response) => {
    const id = receiver.received.at(-1)?.id ?? '';
    if (random.chance(0.9) || refused.has(id)) {
      setTimeout(() => response.end('received'), random.between(0, 30));
      return;
    }
    refused.add(id);
    if (random.chance(0.5)) response.writeHead(500).end();
    else response.destroy();
  });
  return {
    receiver,
    calm() {
      receiver.behaviour = 204;
    },
  };
}

async function subscribe(site: Site, { workspaceId }: Tenant, url: string): Promise<void> {
  const database = await databaseAt(parseDatabaseUrl(site.data.url));
  const store = await database.open({ keyring: keyringFor(database, parseKeys(ENCRYPTION_KEY)) });
  const createdAt = Date.now();
  const about = { types: null, createdAt, updatedAt: null, disabledAt: null, disabledReason: null, failingSince: null };
  const secret = { id: newId('whs'), secret: new Uint8Array(Buffer.from(SECRET)), createdAt };
  await store.createWebhook({ id: newId('wh'), workspaceId, url, ...about }, secret, 10);
  await store.close();
}

/** Holds what a receiver got against the timelines of the workspace. */
async function compare(
  site: Site,
  { workspaceId }: Tenant,
  received: readonly Received[],
  survived: DeliveriesSurvived,
): Promise<void> {
  const rows = await site.data.query(
    `select id, domain_id, type from events where workspace_id = '${workspaceId}' order by seq`,
  );
  const domainOf = new Map(rows.map(({ id, domain_id }) => [String(id), String(domain_id)]));
  const timelines = Map.groupBy(rows, ({ domain_id }) => String(domain_id));
  const requests = Map.groupBy(received, ({ id }) => domainOf.get(id) ?? `no domain of event ${id}`);
  expect([...requests.keys()].toSorted()).toEqual([...timelines.keys()].toSorted());
  for (const [domainId, timeline] of timelines) {
    const got = requests.get(domainId) ?? [];
    // Where an event is repeated, no later one has come before.
    const inOrder = got.filter(({ id }, i) => id !== got[i - 1]?.id);
    expect(inOrder.map(({ id, type }) => `${id} ${type}`)).toEqual(timeline.map(({ id, type }) => `${id} ${type}`));
    for (const same of Map.groupBy(got, ({ id }) => id).values())
      expect(new Set(same.map(({ body }) => body)).size).toBe(1);
    survived.repetitions += got.length - inOrder.length;
  }
  survived.events += rows.length;
  survived.requests += received.length;
  survived.domains += timelines.size;
}
