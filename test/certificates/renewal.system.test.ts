import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Issuer } from '../../server/src/certificates/issuer.ts';
import { LETS_ENCRYPT_LIMITS } from '../../server/src/certificates/policy/budget.ts';
import { emergencyAt } from '../../server/src/certificates/policy/renewal.ts';
import type { Store } from '../../server/src/store/store.ts';
import { servedCertificate } from '../support/certificates.ts';
import type { FakeCa } from '../support/fake-ca/fake-ca.ts';
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

/** A name with a new certificate. */
async function issued(ca: FakeCa): Promise<{ name: string; id: string }> {
  const domain = await world.add();
  await world.worker([world.issuer(ca)]).runOnce();
  await world.worker([world.issuer(ca)]).runOnce();
  return domain;
}

/** Advances the clock from one due time to the next. */
async function live(name: string, until: number, runOnce: () => Promise<number>): Promise<void> {
  while (world.clock.now() < until) {
    await runOnce();
    // Where the test has timed out, its world closes meanwhile.
    await setImmediate();
    const { nextTryAt } = await world.read(name);
    world.clock.set(Math.min(Math.max(nextTryAt, world.clock.now() + 1), until));
  }
  await runOnce();
}

/** The day of issue of each certificate. */
const days = (ca: FakeCa) => ca.certificates.map(({ notBefore }) => Math.floor((notBefore + HOUR - START) / DAY));

const START = Date.UTC(2026, 10, 21);
const UNAVAILABLE = { answer: new AcmeProblem(500, 'serverInternal', 'The service is down for maintenance') };

test('a certificate is renewed at a random moment of its ARI window, replaces the old one, and costs no budget', async () => {
  const ca = await world.startCa();
  const { name } = await issued(ca);
  await live(name, START + 44 * DAY, world.worker([world.issuer(ca)]).runOnce);
  expect(ca.certificates).toHaveLength(2);
  const [first, second] = ca.certificates;
  const renewedAt = (second?.notBefore ?? 0) + HOUR;
  const third = (first?.notAfter ?? 0) - (64 * DAY) / 3;
  expect(Math.abs(renewedAt - third)).toBeLessThanOrEqual(DAY);
  expect(ca.orders().at(-1)).toMatchObject({ replaces: first?.renewalId, exempt: true });
  expect(await world.store.countLedgerEntries(ca.directoryUrl, 0)).toMatchObject({ orders: 2, exempt: 1 });
  expect(await world.eventsOf(name)).toEqual(['certificate.issued', 'certificate.renewed']);
});

test('a window that moves into the past renews at once; a CA whose windows are always in the past gets four orders a day', async () => {
  const ca = await world.startCa();
  const { name } = await issued(ca);
  const worker = world.worker([world.issuer(ca)], { limits: [] });
  await live(name, START + 5 * DAY, worker.runOnce);
  ca.suggest({ start: START, end: START + DAY });
  await live(name, START + 7 * DAY, worker.runOnce);
  expect(days(ca).slice(0, 3)).toEqual([0, 5, 5]);
  expect(ca.certificates.length).toBeLessThanOrEqual(1 + 2 * 4);
});

test('a renewal whose order was lost in a crash costs budget: the CA may count it, and accepts one replacement only', async () => {
  const ca = await world.startCa();
  const { name } = await issued(ca);
  const worker = world.worker([world.issuer(ca)]);
  await live(name, START + DAY, worker.runOnce);
  const renewAt = (await world.read(name)).issued?.renewal.renewAt ?? 0;
  await live(name, renewAt - 1, worker.runOnce);
  world.clock.set(renewAt);
  await world.worker([forgetful(ca)]).runOnce();
  world.clock.pass(MINUTE);
  await worker.runOnce();
  expect(ca.certificates).toHaveLength(2);
  expect(await world.store.countLedgerEntries(ca.directoryUrl, 0)).toMatchObject({ orders: 3, exempt: 1 });
});

test('a name that has spent all but its last order of the week is renewed in time, also where a crash lost an order', async () => {
  const ca = await world.startCa({ limits: LETS_ENCRYPT_LIMITS });
  ca.settings.lifetimeMs = 6 * DAY;
  const { name } = await issued(ca);
  const worker = world.worker([world.issuer(ca)]);
  // The CA has everything renewed at once, for a day.
  ca.suggest({ start: START - DAY, end: START });
  await live(name, START + DAY, worker.runOnce);
  ca.suggest(null);
  expect(await world.read(name)).toMatchObject({ state: 'renewing', problem: { reason: 'budget_spent' } });
  const { issued: last } = await world.read(name);
  if (last === null) throw new Error('there is no certificate');
  await live(name, emergencyAt(last) - 1, worker.runOnce);
  expect(ca.certificates).toHaveLength(4);
  world.clock.set(emergencyAt(last));
  await world.worker([forgetful(ca)]).runOnce();
  expect(ca.requests.newOrder).toBe(5);
  await live(name, last.notAfter, worker.runOnce);
  expect(ca.certificates).toHaveLength(5);
  expect((await world.read(name)).issued?.notAfter).toBeGreaterThan(last.notAfter);
  expect(ca.exceeded).toEqual([]);
});

/** Loses each order before its URL is saved. */
function forgetful(ca: FakeCa): Issuer {
  const issuer = world.issuer(ca);
  return {
    ...issuer,
    issue: (task) => issuer.issue({ ...task, onOrder: () => Promise.reject(new Error('crash')) }),
  };
}

describe('a renewal that the CA does not accept as a replacement', () => {
  const REPLACED = {
    at: ['newOrder' as const],
    times: 1,
    answer: new AcmeProblem(409, 'alreadyReplaced', 'the certificate was replaced already'),
  };

  /** A name whose renewal is due in its ARI window. */
  async function due(ca: FakeCa): Promise<string> {
    const { name } = await issued(ca);
    const worker = world.worker([world.issuer(ca)]);
    await live(name, START + DAY, worker.runOnce);
    const renewAt = (await world.read(name)).issued?.renewal.renewAt ?? 0;
    await live(name, renewAt - 1, worker.runOnce);
    world.clock.set(renewAt);
    return name;
  }

  test('is ordered again at once without replaces, and counted in the ledger', async () => {
    const ca = await world.startCa();
    await due(ca);
    ca.fault(REPLACED);
    await world.worker([world.issuer(ca)]).runOnce();
    expect(ca.certificates).toHaveLength(2);
    expect(ca.orders().at(-1)).toMatchObject({ replaces: null, exempt: false });
    expect(await world.store.countLedgerEntries(ca.directoryUrl, 0)).toMatchObject({ orders: 3, exempt: 1, issued: 2 });
  });

  test('is in the ledger before it is ordered again, also after a crash, and without replaces', async () => {
    const ca = await world.startCa();
    const name = await due(ca);
    ca.fault(REPLACED);
    let begun = 0;
    const store: Store = {
      ...world.store,
      async beginOrder(begin) {
        if (++begun === 2) throw new Error('crash');
        return world.store.beginOrder(begin);
      },
    };
    await world.worker([world.issuer(ca)], { store }).runOnce();
    expect([begun, ca.requests.newOrder]).toEqual([2, 2]);
    world.clock.pass(MINUTE);
    await world.worker([world.issuer(ca)]).runOnce();
    expect(await world.read(name)).toMatchObject({ state: 'issued', failures: 0 });
    expect(ca.requests.newOrder).toBe(3);
    expect(ca.orders().at(-1)).toMatchObject({ replaces: null, exempt: false });
    expect(await world.store.countLedgerEntries(ca.directoryUrl, 0)).toMatchObject({ orders: 3, exempt: 1 });
  });

  test('waits when our own budget is spent', async () => {
    const ca = await world.startCa();
    const name = await due(ca);
    ca.fault(REPLACED);
    const limits = [{ name: 'duplicates' as const, limit: 1, windowMs: 365 * DAY }];
    await world.worker([world.issuer(ca)], { limits }).runOnce();
    expect(await world.read(name)).toMatchObject({ state: 'renewing', problem: { reason: 'budget_spent' } });
    expect(ca.requests.newOrder).toBe(2);
  });
});

test('without ARI, a certificate is renewed with a third of its lifetime left', async () => {
  const ca = await world.startCa({ ari: false });
  const { name } = await issued(ca);
  await live(name, START + 46 * DAY, world.worker([world.issuer(ca)]).runOnce);
  expect(ca.certificates).toHaveLength(2);
  expect(days(ca)[1]).toBeGreaterThanOrEqual(42);
  expect(days(ca)[1]).toBeLessThanOrEqual(45);
});

test('when the CA cannot be asked for its window, the last window holds', async () => {
  const ca = await world.startCa();
  const { name } = await issued(ca);
  ca.fault({ ...UNAVAILABLE, at: ['renewalInfo'] });
  await live(name, START + 46 * DAY, world.worker([world.issuer(ca)]).runOnce);
  expect(ca.certificates).toHaveLength(2);
});

describe('a renewal that fails leaves the certificate in use', () => {
  test('when the name no longer points to us, at no cost at the CA', async () => {
    const ca = await world.startCa();
    const { name } = await issued(ca);
    const before = await servedCertificate(world.store, name);
    const { newOrder } = ca.requests;
    world.dns.set(name, 'A', ['127.0.0.9']);
    await live(name, START + 45 * DAY, world.worker([world.issuer(ca)]).runOnce);
    expect(await world.read(name)).toMatchObject({
      state: 'renewing',
      problem: { reason: 'unreachable' },
      failures: 0,
    });
    expect(await servedCertificate(world.store, name)).toEqual(before);
    expect(ca.requests.newOrder).toBe(newOrder);
    const events = await world.eventsOf(name);
    expect(events.filter((type) => type === 'certificate.failed')).toHaveLength(1);
  });

  test('when the CA does not get our challenge response, and is retried, hourly in the end', async () => {
    const ca = await world.startCa();
    const { name } = await issued(ca);
    const before = await servedCertificate(world.store, name);
    ca.failAuthorizations(name, new AcmeProblem(403, 'unauthorized', 'somebody else answered'));
    const worker = world.worker([world.issuer(ca)]);
    await live(name, START + 55 * DAY, worker.runOnce);
    expect(await world.read(name)).toMatchObject({ state: 'renewing', problem: { reason: 'authorization_failed' } });
    expect(await servedCertificate(world.store, name)).toEqual(before);
    // 1, 10 and 100 minutes, then daily.
    const calm = ca.requests.newOrder;
    expect(calm).toBeLessThan(20);
    await live(name, START + 63 * DAY, worker.runOnce);
    const urgent = ca.requests.newOrder - calm;
    expect(urgent).toBeGreaterThan(5 * 20);
    expect(urgent).toBeLessThan(6 * 24);
    ca.failAuthorizations(name, null);
    await live(name, START + 64 * DAY, worker.runOnce);
    expect(await world.read(name)).toMatchObject({ state: 'issued', problem: null, failures: 0 });
  });

  test('and when it has expired, the name waits like a new one', async () => {
    const ca = await world.startCa();
    const { name } = await issued(ca);
    world.dns.set(name, 'A', ['127.0.0.9']);
    await live(name, START + 65 * DAY, world.worker([world.issuer(ca)]).runOnce);
    expect(await world.read(name)).toMatchObject({ state: 'waiting_for_routing', problem: { reason: 'unreachable' } });
  });
});

test('in an emergency the second CA is the fallback, whatever the reason', async () => {
  const [first, second] = [await world.startCa(), await world.startCa()];
  const { name } = await issued(first);
  first.failAuthorizations(name, new AcmeProblem(403, 'unauthorized', 'the first looks from elsewhere'));
  const worker = world.worker([world.issuer(first), world.issuer(second)]);
  await live(name, START + 57 * DAY, worker.runOnce);
  expect(second.requests.newOrder).toBe(0);
  await live(name, START + 58 * DAY, worker.runOnce);
  expect((await world.read(name)).issued?.issuer).toBe(second.directoryUrl);
});
