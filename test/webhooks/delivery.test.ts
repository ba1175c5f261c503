import { beforeEach, describe, expect, test } from 'vitest';
import { type DueDelivery, StoreUnavailable } from '../../server/src/store/store.ts';
import type { DeliveryWorker } from '../../server/src/webhooks/delivery-worker.ts';
import { DELIVERY_WINDOW_MS } from '../../server/src/webhooks/policy/retry-schedule.ts';
import { closingAfterEach } from '../support/closing.ts';
import { attach, plant } from '../support/entities.ts';
import { type Received, startReceiver } from './receivers.ts';
import {
  addDomain,
  openWorld,
  plantReceiver,
  removeDomain,
  SECRET,
  subscribe,
  valueWith,
  type World,
} from './world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const closing = closingAfterEach();
let world: World;
beforeEach(async () => {
  world = await openWorld(closing);
});

const typesOf = (received: readonly Received[]) => received.map(({ type }) => type);

/** Advances the clock to each next attempt, and delivers what is due, until nothing is for `ms`. */
async function pass(ms: number, stepMs = HOUR_MS): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    world.clock.advance(stepMs);
    await world.worker.runOnce();
  }
}

test('an event is delivered once, as a signed request with the domain as getDomain shows it', async () => {
  const { planted, receiver } = await plantReceiver(closing, world);
  const id = await addDomain(world, planted, 'a.example.com');
  expect(await world.worker.runOnce()).toBe(1);
  expect(await world.worker.runOnce()).toBe(0);
  const [request] = receiver.received;
  const { type, timestamp, data } = JSON.parse(request?.body ?? '');
  expect(type).toBe('domain.created');
  expect(new Date(timestamp).toISOString()).toBe(timestamp);
  expect(data.domain).toMatchObject({ id, domain: 'a.example.com', status: 'pending' });
  expect(request?.id).toMatch(/^evt_/);
});

test("an event has the platform's own data beside the domain, as it was then; a domain without any has none", async () => {
  const { planted, receiver } = await plantReceiver(closing, world);
  const { id, workspaceId } = await attach(world.store, planted.environment, { createdAt: world.clock.now() });
  const own = { externalId: 'customer_42', metadata: { plan: 'pro' } };
  await world.store.updateDomain(workspaceId, id, own, world.clock.now());
  await world.store.suspendDomain(workspaceId, id, 503, world.clock.now());
  await world.store.updateDomain(workspaceId, id, { externalId: null, metadata: null }, world.clock.now());
  await pass(60_000, 5000);
  const [created, suspended] = receiver.received.map(({ body }) => JSON.parse(body).data);
  expect(created).not.toHaveProperty('externalId');
  expect(created).not.toHaveProperty('metadata');
  expect(suspended).toMatchObject(own);
  expect(suspended.domain).not.toHaveProperty('metadata');
});

describe('the events of a domain', () => {
  test('arrive in their order, one at a time, and each is retried before the next is sent', async () => {
    const { planted, receiver } = await plantReceiver(closing, world, 500);
    const id = await addDomain(world, planted, 'a.example.com');
    await removeDomain(world, planted, id);
    await world.worker.runOnce();
    await pass(60_000, 5000);
    expect(new Set(typesOf(receiver.received))).toEqual(new Set(['domain.created']));
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
    expect(receiver.received.length).toBe(3);

    receiver.behaviour = 200;
    await pass(HOUR_MS);
    expect(typesOf(receiver.received.slice(3))).toEqual(['domain.created', 'domain.deleted']);
  });

  test('that cannot be delivered hold up no other domain of the webhook', async () => {
    const { planted, receiver } = await plantReceiver(closing, world);
    receiver.behaviour = (response) => {
      const isBad = receiver.received.at(-1)?.domain === 'bad.example.com';
      response.writeHead(isBad ? 500 : 200).end();
    };
    const bad = await addDomain(world, planted, 'bad.example.com');
    await removeDomain(world, planted, bad);
    for (const name of ['a.example.com', 'b.example.com']) await addDomain(world, planted, name);
    await world.worker.runOnce();
    expect(receiver.received.map(({ domain }) => domain).toSorted()).toEqual([
      'a.example.com',
      'b.example.com',
      'bad.example.com',
    ]);
  });

  test('are delivered once to each webhook, each in its own time', async () => {
    const { planted, receiver } = await plantReceiver(closing, world, 500);
    const other = await startReceiver(closing, SECRET);
    await subscribe(world, planted, other.url);
    const id = await addDomain(world, planted, 'a.example.com');
    await removeDomain(world, planted, id);
    await world.worker.runOnce();
    expect(typesOf(other.received)).toEqual(['domain.created', 'domain.deleted']);
    expect(typesOf(receiver.received)).toEqual(['domain.created']);
    expect(other.received[0]?.id).toBe(receiver.received[0]?.id);
  });
});

describe('over three days', () => {
  test('an event is retried, then marked failed and skipped; the next one is delivered', async () => {
    const { planted, receiver, webhookId, workspaceId } = await plantReceiver(closing, world);
    receiver.behaviour = (response) => {
      const { type, domain } = receiver.received.at(-1) ?? {};
      response.writeHead(type === 'domain.created' && domain === 'bad.example.com' ? 500 : 200).end();
    };
    const id = await addDomain(world, planted, 'bad.example.com');
    await world.worker.runOnce();
    await pass(2 * DAY_MS);
    await removeDomain(world, planted, id);
    await addDomain(world, planted, 'good.example.com');
    await pass(DAY_MS - HOUR_MS);
    expect(typesOf(receiver.received)).not.toContain('domain.deleted');
    await pass(2 * HOUR_MS);
    expect(receiver.received.at(-1)).toMatchObject({ type: 'domain.deleted', domain: 'bad.example.com' });
    const { items } = await world.store.listDeliveries(workspaceId, webhookId, { limit: 10 });
    expect(items.map(({ type, state }) => `${type} ${state}`)).toEqual([
      'domain.created delivered',
      'domain.deleted delivered',
      'domain.created failed',
    ]);
    expect(await valueWith(world.metrics.deliveries, 'failed')).toBe(1);
    expect(await valueWith(world.metrics.deliveries, 'delivered')).toBe(2);
  });

  test('a webhook to which nothing at all was delivered is disabled, and its deliveries wait', async () => {
    const { planted, receiver, webhookId, workspaceId } = await plantReceiver(closing, world, 500);
    await addDomain(world, planted, 'a.example.com');
    await world.worker.runOnce();
    await pass(DAY_MS);
    await addDomain(world, planted, 'b.example.com');
    await world.worker.runOnce();
    await pass(2 * DAY_MS - HOUR_MS);
    expect((await world.store.findWebhook(workspaceId, webhookId))?.disabledAt).toBeNull();
    await pass(8 * HOUR_MS);
    expect(await world.store.findWebhook(workspaceId, webhookId)).toMatchObject({ disabledReason: 'failing' });
    const told = world.logged.map((line) => JSON.parse(line)).find(({ msg }) => msg.includes('was disabled'));
    expect(told).toMatchObject({ workspaceId, webhookId });
    const before = receiver.received.length;
    await pass(DAY_MS);
    expect(receiver.received.length).toBe(before);

    receiver.behaviour = 200;
    await world.store.updateWebhook(workspaceId, webhookId, { enabled: true }, world.clock.now());
    await world.worker.runOnce();
    expect(receiver.received.slice(before).map(({ domain }) => domain)).toEqual(['b.example.com']);
  });

  test('a webhook is disabled together with the end of the only event that it was to get, not before', async () => {
    const { planted, webhookId, workspaceId } = await plantReceiver(closing, world, 500);
    await addDomain(world, planted, 'a.example.com');
    await world.worker.runOnce();
    await pass(3 * DAY_MS);
    const find = async () => [
      (await world.store.findWebhook(workspaceId, webhookId))?.disabledReason,
      (await world.store.listDeliveries(workspaceId, webhookId, { limit: 1 })).items[0]?.state,
    ];
    expect(await find()).toEqual([null, 'waiting']);
    world.clock.advance(60_000);
    await world.worker.runOnce();
    expect(await find()).toEqual(['failing', 'failed']);
  });

  test('a webhook of which a test failed long ago is not disabled by an event that fails once', async () => {
    const { planted, webhookId, workspaceId } = await plantReceiver(closing, world, 500);
    await world.store.addTestDelivery(workspaceId, webhookId, world.clock.now());
    await world.worker.runOnce();
    await pass(4 * DAY_MS, DAY_MS);
    const before = world.clock.now();
    await addDomain(world, planted, 'a.example.com');
    await world.worker.runOnce();
    const webhook = await world.store.findWebhook(workspaceId, webhookId);
    expect(webhook?.disabledAt).toBeNull();
    expect(webhook?.failingSince).toBeGreaterThanOrEqual(before);
  });

  test('after an outage of our own, an event that is given up at once disables no webhook', async () => {
    const { planted, webhookId, workspaceId } = await plantReceiver(closing, world, 500);
    await addDomain(world, planted, 'a.example.com');
    await world.worker.runOnce();
    world.clock.advance(4 * DAY_MS);
    await world.worker.runOnce();
    expect((await world.store.listDeliveries(workspaceId, webhookId, { limit: 1 })).items[0]?.state).toBe('failed');
    expect((await world.store.findWebhook(workspaceId, webhookId))?.disabledAt).toBeNull();
  });

  test('a webhook to which anything was delivered stays enabled', async () => {
    const { planted, receiver, webhookId, workspaceId } = await plantReceiver(closing, world);
    receiver.behaviour = (response) => {
      response.writeHead(receiver.received.at(-1)?.domain === 'bad.example.com' ? 500 : 200).end();
    };
    await addDomain(world, planted, 'bad.example.com');
    for (let day = 0; day < 5; day++) {
      await addDomain(world, planted, `d${day}.example.com`);
      await pass(DAY_MS, 4 * HOUR_MS);
    }
    expect((await world.store.findWebhook(workspaceId, webhookId))?.disabledAt).toBeNull();
    expect(receiver.received.filter(({ domain }) => domain !== 'bad.example.com')).toHaveLength(5);
  });
});

test('a test is sent once, delivered or not', async () => {
  const { receiver, webhookId, workspaceId } = await plantReceiver(closing, world, 500);
  await world.store.addTestDelivery(workspaceId, webhookId, world.clock.now());
  await world.worker.runOnce();
  await pass(DAY_MS);
  expect(typesOf(receiver.received)).toEqual(['webhook.test']);
});

test('a delivery that is asked for again carries the id of its event', async () => {
  const { planted, receiver, webhookId, workspaceId } = await plantReceiver(closing, world);
  await addDomain(world, planted, 'a.example.com');
  await world.worker.runOnce();
  const { items } = await world.store.listDeliveries(workspaceId, webhookId, { limit: 1 });
  await world.store.redeliver(workspaceId, webhookId, items[0]?.id ?? '', world.clock.now());
  await world.worker.runOnce();
  expect(receiver.received).toHaveLength(2);
  expect(receiver.received[1]).toMatchObject({ id: receiver.received[0]?.id, body: receiver.received[0]?.body });
});

describe('a shutdown', () => {
  test('waits for attempts in flight', async () => {
    const { planted, receiver } = await plantReceiver(closing, world);
    const answer = Promise.withResolvers<void>();
    receiver.behaviour = (response) => void answer.promise.then(() => response.end());
    await addDomain(world, planted, 'a.example.com');
    world.worker.start();
    await receiver.got(1);
    const stopped = world.worker.stop(60_000);
    answer.resolve();
    await stopped;
    expect(await world.makeWorker().runOnce()).toBe(0);
  });

  test('that waits no longer aborts them: they are due again at once, and the attempt does not count', async () => {
    const { planted, receiver, webhookId, workspaceId } = await plantReceiver(closing, world, () => {});
    await addDomain(world, planted, 'a.example.com');
    const worker = world.makeWorker({ timeLimitMs: 60_000 });
    worker.start();
    await receiver.got(1);
    await worker.stop(0);
    const { items } = await world.store.listDeliveries(workspaceId, webhookId, { limit: 1 });
    expect(items).toMatchObject([{ state: 'waiting', attempts: 0 }]);
    receiver.behaviour = 200;
    expect(await world.makeWorker().runOnce()).toBe(1);
    expect(receiver.received[1]?.id).toBe(receiver.received[0]?.id);
  });
});

test('two nodes never deliver the same event, nor two of one domain at once', async () => {
  const { planted, receiver } = await plantReceiver(closing, world);
  let atOnce = 0;
  let most = 0;
  receiver.behaviour = (response) => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    setImmediate(() => {
      atOnce -= 1;
      response.end();
    });
  };
  for (let i = 0; i < 20; i++) {
    const id = await addDomain(world, planted, `d${i}.example.com`);
    await removeDomain(world, planted, id);
  }
  const workers = [world.makeWorker(), world.makeWorker(), world.makeWorker()];
  for (const worker of workers) worker.start();
  await receiver.got(40);
  await Promise.all(workers.map((worker) => worker.stop()));
  expect(receiver.received).toHaveLength(40);
  for (let i = 0; i < 20; i++) {
    const of = receiver.received.filter(({ domain }) => domain === `d${i}.example.com`);
    expect(typesOf(of)).toEqual(['domain.created', 'domain.deleted']);
  }
});

test('a result that cannot be saved is kept and saved later: nothing is sent twice', async () => {
  const { planted, receiver } = await plantReceiver(closing, world);
  let refusals = 2;
  const store: World['store'] = {
    ...world.store,
    async saveDelivery(...save) {
      refusals -= 1;
      if (refusals >= 0) throw new StoreUnavailable('the database is busy');
      return world.store.saveDelivery(...save);
    },
  };
  const worker = world.makeWorker({ store });
  await addDomain(world, planted, 'a.example.com');
  await worker.runOnce();
  expect(refusals).toBe(-1);
  world.clock.advance(HOUR_MS);
  await worker.runOnce();
  expect(receiver.received).toHaveLength(1);
  expect(world.logged.filter((line) => line.includes('cannot be saved'))).toHaveLength(1);
});

test('a process that was suspended after its claim sends nothing: its lease may expire meanwhile', async () => {
  const { planted, receiver, webhookId, workspaceId } = await plantReceiver(closing, world);
  let suspendMs = 16_000;
  const store: World['store'] = {
    ...world.store,
    async leaseDelivery(...lease) {
      const due = await world.store.leaseDelivery(...lease);
      world.clock.advance(suspendMs);
      suspendMs = 0;
      return due;
    },
  };
  await addDomain(world, planted, 'a.example.com');
  const worker = world.makeWorker({ store });
  // It is due again at once, and the attempt that was not made does not count.
  expect(await worker.runOnce()).toBe(2);
  expect(receiver.received).toHaveLength(1);
  const { items } = await world.store.listDeliveries(workspaceId, webhookId, { limit: 1 });
  expect(items).toMatchObject([{ state: 'delivered', attempts: 1 }]);
});

describe('a failure that is no fault of the receiver', () => {
  /** A worker that claims what `change` makes of deliveries. */
  function workerWith(change: (due: DueDelivery) => DueDelivery): DeliveryWorker {
    const store: World['store'] = {
      ...world.store,
      async leaseDelivery(...lease) {
        const due = await world.store.leaseDelivery(...lease);
        return due && change(due);
      },
    };
    return world.makeWorker({ store });
  }

  test('a secret that cannot be unsealed: nothing is sent unsigned, and the event waits until the key is there', async () => {
    const { planted, receiver, webhookId, workspaceId } = await plantReceiver(closing, world);
    const worker = workerWith((due) => ({ ...due, secrets: [] }));
    await addDomain(world, planted, 'a.example.com');
    for (let day = 0; day < 5; day++) {
      expect(await worker.runOnce()).toBe(1);
      world.clock.advance(DAY_MS);
    }
    expect(receiver.received).toEqual([]);
    expect(await valueWith(world.metrics.deliveryAttempts, 'secret')).toBe(5);
    expect(world.logged.filter((line) => line.includes('cannot be unsealed'))).toHaveLength(5);
    const { items } = await world.store.listDeliveries(workspaceId, webhookId, { limit: 2 });
    expect(items).toMatchObject([{ state: 'waiting', attempts: 0 }]);
    expect(await world.store.findWebhook(workspaceId, webhookId)).toMatchObject({
      disabledAt: null,
      failingSince: null,
    });

    await world.worker.runOnce();
    expect(receiver.received).toHaveLength(1);
  });

  test('a fault of the program: the event is given up after three days, and the next of its domain is sent', async () => {
    const { planted, receiver, webhookId, workspaceId } = await plantReceiver(closing, world);
    const secrets = [{ id: 'whs_1', secret: new Uint8Array(Buffer.from('whsec_%')) }];
    const worker = workerWith((due) => (due.type === 'domain.created' ? { ...due, secrets } : due));
    await removeDomain(world, planted, await addDomain(world, planted, 'a.example.com'));
    for (let passed = 0; passed < 3 * DAY_MS; passed += 2 * HOUR_MS) {
      await worker.runOnce();
      expect((await world.store.findWebhook(workspaceId, webhookId))?.failingSince).toBeNull();
      world.clock.advance(2 * HOUR_MS);
    }
    expect(receiver.received).toEqual([]);
    expect(await valueWith(world.metrics.deliveryAttempts, 'error')).toBeLessThan(36);
    world.clock.advance(DELIVERY_WINDOW_MS - 3 * DAY_MS);
    await worker.runOnce();
    expect(typesOf(receiver.received)).toEqual(['domain.deleted']);
    const { items } = await world.store.listDeliveries(workspaceId, webhookId, { limit: 2 });
    expect(items).toMatchObject([{ state: 'delivered' }, { state: 'failed', attempts: 0 }]);
    expect(world.logged.join()).toContain('a fault of this program');
  });

  test('too many connections: it is sent a second later', async () => {
    const { planted, receiver, webhookId, workspaceId } = await plantReceiver(closing, world);
    const worker = world.makeWorker({ connections: 1 });
    await addDomain(world, planted, 'a.example.com');
    await worker.runOnce();
    const answer = Promise.withResolvers<void>();
    receiver.behaviour = (response) => void answer.promise.then(() => response.end());
    for (const name of ['b.example.com', 'c.example.com']) await addDomain(world, planted, name);
    const ran = worker.runOnce();
    await receiver.got(2);
    await expect.poll(() => valueWith(world.metrics.deliveryAttempts, 'busy')).toBe(1);
    answer.resolve();
    await ran;
    const { items } = await world.store.listDeliveries(workspaceId, webhookId, { limit: 2 });
    expect(items.map(({ attempts }) => attempts).toSorted()).toEqual([0, 1]);
    world.clock.advance(1000);
    await worker.runOnce();
    expect(receiver.received).toHaveLength(3);
    expect((await world.store.findWebhook(workspaceId, webhookId))?.failingSince).toBeNull();
  });
});

test('a webhook whose scheme is no longer allowed gets nothing, and its owner sees why', async () => {
  const { planted, receiver, webhookId, workspaceId } = await plantReceiver(closing, world);
  await addDomain(world, planted, 'a.example.com');
  await world.makeWorker({ schemes: ['https'] }).runOnce();
  expect(receiver.received).toEqual([]);
  const { items } = await world.store.listDeliveries(workspaceId, webhookId, { limit: 1 });
  expect(items[0]).toMatchObject({ state: 'waiting', lastAttempt: { error: expect.stringContaining('scheme') } });
});

test('events that are given up together take one line of the log a minute, which names webhook and workspace', async () => {
  const { planted, webhookId, workspaceId } = await plantReceiver(closing, world, 500);
  for (let i = 0; i < 30; i++) await addDomain(world, planted, `d${i}.example.com`);
  await world.worker.runOnce();
  world.clock.advance(DELIVERY_WINDOW_MS);
  await world.worker.runOnce();
  const lines = world.logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'events were given up');
  expect(lines).toMatchObject([{ workspaceId, webhookId }]);
});

test('that the receiver does not answer makes no delivery late: those behind wait for it, not for this process', async () => {
  const { planted } = await plantReceiver(closing, world, (response) => response.destroy());
  const observed = async () => {
    const { values } = await world.metrics.deliveryLatenessSeconds.get();
    return values.find(({ metricName }) => metricName?.endsWith('_count'))?.value ?? 0;
  };
  for (let i = 0; i < 20; i++) await addDomain(world, planted, `d${i}.example.com`);
  await world.worker.runOnce();
  const before = await observed();
  expect(before).toBeGreaterThan(0);
  world.clock.advance(HOUR_MS);
  await world.worker.runOnce();
  expect(await observed()).toBe(before);
});

test('a worker that waits for its next poll looks at once when it is woken', async () => {
  const { planted, receiver } = await plantReceiver(closing, world);
  const worker = world.makeWorker({ pollMs: HOUR_MS });
  worker.start();
  await addDomain(world, planted, 'a.example.com');
  worker.wake();
  await receiver.got(1);
  // The next of its queue is found without being woken.
  const id = await addDomain(world, planted, 'b.example.com');
  await removeDomain(world, planted, id);
  worker.wake();
  await receiver.got(3);
});

test('the log has no secrets, no URLs and no responses of receivers', async () => {
  const { planted, webhookId } = await plantReceiver(closing, world, (response) => {
    response.writeHead(500).end('the answer of the receiver');
  });
  await addDomain(world, planted, 'a.example.com');
  await world.worker.runOnce();
  await pass(4 * DAY_MS, 4 * HOUR_MS);
  expect(world.logged.join()).toContain(webhookId);
  expect(world.logged.join()).not.toMatch(/whsec|127\.0\.0\.1|the answer/);
});

test('a workspace with no webhook costs nothing: no delivery is added', async () => {
  await addDomain(world, await plant(world.store), 'a.example.com');
  expect(await world.worker.runOnce()).toBe(0);
  expect(await world.store.deliveryBacklog()).toMatchObject({ waiting: 0, oldestAt: null });
});
