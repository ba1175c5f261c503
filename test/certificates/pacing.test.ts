import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LETS_ENCRYPT_LIMITS } from '../../server/src/certificates/policy/budget.ts';
import { lifetimeWindow, MOVED } from '../../server/src/domain/certificate-state.ts';
import { timeToIssue } from '../../server/src/domain/time-to-issue.ts';
import { anIssuedCertificate } from '../support/certificates.ts';
import { plant } from '../support/entities.ts';
import type { FakeCa } from '../support/fake-ca/fake-ca.ts';
import { seeded } from '../support/seeded-random.ts';
import { createWorld, type World } from './world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A tenth of Let's Encrypt's: 24 new names in 3 hours, so that 100 names take as long as 1,000 there. */
const LIMITS = LETS_ENCRYPT_LIMITS.map((each) => (each.name === 'orders' ? { ...each, limit: 30 } : each));
const PER_WINDOW = 24;

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

/** As a node does that looks every few minutes, until all names have their certificate. Resolves with how long that took. */
async function issueAll(cas: FakeCa[], names: number): Promise<number> {
  const began = world.clock.now();
  const issuers = cas.map((ca) => world.issuer(ca));
  const worker = world.worker(issuers, { limits: LIMITS, random: seeded(1).next, checksSelf: false });
  for (;;) {
    await worker.runOnce();
    if ((await world.store.countCertificates()).issued === names) return world.clock.now() - began;
    if (world.clock.now() - began > 10 * DAY) throw new Error('names are left without a certificate');
    world.clock.pass(5 * MINUTE);
  }
}

const startCa = () => world.startCa({ limits: LIMITS });

async function addNames(count: number): Promise<void> {
  const planted = await plant(world.store);
  for (let i = 0; i < count; i++) await world.add({ name: `n${i}.customer${i}.com`, planted });
}

describe('new names beyond the limit of the first CA', () => {
  test.each([1, 2])(
    'are ordered as fast as %s CAs allow, none of whose limits is exceeded, in the time that is foretold and what jitter adds',
    async (count) => {
      const cas: FakeCa[] = [];
      while (cas.length < count) cas.push(await startCa());
      await addNames(100);
      const foretold = timeToIssue(100, 0, { limit: 30, windowMs: 3 * HOUR, cas: count });
      expect(foretold / HOUR).toBe(count === 1 ? 12 : 6);
      const tookMs = await issueAll(cas, 100);
      expect(tookMs).toBeGreaterThanOrEqual(foretold);
      // Waits are extended by up to 20 % of the rest of a window; the throttle begins anew with each.
      expect(tookMs).toBeLessThanOrEqual(foretold * 1.3);
      for (const ca of cas) {
        expect(ca.exceeded).toEqual([]);
        expect(ca.requests.newOrder).toBe(ca.certificates.length);
        expect(ca.certificates.length).toBeGreaterThanOrEqual(PER_WINDOW);
      }
      expect(cas.reduce((sum, { certificates }) => sum + certificates.length, 0)).toBe(100);
    },
  );

  test('go to the second one now, and to the first again once it has capacity', async () => {
    const [first, second] = [await startCa(), await startCa()];
    await addNames(PER_WINDOW + 1);
    expect(await issueAll([first, second], PER_WINDOW + 1)).toBe(0);
    expect([first.certificates.length, second.certificates.length]).toEqual([PER_WINDOW, 1]);
    world.clock.pass(3 * HOUR);
    const { name } = await world.add();
    expect(await issueAll([first, second], PER_WINDOW + 2)).toBe(0);
    expect(await world.read(name)).toMatchObject({ issued: { issuer: first.directoryUrl } });
  });

  test('of one registered domain go to the second one where the first has issued enough for that', async () => {
    const [first, second] = [await startCa(), await startCa()];
    const limits = LIMITS.map((each) => (each.name === 'certificates' ? { ...each, limit: 5 } : each));
    const planted = await plant(world.store);
    for (let i = 0; i < 6; i++) await world.add({ name: `n${i}.customer.com`, planted });
    const worker = world.worker([world.issuer(first), world.issuer(second)], { limits, checksSelf: false });
    await worker.runOnce();
    expect([first.certificates.length, second.certificates.length]).toEqual([4, 2]);
  });
});

test('a renewal that its CA exempts stays there, whichever CA comes first, and costs none of the limits of the other', async () => {
  const [first, second] = [await startCa(), await startCa()];
  const { name } = await world.add();
  await world.worker([world.issuer(second)]).runOnce();
  const both = world.worker([world.issuer(first), world.issuer(second)], { limits: LIMITS });
  for (let look = 0; look < 400 && second.certificates.length + first.certificates.length < 2; look++) {
    await both.runOnce();
    world.clock.set((await world.read(name)).nextTryAt);
  }
  expect(await world.read(name)).toMatchObject({ issued: { issuer: second.directoryUrl } });
  expect(second.orders().at(-1)).toMatchObject({ exempt: true });
  expect(first.requests.newOrder).toBe(0);
});

describe('a moved certificate', () => {
  const moved = (about: { notBefore: number; notAfter: number }, random = 0.5) => {
    const now = world.clock.now();
    const renewal = lifetimeWindow({ issuer: MOVED, ...about }, now, random, false);
    return anIssuedCertificate({ issuer: MOVED, issuedAt: now, ...about, renewal });
  };

  test('is ordered when its renewal is due and not before, as a renewal that names no certificate to replace, then by ARI', async () => {
    const ca = await startCa();
    const { name } = await world.add();
    const began = world.clock.now();
    const brought = moved({ notBefore: began - 30 * DAY, notAfter: began + 60 * DAY });
    await world.store.importCertificate(name, brought, began);
    const worker = world.worker([world.issuer(ca)]);
    const { renewAt } = brought.renewal;
    expect((renewAt - began) / DAY).toBeGreaterThan(30);
    for (let day = 0; day * DAY < renewAt - began; day++) {
      world.clock.set(began + day * DAY);
      await worker.runOnce();
    }
    expect(ca.requests.newOrder).toBe(0);
    expect(await world.eventsOf(name)).toEqual(['certificate.issued']);
    world.clock.set(renewAt);
    await worker.runOnce();
    expect(ca.orders()).toEqual([expect.objectContaining({ exempt: false })]);
    expect(ca.orders()[0]?.replaces ?? null).toBeNull();
    expect(await world.store.countLedgerEntries(ca.directoryUrl, 0)).toMatchObject({ orders: 1, exempt: 0 });
    expect(await world.read(name)).toMatchObject({ state: 'issued', issued: { issuer: ca.directoryUrl } });
    world.clock.pass(HOUR);
    await worker.runOnce();
    expect(await world.read(name)).toMatchObject({ issued: { renewal: { source: 'ari' } } });
  });

  test('is announced when it expires soon, as a managed one is, and is served to its last second where no CA issues', async () => {
    const { name } = await world.add();
    const began = world.clock.now();
    const brought = moved({ notBefore: began - 30 * DAY, notAfter: began + 60 * DAY });
    await world.store.importCertificate(name, brought, began);
    world.dns.set(name, 'A', ['127.0.0.9']);
    const worker = world.worker([world.issuer(await startCa())]);
    for (const [at, expected] of [
      [brought.notAfter - 9 * DAY - 1, []],
      [brought.notAfter - 9 * DAY, ['certificate.expiring']],
    ] as const) {
      world.clock.set(at);
      await worker.runOnce();
      await world.store.recordExpiring(at, 10);
      expect((await world.eventsOf(name)).filter((type) => type === 'certificate.expiring')).toEqual(expected);
    }
    expect(await world.read(name)).toMatchObject({ state: 'renewing', issued: { issuer: MOVED } });
  });

  test('that expires soon is ordered within the limits although hundreds of renewals of others are due before', async () => {
    const ca = await startCa();
    const planted = await plant(world.store);
    const began = world.clock.now();
    const late: string[] = [];
    for (let i = 0; i < 60; i++) {
      const { name } = await world.add({ name: `n${i}.customer${i}.com`, planted });
      const isLate = i % 12 === 0;
      const notAfter = began + (isLate ? 1.5 : 10) * DAY;
      const brought = moved({ notBefore: notAfter - 90 * DAY, notAfter }, isLate ? 0.5 : 0);
      await world.store.importCertificate(name, brought, began);
      if (isLate) late.push(name);
    }
    const worker = world.worker([world.issuer(ca)], { limits: LIMITS, checksSelf: false });
    await worker.runOnce();
    world.clock.pass(3.6 * HOUR);
    await worker.runOnce();
    expect(ca.exceeded).toEqual([]);
    for (const name of late) expect(await world.read(name)).toMatchObject({ issued: { issuer: ca.directoryUrl } });
  });
});
