import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { certificateFor } from '../edge/selfsigned.ts';
import { type Closing, closingAfterEach } from '../support/closing.ts';
import { type Planted, plant } from '../support/entities.ts';
import { startRawReceiver, startReceiver } from './receivers.ts';
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

const closing = closingAfterEach();

/** Longer than any test: a delivery that waits for a dead receiver never ends. */
const NEVER_MS = 600_000;

async function deadReceiver(): Promise<string> {
  return startRawReceiver(closing, (socket) => socket.resume());
}

test('receivers that never answer delay no other workspace', async () => {
  const world = await openWorld(closing, { maxInFlight: 40, timeLimitMs: NEVER_MS });
  const dead = await deadReceiver();
  for (let i = 0; i < 5; i++) {
    const planted = await plant(world.store);
    for (let webhook = 0; webhook < 2; webhook++) await subscribe(world, planted, dead);
    for (let domain = 0; domain < 30; domain++) await addDomain(world, planted, `d${domain}.w${i}.example.com`);
  }
  const { planted, receiver } = await plantReceiver(closing, world);
  world.worker.start();
  await addTwenty(world, planted);
  await receiver.got(40);
  // No place became free meanwhile.
  expect(await valueWith(world.metrics.deliveryAttempts, 'timeout')).toBe(0);
});

test('nor do those of many workspaces, whose events come one after the other, more than there are places', async () => {
  const world = await openWorld(closing, { maxInFlight: 40, timeLimitMs: NEVER_MS });
  world.worker.start();
  const dead = await startReceiver(closing, SECRET, () => {});
  for (let i = 0; i < 20; i++) {
    const planted = await plant(world.store);
    await subscribe(world, planted, dead.url);
    for (let domain = 0; domain < 5; domain++) await addDomain(world, planted, `d${domain}.w${i}.example.com`);
    await dead.got(i + 1);
  }
  const { planted, receiver } = await plantReceiver(closing, world);
  await addTwenty(world, planted);
  await receiver.got(40);
  expect(await valueWith(world.metrics.deliveryAttempts, 'timeout')).toBe(0);
});

test('nor another webhook of their own workspace', async () => {
  const world = await openWorld(closing, { timeLimitMs: NEVER_MS });
  const { planted, receiver } = await plantReceiver(closing, world);
  await subscribe(world, planted, await deadReceiver());
  world.worker.start();
  await addTwenty(world, planted);
  await receiver.got(40);
  expect(await valueWith(world.metrics.deliveryAttempts, 'timeout')).toBe(0);
});

test('nor do they while the event loop is late: it begins fewer checks then, not fewer deliveries', async () => {
  const world = await openWorld(closing, { timeLimitMs: NEVER_MS });
  const dead = await startReceiver(closing, SECRET, () => {});
  const other = await plant(world.store);
  await subscribe(world, other, dead.url);
  for (let domain = 0; domain < 20; domain++) await addDomain(world, other, `d${domain}.example.com`);
  const { planted, receiver } = await plantReceiver(closing, world);
  world.worker.start();
  await dead.got(20);
  for (let i = 0; i < 20; i++) await beLate();
  await addDomain(world, planted, 'a.example.com');
  for (let i = 0; i < 200 && receiver.received.length === 0; i++) await beLate();
  expect(receiver.received).toHaveLength(1);
});

/** Holds up the event loop. */
async function beLate(): Promise<void> {
  await setImmediate();
  for (const began = performance.now(); performance.now() - began < 15; );
}

/** Each has two events. */
async function addTwenty(world: World, planted: Planted): Promise<void> {
  for (let i = 0; i < 20; i++) {
    const id = await addDomain(world, planted, `d${i}.example.com`);
    await removeDomain(world, planted, id);
  }
}

/** Each does what it does with every request. */
const HOSTILE: Record<string, { outcome: string; error: RegExp; start(world: World): Promise<string> }> = {
  'is dead': { outcome: 'timeout', error: /no answer within/, start: deadReceiver },
  'is not there': {
    outcome: 'connection',
    error: /refused/,
    async start() {
      const ended: Closing = [];
      const url = await startRawReceiver(ended, () => {});
      for (const close of ended) await close();
      return url;
    },
  },
  'answers byte by byte': {
    outcome: 'timeout',
    error: /no answer within/,
    start: () =>
      startRawReceiver(closing, (socket) => {
        const text = 'HTTP/1.1 200 OK\r\nx-a: ';
        let sent = 0;
        const timer = setInterval(() => socket.write(text[sent++] ?? 'a'), 20);
        socket.resume();
        socket.once('close', () => clearInterval(timer));
      }),
  },
  'answers 500': {
    outcome: 'status',
    error: /status 500/,
    start: async () => (await startReceiver(closing, SECRET, 500)).url,
  },
  'redirects to the metadata of a cloud': {
    outcome: 'redirect',
    error: /not followed/,
    async start() {
      const location = 'http://169.254.169.254/latest/meta-data/';
      return (await startReceiver(closing, SECRET, (response) => response.writeHead(307, { location }).end())).url;
    },
  },
  'is the metadata of a cloud': {
    outcome: 'address',
    error: /no public address/,
    start: async () => 'http://169.254.169.254/latest/meta-data/',
  },
  'is a name that leads to a private address': {
    outcome: 'address',
    error: /no public address/,
    start: async () => 'https://private.test/',
  },
  'never ends its body': {
    outcome: 'status',
    error: /status 500/,
    start: () =>
      startRawReceiver(closing, (socket) => {
        socket.write('HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n');
        const pour = () => {
          while (socket.writable && socket.write(`4000\r\n${'x'.repeat(0x4000)}\r\n`));
        };
        socket.on('drain', pour).resume();
        pour();
      }),
  },
  'sends a header without end': {
    outcome: 'invalid',
    error: /larger than 16 KiB/,
    start: () =>
      startRawReceiver(closing, (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const pour = () => {
          while (socket.writable && socket.write('x-a: b\r\n'.repeat(1000)));
        };
        socket.on('drain', pour).resume();
        pour();
      }),
  },
  'has the certificate of another': {
    outcome: 'tls',
    error: /TLS handshake/,
    start: async () => (await startReceiver(closing, SECRET, 200, certificateFor('other.example'))).url,
  },
};

test.each(Object.entries(HOSTILE))(
  'a receiver that %s: its events wait, and everything else goes on',
  async (_, hostile) => {
    const lookUp = async (name: string) => (name === 'private.test' ? ['10.0.0.1', 'fd00::1'] : ['127.0.0.1']);
    const world = await openWorld(closing, { lookUp, timeLimitMs: 2000 });
    const bad = await plant(world.store);
    const subscription = await subscribe(world, bad, await hostile.start(world));
    const { planted, receiver } = await plantReceiver(closing, world);
    for (let i = 0; i < 2; i++) await addDomain(world, bad, `bad${i}.example.com`);
    for (let i = 0; i < 5; i++) await addDomain(world, planted, `good${i}.example.com`);
    await world.worker.runOnce();
    expect(receiver.received).toHaveLength(5);
    expect(await valueWith(world.metrics.deliveryAttempts, hostile.outcome)).toBe(2);
    const { items } = await world.store.listDeliveries(subscription.workspaceId, subscription.webhookId, { limit: 10 });
    expect(items.map(({ state, attempts }) => `${state} after ${attempts}`)).toEqual(Array(2).fill('waiting after 1'));
    for (const { lastAttempt } of items) expect(lastAttempt?.error).toMatch(hostile.error);
  },
);
