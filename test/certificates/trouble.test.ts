import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LETS_ENCRYPT_LIMITS } from '../../server/src/certificates/policy/budget.ts';
import type { CaLimit } from '../../server/src/store/store.ts';
import { plant } from '../support/entities.ts';
import { AcmeProblem } from '../support/fake-ca/problem.ts';
import { createWorld, type World } from './world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

const DOWN = { answer: new AcmeProblem(500, 'serverInternal', 'The service is down for maintenance') };

async function addMany(count: number): Promise<string[]> {
  const planted = await plant(world.store);
  const names: string[] = [];
  for (let i = 0; i < count; i++) names.push((await world.add({ name: `many${i}.customer${i}.org`, planted })).name);
  return names;
}

const states = () => world.store.countCertificates();

describe('a CA that does not offer the type of challenge that works', () => {
  test('gives way to the second CA; its order is not kept in flight', async () => {
    const [first, second] = [await world.startCa({ offers: ['dns-01'] }), await world.startCa()];
    const { name } = await world.add();
    await world.worker([world.issuer(first), world.issuer(second)]).runOnce();
    expect(await world.read(name)).toMatchObject({ state: 'issued', issued: { issuer: second.directoryUrl } });
    expect(first.requests.newOrder).toBe(1);
    expect(await world.eventsOf(name)).toEqual(['certificate.issued']);
  });

  test('keeps its order where there is no other CA, and says what is not offered', async () => {
    const ca = await world.startCa({ offers: ['dns-01'] });
    const { name } = await world.add();
    const worker = world.worker([world.issuer(ca)]);
    for (let i = 0; i < 10; i++) {
      await worker.runOnce();
      world.clock.pass(HOUR);
    }
    expect((await world.read(name)).problem).toMatchObject({
      reason: 'ca_refused',
      message: expect.stringContaining('http-01'),
    });
    expect(ca.requests.newOrder).toBe(1);
  });
});

describe('a CA with server errors', () => {
  test('is not asked by any node, for longer each time, and other names count no failure', async () => {
    const ca = await world.startCa();
    const names = await addMany(10);
    ca.fault({ ...DOWN, at: ['newOrder'], until: world.clock.now() + HOUR });
    const nodes = [1, 2].map(() => world.worker([world.issuer(ca)], { capacity: 1 }));
    const began = world.clock.now();
    for (; world.clock.now() < began + HOUR; world.clock.pass(MINUTE / 2)) {
      for (const node of nodes) await node.runOnce();
    }
    // 1, 2, 4, 8 and 15 minutes, of each node.
    expect(ca.requests.newOrder).toBeLessThanOrEqual(2 * 7);
    const certificates = await Promise.all(names.map(world.read));
    expect(certificates.reduce((sum, { failures }) => sum + failures, 0)).toBeLessThanOrEqual(2);
    const account = await world.store.findCaAccount(ca.directoryUrl);
    expect(account?.pausedUntil).toBeGreaterThan(began + 30 * MINUTE);
    expect(account?.problem?.message).toContain('The service is down for maintenance');
    for (; world.clock.now() < began + 2 * HOUR; world.clock.pass(MINUTE / 2)) {
      for (const node of nodes) await node.runOnce();
    }
    expect(await states()).toEqual({ issued: 10 });
    expect(await world.store.findCaAccount(ca.directoryUrl)).toMatchObject({ pausedUntil: null, problem: null });
  });

  test('falls back to the second CA at once, and no failure is reported', async () => {
    const [first, second] = [await world.startCa(), await world.startCa()];
    const { name } = await world.add();
    first.fault({ ...DOWN, at: ['newOrder'] });
    await world.worker([world.issuer(first), world.issuer(second)]).runOnce();
    expect(await world.read(name)).toMatchObject({
      state: 'issued',
      failures: 0,
      issued: { issuer: second.directoryUrl },
    });
    expect(first.requests.newOrder).toBe(1);
    expect(await world.eventsOf(name)).toEqual(['certificate.issued']);
  });

  test('in the middle of an order, which is resumed', async () => {
    const ca = await world.startCa();
    const { name } = await world.add();
    const end = ca.fault({ ...DOWN, at: ['finalize'] });
    const worker = world.worker([world.issuer(ca)]);
    await worker.runOnce();
    expect(await world.read(name)).toMatchObject({ problem: { reason: 'ca_unavailable' } });
    end();
    world.clock.pass(2 * MINUTE);
    await worker.runOnce();
    expect(await world.read(name)).toMatchObject({ state: 'issued' });
    expect(ca.orders()).toHaveLength(1);
  });

  test('in the middle of an order, falls back to the second CA; the ledger keeps both orders', async () => {
    const [first, second] = [await world.startCa(), await world.startCa()];
    const { name } = await world.add();
    first.fault({ ...DOWN, at: ['finalize'] });
    await world.worker([world.issuer(first), world.issuer(second)]).runOnce();
    expect(await world.read(name)).toMatchObject({ state: 'issued', issued: { issuer: second.directoryUrl } });
    for (const ca of [first, second]) {
      expect(await world.store.countLedgerEntries(ca.directoryUrl, 0)).toMatchObject({ orders: 1 });
    }
  });

  test('already at its directory', async () => {
    const ca = await world.startCa({ caaIdentities: ['ca.test'] });
    const { name } = await world.add();
    ca.fault({ ...DOWN, at: ['directory'] });
    await world.worker([world.issuer(ca)]).runOnce();
    expect(await world.read(name)).toMatchObject({
      state: 'failed',
      failures: 0,
      problem: { reason: 'ca_unavailable' },
    });
    expect(await world.store.countLedgerEntries(ca.directoryUrl, 0)).toMatchObject({ orders: 0 });
  });

  test('for one name delays the certificates of others only briefly', async () => {
    const ca = await world.startCa();
    const names = await addMany(20);
    ca.fault({ ...DOWN, at: ['newOrder'], times: 1 });
    const worker = world.worker([world.issuer(ca)], { capacity: 1 });
    await worker.runOnce();
    world.clock.pass(2 * MINUTE);
    await worker.runOnce();
    expect(await states()).toEqual({ issued: names.length });
  });
});

describe('a CA whose rate limit is reached', () => {
  const limited = (detail: string, seconds: number) => ({
    at: ['newOrder' as const],
    times: 1,
    answer: new AcmeProblem(429, 'rateLimited', detail, { retryAfter: String(seconds) }),
  });

  test('gets no request until its Retry-After has passed, from any node', async () => {
    const ca = await world.startCa();
    await addMany(5);
    ca.fault(limited('too many new orders (300) from this account in the last 3h0m0s', 3 * 3600));
    const began = world.clock.now();
    for (; world.clock.now() < began + 3 * HOUR; world.clock.pass(10 * MINUTE)) {
      await world.worker([world.issuer(ca)], { capacity: 1 }).runOnce();
    }
    expect(ca.requests.newOrder).toBe(1);
    expect(await states()).toMatchObject({ failed: expect.any(Number) });
    for (; world.clock.now() < began + 4 * HOUR; world.clock.pass(10 * MINUTE)) {
      await world.worker([world.issuer(ca)]).runOnce();
    }
    expect(await states()).toEqual({ issued: 5 });
  });

  test('for one registered domain does not delay the certificates of others', async () => {
    const ca = await world.startCa();
    const [first = '', ...others] = await addMany(5);
    ca.fault(limited(`too many certificates (50) already issued for "customer0.org" in the last 168h0m0s`, 6 * 3600));
    const worker = world.worker([world.issuer(ca)], { capacity: 1 });
    await worker.runOnce();
    expect(await states()).toEqual({ failed: 1, issued: others.length });
    const { problem, nextTryAt } = await world.read(first);
    expect(problem?.reason).toBe('ca_rate_limited');
    expect(nextTryAt).toBeGreaterThanOrEqual(world.clock.now() + 6 * HOUR);
  });

  test('falls back to the second one', async () => {
    const [first, second] = [await world.startCa(), await world.startCa()];
    const names = await addMany(5);
    first.fault({ ...limited('too many new orders recently', 3600), times: 100 });
    await world.worker([world.issuer(first), world.issuer(second)], { capacity: 1 }).runOnce();
    expect(await states()).toEqual({ issued: 5 });
    expect(first.requests.newOrder).toBe(1);
    expect(second.certificates.map(({ hostname }) => hostname).toSorted()).toEqual(names.toSorted());
  });
});

test('a CA that does not accept our account is not asked for an hour, with a warning in the log', async () => {
  const ca = await world.startCa();
  const { name } = await world.add();
  ca.fault({ at: ['newAccount'], answer: new AcmeProblem(400, 'invalidContact', 'no such address') });
  const worker = world.worker([world.issuer(ca)]);
  const began = world.clock.now();
  for (; world.clock.now() < began + HOUR; world.clock.pass(5 * MINUTE)) await worker.runOnce();
  expect(ca.requests.newAccount).toBe(1);
  expect(await world.read(name)).toMatchObject({ state: 'failed', failures: 0, problem: { reason: 'ca_account' } });
});

test('a CA that refuses our account is asked again at once, by every node and for new names too, after the operator has lifted the hold', async () => {
  const ca = await world.startCa();
  const end = ca.fault({ at: ['newAccount'], answer: new AcmeProblem(403, 'unauthorized', 'the account is blocked') });
  const names = await addMany(10);
  const nodes = [1, 2].map(() => world.worker([world.issuer(ca)], { capacity: 1 }));
  const began = world.clock.now();
  for (const node of nodes) await node.runOnce();
  expect(await states()).toMatchObject({ failed: expect.any(Number), wanted: expect.any(Number) });
  // Since when stays the same, over its hourly retries too.
  for (; world.clock.now() < began + 3 * HOUR; world.clock.pass(10 * MINUTE))
    for (const node of nodes) await node.runOnce();
  expect(ca.requests.newAccount).toBeGreaterThan(2);
  const [held] = await world.store.listHeldCas(world.clock.now());
  expect(held).toMatchObject({ issuer: ca.directoryUrl, problem: { reason: 'ca_account', at: began } });
  expect(held?.problem.message).toContain('the account is blocked');
  const refused = await Promise.all(names.map(world.read));
  for (const { problem } of refused) expect(problem?.reason ?? 'ca_account').toBe('ca_account');

  const asked = ca.requests.newAccount;
  await world.store.resumeCas(world.clock.now());
  for (const node of nodes) await node.runOnce();
  expect(ca.requests.newAccount).toBeGreaterThan(asked);
  expect(await world.store.listHeldCas(world.clock.now())).toMatchObject([{ problem: { at: began } }]);
  end();
  await world.store.resumeCas(world.clock.now());
  await nodes[1]?.runOnce();
  expect(await states()).toEqual({ issued: 10 });
  expect(await world.store.findCaAccount(ca.directoryUrl)).toMatchObject({ pausedUntil: null, problem: null });
});

test('a name that the first CA refuses is issued by the second, and the first is not asked again', async () => {
  const [first, second] = [await world.startCa(), await world.startCa()];
  const { name } = await world.add();
  first.fault({ at: ['newOrder'], answer: new AcmeProblem(400, 'rejectedIdentifier', 'forbidden by policy') });
  await world.worker([world.issuer(first), world.issuer(second)]).runOnce();
  expect(await world.read(name)).toMatchObject({ state: 'issued', issued: { issuer: second.directoryUrl } });
  expect(first.requests.newOrder).toBe(1);
});

test('a name that every CA refuses waits, and counts as one failed name', async () => {
  const cas = [await world.startCa(), await world.startCa()];
  const { name } = await world.add();
  for (const ca of cas)
    ca.fault({ at: ['newOrder'], answer: new AcmeProblem(400, 'rejectedIdentifier', 'forbidden by policy') });
  const worker = world.worker(cas.map((ca) => world.issuer(ca)));
  const began = world.clock.now();
  for (; world.clock.now() < began + DAY; world.clock.pass(5 * MINUTE)) await worker.runOnce();
  expect(await world.read(name)).toMatchObject({ state: 'failed', problem: { reason: 'ca_refused' } });
  for (const ca of cas) expect(ca.requests.newOrder).toBeLessThanOrEqual(5);
});

describe('the budget', () => {
  const orders = (limit: number): CaLimit[] => [{ name: 'orders', limit, windowMs: 3 * HOUR }];

  test('is never exceeded, by any number of nodes; a fifth of it is kept for renewals', async () => {
    const limits = orders(10);
    const ca = await world.startCa({ limits });
    await addMany(20);
    const nodes = () => [1, 2, 3].map(() => world.worker([world.issuer(ca)], { limits, capacity: 4 }));
    await Promise.all(nodes().map((node) => node.runOnce()));
    expect(ca.requests.newOrder).toBe(8);
    const began = world.clock.now();
    const again = nodes();
    for (; world.clock.now() < began + 3 * HOUR - MINUTE; world.clock.pass(MINUTE)) {
      for (const node of again) await node.runOnce();
    }
    expect(ca.requests.newOrder).toBe(8);
    expect(await states()).toMatchObject({ issued: 8 });
    for (; world.clock.now() < began + 8 * HOUR; world.clock.pass(MINUTE))
      for (const node of again) await node.runOnce();
    expect(await states()).toEqual({ issued: 20 });
    expect(ca.exceeded).toEqual([]);
  });

  test('when it is spent, new names are not claimed until it has capacity again', async () => {
    const limits = orders(10);
    const ca = await world.startCa({ limits });
    const names = await addMany(100);
    const worker = world.worker([world.issuer(ca)], { limits, capacity: 4 });
    await worker.runOnce();
    const began = world.clock.now();
    for (; world.clock.now() < began + 2 * HOUR; world.clock.pass(MINUTE)) await worker.runOnce();
    const looked = new Set(world.asked.filter((path) => path.includes('/np-')).map((path) => path.split('/')[0]));
    expect(looked.size).toBeLessThanOrEqual(12);
    expect(await states()).toMatchObject({ issued: 8, wanted: expect.any(Number) });
    const [spent] = await Promise.all(names.map(world.read)).then((all) =>
      all.filter(({ problem }) => problem?.reason === 'budget_spent'),
    );
    expect(spent).toMatchObject({ state: 'failed', failures: 0 });
  });

  test('is shared round robin by the workspaces', async () => {
    const limits = orders(10);
    const ca = await world.startCa({ limits });
    await addMany(30);
    const { name } = await world.add();
    await world.worker([world.issuer(ca)], { limits, capacity: 4 }).runOnce();
    expect(await world.read(name)).toMatchObject({ state: 'issued' });
  });

  test('has capacity left for a renewal outside of an ARI window', async () => {
    const limits = orders(10);
    const ca = await world.startCa({ limits, ari: false });
    const { name } = await world.add();
    const worker = world.worker([world.issuer(ca)], { limits, capacity: 4 });
    await worker.runOnce();
    await addMany(30);
    await worker.runOnce();
    expect(ca.certificates).toHaveLength(8);
    await world.store.renewCertificate(name, world.clock.now());
    await worker.runOnce();
    expect(ca.certificates).toHaveLength(9);
  });

  test('of a registered domain counts its names alone', async () => {
    const limits: CaLimit[] = [{ name: 'certificates', limit: 5, windowMs: 7 * DAY }];
    const ca = await world.startCa({ limits });
    const planted = await plant(world.store);
    for (let i = 0; i < 8; i++) await world.add({ name: `n${i}.example.com`, planted });
    const { name } = await world.add();
    await world.worker([world.issuer(ca)], { limits }).runOnce();
    expect(await states()).toEqual({ issued: 5, failed: 4 });
    expect(await world.read(name)).toMatchObject({ state: 'issued' });
    expect(ca.exceeded).toEqual([]);
  });

  test('never spends the last failure', async () => {
    const ca = await world.startCa({ limits: LETS_ENCRYPT_LIMITS });
    const { name } = await world.add();
    ca.failAuthorizations(name, new AcmeProblem(403, 'unauthorized', 'somebody else answered'));
    const worker = world.worker([world.issuer(ca)]);
    for (let i = 0; i < 30; i++) {
      await world.store.renewCertificate(name, world.clock.now());
      await worker.runOnce();
      world.clock.pass(MINUTE);
    }
    expect(ca.requests.newOrder).toBe(4);
    expect(await world.read(name)).toMatchObject({ problem: { reason: 'budget_spent' } });
    expect(ca.exceeded).toEqual([]);
  });

  test('of the first CA, once spent, leads to the second', async () => {
    const limits = orders(10);
    const [first, second] = [await world.startCa({ limits }), await world.startCa({ limits })];
    await addMany(12);
    await world.worker([world.issuer(first), world.issuer(second)], { limits, capacity: 4 }).runOnce();
    expect(await states()).toEqual({ issued: 12 });
    expect([first.certificates.length, second.certificates.length]).toEqual([8, 4]);
  });
});
