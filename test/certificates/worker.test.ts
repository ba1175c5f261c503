import { X509Certificate } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Issuer } from '../../server/src/certificates/issuer.ts';
import { LETS_ENCRYPT_LIMITS } from '../../server/src/certificates/policy/budget.ts';
import { readPrivateKey } from '../../server/src/certificates/x509/private-key.ts';
import { lifetimeWindow } from '../../server/src/domain/certificate-state.ts';
import type { Store } from '../../server/src/store/store.ts';
import { anIssuedCertificate, servedCertificate } from '../support/certificates.ts';
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

test('a name that points to us gets a certificate, which is saved with its key', async () => {
  const ca = await world.startCa();
  const { name } = await world.add();
  await world.worker([world.issuer(ca)]).runOnce();
  const certificate = await world.read(name);
  expect(certificate).toMatchObject({ state: 'issued', problem: null, failures: 0, leasedUntil: null });
  expect(certificate.selfCheck?.answers).toEqual([{ address: '127.0.0.1', outcome: 'ours', seen: null }]);
  const served = await servedCertificate(world.store, name);
  const leaf = new X509Certificate(served?.chain ?? '');
  expect(leaf.checkHost(name)).toBe(name);
  expect(leaf.checkPrivateKey(readPrivateKey(served?.privateKey ?? new Uint8Array()))).toBe(true);
  expect(leaf.validToDate.getTime()).toBe(served?.notAfter);
  expect(await world.eventsOf(name)).toEqual(['certificate.issued']);
  expect(await world.store.countLedgerEntries(ca.directoryUrl, 0)).toEqual({
    orders: 1,
    exempt: 0,
    issued: 1,
    failed: 0,
  });
});

test('a CA without HTTP-01 is asked without a self-check', async () => {
  const { name } = await world.add();
  world.dns.remove(name);
  await world.worker([world.internal()]).runOnce();
  expect(await world.read(name)).toMatchObject({ state: 'issued', selfCheck: null, issued: { issuer: 'internal' } });
  expect(world.dns.log()).toEqual([]);
});

test('two workers on one store order each name once', async () => {
  const ca = await world.startCa();
  const planted = await plant(world.store);
  for (let i = 0; i < 30; i++) await world.add({ name: `n${i}.customer${i}.com`, planted });
  const workers = [1, 2].map(() => world.worker([world.issuer(ca)], { capacity: 5 }));
  const done = await Promise.all(workers.map((worker) => worker.runOnce()));
  expect(done[0]).toBeGreaterThan(0);
  expect(done[1]).toBeGreaterThan(0);
  expect(await world.store.countCertificates()).toEqual({ issued: 30 });
  expect(ca.orders()).toHaveLength(30);
  expect(ca.ordersAtOnce).toEqual([]);
});

describe('a crash', () => {
  /** A node that crashes at a step: its later calls of the store do nothing. */
  function dying(step: 'saveOrderUrl' | 'putChallenge' | 'saveCertificate', when: 'before' | 'after'): Store {
    let dead = false;
    return new Proxy(world.store, {
      get(store, name: keyof Store) {
        const method = store[name];
        return async (...args: unknown[]) => {
          dead ||= name === step && when === 'before';
          if (dead) throw new Error('dead');
          const result = await Reflect.apply(method, store, args);
          dead ||= name === step;
          return result;
        };
      },
    });
  }

  test.each([
    ['after', 'saveOrderUrl'],
    ['before', 'saveCertificate'],
  ] as const)('%s %s leaves an order that another node goes on with once the lease has ended', async (when, step) => {
    const ca = await world.startCa();
    const { name } = await world.add();
    await expect(world.worker([world.issuer(ca)], { store: dying(step, when) }).runOnce()).rejects.toThrow('dead');
    expect(await world.read(name)).toMatchObject({ state: 'ordering', issued: null });
    const survivor = world.worker([world.issuer(ca)]);
    expect(await survivor.runOnce()).toBe(0);
    world.clock.pass(MINUTE);
    expect(await survivor.runOnce()).toBe(1);
    expect(await world.read(name)).toMatchObject({ state: 'issued' });
    expect(ca.orders()).toHaveLength(1);
    expect(ca.requests.newOrder).toBe(1);
  });

  test('before the URL of an order was saved costs another order, which is in the ledger', async () => {
    const ca = await world.startCa();
    const { name } = await world.add();
    const lost = world.issuer(ca);
    const untilEnd = (signal: AbortSignal) =>
      new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const dies: Issuer = {
      ...lost,
      issue: (task) => lost.issue({ ...task, onOrder: () => untilEnd(task.signal) }),
    };
    world.worker([dies]).start();
    await until(() => ca.requests.newOrder === 1);
    world.clock.pass(MINUTE);
    await world.worker([world.issuer(ca)]).runOnce();
    expect(await world.read(name)).toMatchObject({ state: 'issued' });
    expect(ca.requests.newOrder).toBe(2);
    expect(await world.store.countLedgerEntries(ca.directoryUrl, 0)).toMatchObject({ orders: 2, issued: 1, failed: 1 });
  });

  test('before the URL was saved, five times in a day, delays the certificate no further: the CA counts those that it issued', async () => {
    const ca = await world.startCa({ limits: LETS_ENCRYPT_LIMITS });
    const { name } = await world.add();
    for (let crashes = 0; crashes < 5; crashes++) {
      const worker = world.worker([world.issuer(ca)], { store: dying('saveOrderUrl', 'before') });
      await expect(worker.runOnce()).rejects.toThrow('dead');
      world.clock.pass(HOUR);
    }
    await world.worker([world.issuer(ca)]).runOnce();
    expect(await world.read(name)).toMatchObject({ state: 'issued', problem: null });
    expect([ca.requests.newOrder, ca.exceeded]).toEqual([6, []]);
  });
});

/** Resolves when the condition holds. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate);
}

test('a worker that has lost its lease stops, and changes nothing', async () => {
  const ca = await world.startCa();
  const { name } = await world.add();
  const slow = world.issuer(ca);
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [];
  const issuer: Issuer = {
    ...slow,
    async issue(task) {
      signals.push(task.signal);
      reached.resolve();
      await released.promise;
      await task.ensureLease();
      throw new Error('it went on');
    },
  };
  const loser = world.worker([issuer], { leaseMs: 30 });
  const lost = loser.runOnce();
  await reached.promise;
  const winner = world.worker([world.issuer(ca)]);
  while ((await winner.runOnce()) === 0) world.clock.pass(31);
  const won = await world.read(name);
  // It also finds out by itself.
  await until(() => signals[0]?.aborted === true);
  released.resolve();
  await lost;
  expect(await world.read(name)).toEqual(won);
  expect(world.logged.join()).not.toContain('it went on');
  expect(world.logged.join()).toContain('the lease of a certificate was lost');
});

test('a started worker attempts what becomes due, also after the store was down', async () => {
  const ca = await world.startCa();
  let away = false;
  const store: Store = {
    ...world.store,
    async claimCertificates(claim) {
      if (away) throw new Error('away');
      return world.store.claimCertificates(claim);
    },
  };
  world.worker([world.issuer(ca)], { store, pollMs: 1 }).start();
  const first = await world.add();
  await until(() => ca.certificates.length === 1);
  away = true;
  await until(() => world.logged.join().includes('due certificates cannot be claimed'));
  const second = await world.add();
  away = false;
  await until(() => ca.certificates.length === 2);
  await until(() => world.logged.join().includes('due certificates can be claimed again'));
  expect(ca.certificates.map(({ hostname }) => hostname)).toEqual([first.name, second.name]);
});

test('a started worker records its heartbeat', async () => {
  const ca = await world.startCa();
  expect(await world.store.findLastIssuing()).toBeNull();
  world.worker([world.issuer(ca)]).start();
  await expect.poll(() => world.store.findLastIssuing()).toBe(world.clock.now());
});

test('the gauges show all certificates', async () => {
  const ca = await world.startCa();
  await world.add();
  const waiting = await world.add();
  world.dns.remove(waiting.name);
  await world.worker([world.issuer(ca)]).runOnce();
  world.worker([world.issuer(ca)]).start();
  const lines = async () => (await world.metrics.registry.metrics()).split('\n');
  const issuer = new URL(ca.directoryUrl).host;
  const expected = [
    'nameplate_certificates{state="issued"} 1',
    'nameplate_certificates{state="waiting_for_routing"} 1',
    `nameplate_certificate_orders_total{issuer="${issuer}",outcome="issued"} 1`,
    `nameplate_certificate_budget_orders{issuer="${issuer}"} 299`,
    `nameplate_certificate_expiry_timestamp_seconds ${(ca.certificates[0]?.notAfter ?? 0) / 1000}`,
    'nameplate_certificate_oldest_waiting_seconds 0',
  ];
  await expect.poll(lines).toEqual(expect.arrayContaining(expected));
});

test('the gauge of the longest wait shows how long a name has been waiting to be attempted, then for the CA, and never how long for its owner', async () => {
  const ca = await world.startCa();
  const ordering = world.worker([world.issuer(ca)]);
  /** Returns the waiting time that a worker measures when it claims nothing. */
  async function measured(): Promise<string | undefined> {
    const store: Store = { ...world.store, claimCertificates: async () => [] };
    world.metrics.certificateWaitSeconds.set(-1);
    const watching = world.worker([world.issuer(ca)], { store });
    watching.start();
    const read = async () =>
      /^nameplate_certificate_oldest_waiting_seconds (\d+)$/m.exec(await world.metrics.registry.metrics())?.[1];
    await expect.poll(read).toBeDefined();
    await watching.stop(0);
    return read();
  }
  const unrouted = await world.add();
  world.dns.remove(unrouted.name);
  await ordering.runOnce();
  world.clock.pass(HOUR);
  expect(await measured()).toBe('0');

  const { name } = await world.add();
  world.clock.pass(5 * MINUTE);
  expect(await measured()).toBe('300');

  const mend = ca.fault({ answer: new AcmeProblem(500, 'serverInternal', 'Down'), at: ['newOrder'] });
  await ordering.runOnce();
  expect(await world.read(name)).toMatchObject({ state: 'failed', problem: { reason: 'ca_unavailable' } });
  world.clock.pass(10 * MINUTE);
  expect(await measured()).toBe('600');

  mend();
  await ordering.runOnce();
  expect(await world.read(name)).toMatchObject({ state: 'issued' });
  expect(await measured()).toBe('0');
});

test('a worker that stops releases its leases, and another resumes the orders at once', async () => {
  const ca = await world.startCa();
  const { name } = await world.add();
  ca.settings.looks = Number.POSITIVE_INFINITY;
  const first = world.worker([world.issuer(ca, { pollBudgetMs: HOUR })]);
  first.start();
  await until(() => ca.requests.challenge === 1);
  await first.stop(0);
  expect(await world.read(name)).toMatchObject({ state: 'ordering', problem: null, failures: 0, leasedUntil: null });
  ca.settings.looks = 0;
  for (const order of ca.orders()) order.looks = 0;
  await world.worker([world.issuer(ca)]).runOnce();
  expect(await world.read(name)).toMatchObject({ state: 'issued' });
  expect(ca.orders()).toHaveLength(1);
});

test('an attempt that takes too long is resumed later, without a failure', async () => {
  const ca = await world.startCa();
  const { name } = await world.add();
  ca.settings.looks = Number.POSITIVE_INFINITY;
  const worker = world.worker([world.issuer(ca, { pollBudgetMs: HOUR })], { deadlineMs: 300 });
  // Getting there may take longer.
  for (await worker.runOnce(); ca.orders().length === 0; await worker.runOnce()) world.clock.pass(MINUTE);
  const { state, failures, nextTryAt } = await world.read(name);
  expect({ state, failures, waitMs: nextTryAt - world.clock.now() }).toEqual({
    state: 'ordering',
    failures: 0,
    waitMs: MINUTE,
  });
});

test.each(['issue', 'renewalId', 'caaNames'] as const)(
  'what never comes to an end (%s) holds neither its lease nor its place beyond the deadline, and changes nothing after it',
  async (step) => {
    const ca = await world.startCa();
    const { name } = await world.add();
    await world.worker([world.issuer(ca)]).runOnce();
    await world.store.renewCertificate(name, world.clock.now());
    let isReached = false;
    const released = Promise.withResolvers<void>();
    const inner = world.issuer(ca);
    const stuck: Issuer = {
      ...inner,
      async [step](...args: never[]) {
        isReached = true;
        await released.promise;
        return Reflect.apply(inner[step], inner, args);
      },
    };
    const worker = world.worker([stuck], { capacity: 1, deadlineMs: 300 });
    // Getting there may take longer.
    for (await worker.runOnce(); !isReached; await worker.runOnce()) world.clock.pass(MINUTE);
    const left = await world.read(name);
    expect(left).toMatchObject({ failures: 0, leasedUntil: null, nextTryAt: world.clock.now() + MINUTE });
    expect(left.state).toBe(step === 'issue' ? 'renewing' : 'issued');
    released.resolve();
    world.clock.pass(MINUTE);
    await world.worker([world.issuer(ca)]).runOnce();
    expect(await world.read(name)).toMatchObject({ state: 'issued' });
    expect(ca.certificates).toHaveLength(2);
  },
);

test('an order that the CA has deleted is replaced by another at once', async () => {
  const ca = await world.startCa();
  const { name } = await world.add();
  ca.settings.looks = Number.POSITIVE_INFINITY;
  const issuer = world.issuer(ca, { pollBudgetMs: HOUR });
  await world.worker([issuer], { deadlineMs: 50 }).runOnce();
  ca.settings.looks = 0;
  ca.forgetOrders();
  world.clock.pass(MINUTE);
  await world.worker([issuer]).runOnce();
  expect(await world.read(name)).toMatchObject({ state: 'issued', failures: 0 });
});

test('failed names are retried after 1, 10 and 100 minutes, then daily', async () => {
  const ca = await world.startCa();
  const { name } = await world.add();
  ca.failAuthorizations(name, new AcmeProblem(403, 'unauthorized', 'somebody else answered'));
  const worker = world.worker([world.issuer(ca)], { random: () => 0 });
  const waits: number[] = [];
  for (let attempt = 0; attempt < 6; attempt++) {
    expect(await worker.runOnce()).toBe(1);
    const { state, failures, nextTryAt, problem } = await world.read(name);
    expect({ state, failures, reason: problem?.reason }).toEqual({
      state: 'failed',
      failures: attempt + 1,
      reason: 'authorization_failed',
    });
    waits.push((nextTryAt - world.clock.now()) / MINUTE);
    world.clock.set(nextTryAt);
  }
  expect(waits).toEqual([1, 10, 100, 1440, 1440, 1440]);
  expect(ca.requests.newOrder).toBe(6);
  expect(await world.eventsOf(name)).toEqual(['certificate.failed']);
  ca.failAuthorizations(name, null);
  await worker.runOnce();
  expect(await world.read(name)).toMatchObject({ state: 'issued', failures: 0, problem: null });
});

test('a name that CAA held back for days is ordered as soon as somebody looks after the record is mended', async () => {
  const ca = await world.startCa({ caaIdentities: ['ca.example'] });
  const { name } = await world.add();
  world.dns.set(name, 'CAA', ['0 issue "other.example"']);
  const worker = world.worker([world.issuer(ca)]);
  for (let hours = 0; hours < 48; hours++, world.clock.pass(HOUR)) await worker.runOnce();
  expect(await world.read(name)).toMatchObject({ state: 'waiting_for_routing', problem: { reason: 'caa_forbids' } });
  world.clock.set((await world.read(name)).nextTryAt);
  await worker.runOnce();
  expect(await worker.runOnce()).toBe(0);
  world.dns.set(name, 'CAA', ['0 issue "ca.example"']);
  await world.store.retryBlocked(name, world.clock.now());
  expect(await worker.runOnce()).toBe(1);
  expect((await world.read(name)).state).toBe('issued');
});

test('somebody who looks every 5 s for an hour costs the CA no order before the preflight passes, and none more after that', async () => {
  const ca = await world.startCa({ caaIdentities: ['ca.example'] });
  const [{ name: watched }, { name: other }] = [await world.add(), await world.add()];
  const names = [watched, other];
  for (const name of names) {
    ca.failAuthorizations(name, new AcmeProblem(403, 'unauthorized', 'somebody else answered'));
    world.dns.set(name, 'CAA', ['0 issue "other.example"']);
  }
  const worker = world.worker([world.issuer(ca)], { random: () => 0 });
  const lookFor = async (ms: number) => {
    for (const end = world.clock.now() + ms; world.clock.now() < end; world.clock.pass(5_000)) {
      await world.store.retryBlocked(watched, world.clock.now());
      await worker.runOnce();
    }
  };
  await lookFor(10 * MINUTE);
  expect(ca.requests.newOrder).toBe(0);
  const ordersOf = () =>
    names.map(
      (name) => world.logged.filter((line) => line.includes(name) && line.includes('authorization_failed')).length,
    );
  // Every other minute, CAA forbids the CA again.
  for (let minute = 0; minute < 60; minute++) {
    for (const name of names)
      world.dns.set(name, 'CAA', [minute % 2 ? '0 issue "other.example"' : '0 issue "ca.example"']);
    await lookFor(MINUTE);
  }
  const [ofWatched = 0, ofOther = 0] = ordersOf();
  expect(ofWatched).toBeGreaterThan(0);
  expect(ofWatched).toBeLessThanOrEqual(ofOther);
  expect(ca.requests.newOrder).toBe(ofWatched + ofOther);
});

test('every order has its own key', async () => {
  const ca = await world.startCa();
  const { name } = await world.add();
  const worker = world.worker([world.issuer(ca)]);
  await worker.runOnce();
  const before = await servedCertificate(world.store, name);
  await world.store.renewCertificate(name, world.clock.now());
  await worker.runOnce();
  const after = await servedCertificate(world.store, name);
  expect(after?.chain).not.toBe(before?.chain);
  expect(after?.privateKey).not.toEqual(before?.privateKey);
});

test('an imported certificate of a year is served until its last month, is announced before, and nothing but a managed one takes its place', async () => {
  const ca = await world.startCa();
  const domain = await world.add();
  const { name } = domain;
  const worker = world.worker([world.issuer(ca)]);
  await worker.runOnce();
  const began = world.clock.now();
  const times = { notBefore: began, notAfter: began + 365 * DAY, issuedAt: began };
  const own = anIssuedCertificate({
    issuer: 'imported',
    ...times,
    renewal: lifetimeWindow({ issuer: 'imported', ...times }, began, 0.5, false),
  });
  await world.store.importCertificate(name, own, began);
  const days: string[] = [];
  for (let day = 0; day < 400; day++) {
    await worker.runOnce();
    await world.store.pruneInheritedCertificates(world.clock.now());
    await world.store.recordExpiring(world.clock.now(), 10);
    const { issued } = await world.read(name);
    expect(issued?.notAfter).toBeGreaterThan(world.clock.now() + DAY);
    expect(await servedCertificate(world.store, name)).toMatchObject({ chain: issued?.chain });
    days.push(issued?.issuer === 'imported' ? 'own' : 'managed');
    world.clock.pass(DAY);
  }
  expect(days.lastIndexOf('own')).toBe(336);
  expect(days.slice(0, 337)).not.toContain('managed');
  expect(ca.requests.newOrder).toBe(2 + 1);
  const events = (await world.eventsOf(name)).slice(1);
  expect(events.slice(0, 3)).toEqual(['certificate.renewed', 'certificate.expiring', 'certificate.renewed']);
});

test('an imported certificate that ends before the managed one behind it gives way to that, without an order; and is served to its last second where no CA issues and none is kept', async () => {
  const ca = await world.startCa();
  const { name } = await world.add();
  const alone = await world.add();
  const worker = world.worker([world.issuer(ca)]);
  world.dns.remove(alone.name);
  await worker.runOnce();
  const managed = (await world.read(name)).issued;
  const began = world.clock.now();
  const times = { notBefore: began - 30 * DAY, notAfter: began + 10 * DAY, issuedAt: began };
  for (const hostname of [name, alone.name]) {
    const own = anIssuedCertificate({
      issuer: 'imported',
      ...times,
      renewal: lifetimeWindow({ issuer: 'imported', ...times }, began, 0, false),
    });
    await world.store.importCertificate(hostname, own, began);
  }
  const issuerOf = async (hostname: string) => (await world.read(hostname)).issued?.issuer;
  world.clock.set(times.notAfter - (10 * DAY) / 3 - 1);
  await worker.runOnce();
  expect(await issuerOf(name)).toBe('imported');
  world.clock.pass(1);
  await worker.runOnce();
  expect((await world.read(name)).issued?.chain).toBe(managed?.chain);
  expect(ca.requests.newOrder).toBe(1);
  expect(await world.read(alone.name)).toMatchObject({ state: 'renewing', problem: { reason: 'no_address' } });
  world.clock.set(times.notAfter - HOUR);
  await worker.runOnce();
  expect(await issuerOf(alone.name)).toBe('imported');
  world.dns.set(alone.name, 'A', ['127.0.0.1']);
  world.clock.set((await world.read(alone.name)).nextTryAt);
  await worker.runOnce();
  expect(await issuerOf(alone.name)).toBe(ca.directoryUrl);
});

test('an imported certificate is renewed like any other', async () => {
  const ca = await world.startCa();
  const { name } = await world.add();
  const now = world.clock.now();
  const renewal = { source: 'lifetime' as const, explanationUrl: null, askAgainAt: null };
  const imported = anIssuedCertificate({
    issuer: 'imported',
    notBefore: now - 60 * DAY,
    notAfter: now + 30 * DAY,
    renewal: { ...renewal, startsAt: now, endsAt: now + DAY, renewAt: now + HOUR },
  });
  await world.store.importCertificate(name, imported, now);
  const worker = world.worker([world.issuer(ca)]);
  expect(await worker.runOnce()).toBe(0);
  world.clock.pass(HOUR);
  await worker.runOnce();
  expect((await world.read(name)).issued?.issuer).toBe(ca.directoryUrl);
});

test('a domain that is deleted while its certificate is ordered leaves nothing behind', async () => {
  const ca = await world.startCa();
  const { name, id, workspaceId } = await world.add();
  const inner = world.issuer(ca);
  const issuer: Issuer = {
    ...inner,
    async issue(task) {
      await world.store.deleteDomain(workspaceId, id, world.clock.now());
      return inner.issue(task);
    },
  };
  await world.worker([issuer]).runOnce();
  expect(await world.store.findCertificate(name)).toBe(null);
  expect(await servedCertificate(world.store, name)).toBe(null);
  expect(ca.certificates).toEqual([]);
});
