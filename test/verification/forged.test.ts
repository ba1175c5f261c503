import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../playground/dns/simulator.ts';
import { createLog } from '../../server/src/base/log.ts';
import type { Domain, DomainKind } from '../../server/src/domain/domain.ts';
import type { MonitoringMode } from '../../server/src/domain/monitoring.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import { createMonitor } from '../../server/src/verification/monitor.ts';
import { observe } from '../../server/src/verification/observation/observe.ts';
import { createWorld, type World } from '../support/dns-world.ts';

/**
 * A forger whose every guess is right: whatever is asked over UDP from a port that others can learn gets the forger's
 * answer, of nameservers, registries and resolvers alike. test/long/dns has one that guesses.
 */
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let forger: Simulator;
let world: World;

beforeEach(async () => {
  forger = await startSimulator({ port: 0 });
  world = await createWorld({ forger });
});
afterEach(async () => {
  await world.close();
  await forger.close();
});

const KINDS: [DomainKind, string][] = [
  ['subdomain', 'shop.acme.com'],
  ['apex', 'acme.com'],
];

/** The forger answers as the records really are, from now on. */
function tellTruth(domain: Domain): void {
  world.publish(domain, undefined, forger);
}

async function verified(kind: DomainKind, name: string, workspaceId = 'ws_1'): Promise<Domain> {
  const domain = await world.create(name, { kind, workspaceId });
  for (const at of [world.dns, forger]) {
    world.publish(domain, undefined, at);
    at.set('*.cname.nameplate.test', 'A', ['192.0.2.10']);
  }
  const after = await world.check(domain);
  expect(after.status).toBe('verified');
  return after;
}

describe.each(KINDS)('forged answers about a %s', (kind, name) => {
  test('verify nothing, and set no flag', async () => {
    const domain = await world.create(name, { kind });
    world.publish(domain, undefined, forger);
    for (let checks = 0; checks < 12; checks++) {
      expect(await world.check(domain)).toMatchObject({
        status: 'verifying',
        routingVerifiedAt: null,
        ownershipVerifiedAt: null,
      });
    }
  });

  test('take no name from its incumbent', async () => {
    const incumbent = await verified(kind, name);
    world.clock.pass(1000);
    const claimant = await world.create(name, { kind, workspaceId: 'ws_2' });
    forger.remove(`_service.${name}`, 'TXT');
    tellTruth(claimant);
    for (let checks = 0; checks < 5; checks++) await world.check(claimant);
    expect((await world.read(claimant)).status).toBe('verifying');
    expect(await world.read(incumbent)).toEqual(incumbent);
  });

  test('take no name for a claimant who owns it while the records of the incumbent are there', async () => {
    const incumbent = await verified(kind, name);
    world.clock.pass(1000);
    const claimant = await world.create(name, { kind, workspaceId: 'ws_2' });
    const values = [incumbent, claimant].map(({ token }) => `service-domain-verify=${token}`);
    world.dns.set(`_service.${name}`, 'TXT', values);
    forger.remove(`_service.${name}`, 'TXT');
    tellTruth(claimant);
    for (let checks = 0; checks < 5; checks++) await world.check(claimant);
    expect((await world.read(claimant)).status).toBe('verifying');
    expect(await world.read(incumbent)).toEqual(incumbent);
  });

  test('fail no domain at the end of its window', async () => {
    const domain = await world.create(name, { kind });
    world.publish(domain);
    world.clock.pass(DAY_MS);
    // The check that sees the end first is not the last one.
    await world.check(domain);
    expect((await world.check(domain)).status).toBe('verified');
  });

  test.each<MonitoringMode>(['tell', 'enforce'])('tell of no loss, and take nothing away, in mode %s', async (mode) => {
    const domain = await verified(kind, name);
    const { store, resolver, clock } = world;
    const monitor = createMonitor({
      ...{
        store,
        clock,
        mode,
        cnameZone: 'cname.nameplate.test',
        checkSelf: null,
        log: createLog('silent'),
        metrics: createMetrics(),
      },
      observe: (one, depth, signal) => observe(resolver, one, null, { depth, signal, random: () => 0.5 }),
      random: () => 0.5,
    });
    for (const type of ['CNAME', 'ALIAS', 'A', 'TXT'] as const) {
      forger.remove(name, type);
      forger.remove(`_service.${name}`, type);
    }
    for (let hours = 0; hours < 10 * 24; hours++) {
      clock.pass(HOUR_MS);
      await monitor.runOnce();
    }
    expect(await world.read(domain)).toEqual(domain);
    await monitor.stop();
  });
});

test('forged answers neither hide a CAA record before an order nor lead it to other addresses', async () => {
  world.dns.set('shop.acme.com', 'CAA', ['0 issue "ca.test"']);
  world.dns.set('shop.acme.com', 'A', ['192.0.2.10']);
  forger.set('shop.acme.com', 'A', ['192.0.2.66']);
  const { signal } = new AbortController();
  expect(await world.resolver.lookupCaa('shop.acme.com', { signal })).toMatchObject({
    records: [{ value: 'ca.test' }],
  });
  expect(await world.resolver.lookupAddresses('shop.acme.com', { signal })).toMatchObject({
    addresses: ['192.0.2.10'],
  });
});

test('a forged challenge record prepares no domain whose ownership record is real', async () => {
  const domain = await world.create('*.shop.acme.com', { kind: 'subdomain', challengeZone: 'acme.nameplate.test' });
  for (const at of [world.dns, forger])
    at.set('_service.shop.acme.com', 'TXT', [`service-domain-verify=${domain.token}`]);
  const value = `${domain.target.split('.')[0]}.acme.nameplate.test`;
  forger.set('_acme-challenge.shop.acme.com', 'CNAME', [value]);
  await world.check(domain);
  expect(await world.store.findSite('any.shop.acme.com')).toBeNull();
  world.dns.set('_acme-challenge.shop.acme.com', 'CNAME', [value]);
  await world.check(domain);
  expect(await world.store.findSite('any.shop.acme.com')).toMatchObject({ domainId: domain.id, isPrepared: true });
});

describe('forged answers about a name that leads to a shared target', () => {
  const HOST = 'customers.platform.com';
  const SHARED = { target: HOST, sharedAddresses: '[]' };
  beforeEach(async () => {
    const addresses = ['203.0.113.7', '2001:db8::7'];
    await world.store.addSharedTarget({ host: HOST, workspaceId: 'ws_1', addresses, createdAt: 1 });
  });

  test.each([
    ['apex', 'acme.com', 'A', '203.0.113.7'],
    ['apex', 'acme.com', 'AAAA', '2001:db8::7'],
    ['subdomain', 'shop.acme.com', 'A', '203.0.113.7'],
    ['subdomain', 'shop.acme.com', 'CNAME', HOST],
    ['subdomain', '*.acme.com', 'CNAME', HOST],
  ] as const)('verify nothing, and set no flag: %s %s %s', async (kind, name, type, value) => {
    const domain = await world.create(name, { kind, target: SHARED });
    forger.set(name, type, [value]);
    for (let checks = 0; checks < 12; checks++) {
      expect(await world.check(domain)).toMatchObject({ status: 'verifying', routingVerifiedAt: null });
    }
  });

  test.each([
    ['apex', 'acme.com', 'A', '203.0.113.7'],
    ['subdomain', 'shop.acme.com', 'CNAME', HOST],
  ] as const)('take no name from its workspace: %s %s %s', async (kind, name, type, value) => {
    for (const at of [world.dns, forger]) at.set(name, type, [value]);
    const incumbent = await world.check(await world.create(name, { kind, target: SHARED }));
    expect(incumbent.status).toBe('verified');
    world.clock.pass(1000);
    const claimant = await world.create(name, { kind, workspaceId: 'ws_2' });
    world.publish(claimant, 'ownership');
    forger.remove(name, type);
    tellTruth(claimant);
    for (let checks = 0; checks < 5; checks++) await world.check(claimant);
    expect((await world.read(claimant)).status).toBe('verifying');
    expect(await world.read(incumbent)).toEqual(incumbent);
  });
});
