import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { IssueTask } from '../../server/src/certificates/issuer.ts';
import type { CertificateReason } from '../../server/src/domain/certificate-state.ts';
import type { Certificate } from '../../server/src/store/store.ts';
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

/** Requests to a CA that may count as an attempt. */
const attempts = ({ requests: { newAccount, newOrder, challenge } }: FakeCa) => newAccount + newOrder + challenge;

const NAME = 'shop.example.com';

describe('a name that would fail costs no attempt at the CA, and its state says why', () => {
  test.each<[CertificateReason, string, (dns: World['dns']) => void, RegExp]>([
    ['no_address', 'has no address', (dns) => dns.remove(NAME), /^shop\.example\.com has no address/],
    [
      'no_address',
      'leads to nothing',
      (dns) => {
        dns.remove(NAME);
        dns.set(NAME, 'CNAME', ['gone.test']);
      },
      /points to "gone\.test", which has no address/,
    ],
    ['dns_unreadable', 'cannot be read', (dns) => dns.fail(NAME, 'servfail'), /^shop\.example\.com could not be read/],
    [
      'address_not_public',
      'leads to a private address',
      (dns) => dns.set(NAME, 'A', ['10.0.0.1']),
      /has the address 10\.0\.0\.1, which cannot be reached from the Internet/,
    ],
    [
      'address_not_public',
      'leads to cloud metadata',
      (dns) => dns.set(NAME, 'A', ['127.0.0.1', '169.254.169.254']),
      /has the address 169\.254\.169\.254/,
    ],
    [
      'address_not_public',
      'has a stray AAAA record',
      (dns) => dns.set(NAME, 'AAAA', ['::1']),
      /has the address ::1, .* Remove the AAAA record; 127\.0\.0\.1 is right\.$/,
    ],
    [
      'unreachable',
      'leads to nobody',
      (dns) => dns.set(NAME, 'A', ['127.0.0.9']),
      /nothing answers on port 80: 127\.0\.0\.9/,
    ],
    [
      'unreachable',
      'is a CNAME to where nobody is',
      (dns) => {
        dns.remove(NAME);
        dns.set(NAME, 'CNAME', ['old-host.test']);
        dns.set('old-host.test', 'A', ['127.0.0.9']);
      },
      /points to "old-host\.test", which has the address 127\.0\.0\.9, .* Point it to the target of its routing record\./,
    ],
    [
      'caa_forbids',
      'is a CNAME to where only another CA is allowed',
      (dns) => {
        dns.remove(NAME);
        dns.set(NAME, 'CNAME', ['host.test']);
        dns.set('host.test', 'A', ['127.0.0.1']);
        dns.set('host.test', 'CAA', ['0 issue "digicert.com"']);
      },
      /CAA record 0 issue "digicert\.com" of "host\.test", to which a CNAME points, does not allow ca\.test/,
    ],
    [
      'caa_forbids',
      'allows another CA only',
      (dns) => dns.set('example.com', 'CAA', ['0 issue "digicert.com"']),
      /CAA record 0 issue "digicert\.com" of example\.com does not allow ca\.test/,
    ],
    [
      'caa_forbids',
      'allows no CA',
      (dns) => dns.set(NAME, 'CAA', ['0 issue ";"']),
      /CAA record 0 issue ";" of shop\.example\.com/,
    ],
    [
      'caa_forbids',
      'has a critical property that nobody knows',
      (dns) => dns.set('example.com', 'CAA', ['0 issue "ca.test"', '128 tbs "x"']),
      /CAA record 128 tbs "x" of example\.com is critical/,
    ],
    [
      'caa_forbids',
      'allows the CA another account',
      (dns) => dns.set(NAME, 'CAA', ['0 issue "ca.test; accounturi=https://ca.test/1"']),
      /does not allow our account/,
    ],
    [
      'caa_forbids',
      'allows the CA another way of proof',
      (dns) => dns.set(NAME, 'CAA', ['0 issue "ca.test; validationmethods=dns-01"']),
      /Add http-01/,
    ],
    [
      'dns_unreadable',
      'has CAA records above that cannot be read',
      (dns) => dns.fail('example.com', 'servfail'),
      /^example\.com could not be read/,
    ],
  ])('%s: it %s', async (reason, _, arrange, words) => {
    const ca = await world.startCa({ caaIdentities: ['ca.test'] });
    await world.add({ name: NAME });
    arrange(world.dns);
    const worker = world.worker([world.issuer(ca)]);
    for (let minutes = 0; minutes < 10; minutes++) {
      await worker.runOnce();
      world.clock.pass(2 * MINUTE);
    }
    const { state, problem, failures, issued } = await world.read(NAME);
    expect({ state, reason: problem?.reason, failures, issued }).toEqual({
      state: 'waiting_for_routing',
      reason,
      failures: 0,
      issued: null,
    });
    expect(problem?.message).toMatch(words);
    expect(attempts(ca)).toBe(0);
    expect(await world.store.countLedgerEntries(ca.directoryUrl, 0)).toMatchObject({ orders: 0 });
    expect(await world.eventsOf(NAME)).toHaveLength(1);
  });

  test('answered_by_another: another server answers', async () => {
    const ca = await world.startCa();
    const { name } = await world.add({ name: NAME });
    // The CA gets no challenge response either.
    const ports = { http: Number(new URL(ca.directoryUrl).port), https: 443 };
    await world.worker([world.issuer(ca)], { ports }).runOnce();
    const { state, problem } = await world.read(name);
    expect({ state, reason: problem?.reason }).toEqual({ state: 'waiting_for_routing', reason: 'answered_by_another' });
    expect(attempts(ca)).toBe(0);
  });
});

test('the self-check can be turned off where the machine cannot reach itself; CAA is still checked', async () => {
  const ca = await world.startCa({ caaIdentities: ['ca.test'] });
  await world.add({ name: NAME });
  world.dns.set(NAME, 'A', ['127.0.0.9']);
  world.dns.set(NAME, 'CAA', ['0 issue ";"']);
  const worker = world.worker([world.issuer(ca)], { checksSelf: false });
  await worker.runOnce();
  expect((await world.read(NAME)).problem?.reason).toBe('caa_forbids');
  expect(attempts(ca)).toBe(0);
  world.dns.remove(NAME, 'CAA');
  world.clock.pass(2 * MINUTE);
  await worker.runOnce();
  // The fake CA fetches the challenge from the edge itself.
  expect(await world.read(NAME)).toMatchObject({ state: 'issued', selfCheck: null });
});

test('a name is checked again every minute for an hour, every ten minutes for a day, and hourly from then on', async () => {
  const ca = await world.startCa();
  await world.add({ name: NAME });
  world.dns.remove(NAME);
  const worker = world.worker([world.issuer(ca)], { random: () => 0 });
  const looks = async (ms: number) => {
    let count = 0;
    for (const end = world.clock.now() + ms; world.clock.now() < end; world.clock.pass(MINUTE)) {
      count += await worker.runOnce();
    }
    return count;
  };
  expect(await looks(HOUR)).toBe(60);
  expect(await looks(23 * HOUR)).toBe(23 * 6);
  expect(await looks(2 * DAY)).toBe(48);
});

test('a name that has been fixed is issued at its next check, or at once on request', async () => {
  const ca = await world.startCa();
  await world.add({ name: NAME });
  world.dns.set(NAME, 'A', ['127.0.0.9']);
  const worker = world.worker([world.issuer(ca)]);
  await worker.runOnce();
  world.dns.set(NAME, 'A', ['127.0.0.1']);
  expect(await worker.runOnce()).toBe(0);
  expect(await world.store.renewCertificate(NAME, world.clock.now())).toBe('accepted');
  await worker.runOnce();
  expect(await world.read(NAME)).toMatchObject({ state: 'issued', problem: null });
});

test('the time of a problem is when its reason was first found', async () => {
  const ca = await world.startCa();
  await world.add({ name: NAME });
  world.dns.remove(NAME);
  const worker = world.worker([world.issuer(ca)]);
  const began = world.clock.now();
  for (let minutes = 0; minutes < 5; minutes++) {
    await worker.runOnce();
    world.clock.pass(2 * MINUTE);
  }
  expect((await world.read(NAME)).problem?.at).toBe(began);
  world.dns.set(NAME, 'A', ['10.0.0.1']);
  await worker.runOnce();
  expect((await world.read(NAME)).problem).toMatchObject({ reason: 'address_not_public', at: world.clock.now() });
});

test('CAA with our account and our validation method allows it', async () => {
  const ca = await world.startCa({ caaIdentities: ['ca.test'] });
  const worker = world.worker([world.issuer(ca)]);
  await world.add();
  await worker.runOnce();
  const account = await world.store.findCaAccount(ca.directoryUrl);
  await world.add({ name: NAME });
  world.dns.set('example.com', 'CAA', [`0 issue "ca.test; accounturi=${account?.url}; validationmethods=http-01"`]);
  await worker.runOnce();
  expect(await world.read(NAME)).toMatchObject({ state: 'issued' });
});

test('when CAA forbids the first CA and allows the second, the second issues, and the first is not asked', async () => {
  const first = await world.startCa({ caaIdentities: ['first.test'] });
  const second = await world.startCa({ caaIdentities: ['second.test'] });
  await world.add({ name: NAME });
  world.dns.set('example.com', 'CAA', ['0 issue "second.test"']);
  await world.worker([world.issuer(first), world.issuer(second)]).runOnce();
  expect((await world.read(NAME)).issued?.issuer).toBe(second.directoryUrl);
  expect(attempts(first)).toBe(0);
});

describe('while an order is in progress', () => {
  /** The certificate as it is shown when the CA is asked. */
  async function shownInOrder(ca: FakeCa): Promise<Certificate> {
    const shown: Certificate[] = [];
    const issuer = world.issuer(ca);
    const looking = {
      ...issuer,
      async issue(task: IssueTask) {
        shown.push(await world.read(task.hostname));
        return issuer.issue(task);
      },
    };
    await world.worker([looking]).runOnce();
    const [certificate] = shown;
    if (certificate === undefined) throw new Error('there was no order');
    return certificate;
  }

  test('a problem of the name that was fixed is no longer shown, and the self-check is the one before the order', async () => {
    const ca = await world.startCa();
    await world.add({ name: NAME });
    world.dns.set(NAME, 'A', ['127.0.0.9']);
    await world.worker([world.issuer(ca)]).runOnce();
    expect(await world.read(NAME)).toMatchObject({ problem: { reason: 'unreachable' } });
    world.dns.set(NAME, 'A', ['127.0.0.1']);
    world.clock.pass(2 * MINUTE);
    expect(await shownInOrder(ca)).toMatchObject({
      state: 'ordering',
      problem: null,
      selfCheck: { at: world.clock.now(), answers: [{ address: '127.0.0.1', outcome: 'ours' }] },
    });
  });

  test('the result of the previous order is shown until the CA has decided about this one', async () => {
    const ca = await world.startCa();
    await world.add({ name: NAME });
    ca.failAuthorizations(NAME, new AcmeProblem(403, 'unauthorized', 'no'));
    await world.worker([world.issuer(ca)]).runOnce();
    ca.failAuthorizations(NAME, null);
    world.clock.pass(2 * MINUTE);
    expect(await shownInOrder(ca)).toMatchObject({
      state: 'ordering',
      problem: { reason: 'authorization_failed' },
    });
    expect(await world.read(NAME)).toMatchObject({ state: 'issued', problem: null });
  });
});
