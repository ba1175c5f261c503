import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../../server/src/base/log.ts';
import type { Domain } from '../../server/src/domain/domain.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import { createMonitor } from '../../server/src/verification/monitor.ts';
import { observe } from '../../server/src/verification/observation/observe.ts';
import type { SelfChecker } from '../../server/src/verification/observation/self-check.ts';
import { createWorld, type World } from '../support/dns-world.ts';

const HOST = 'customers.platform.com';
const ADDRESS = '203.0.113.7';
const IPV6 = '2001:db8::7';
const CNAME_ZONE = 'cname.nameplate.test';

let world: World;
beforeEach(async () => {
  world = await createWorld();
  await give('ws_1', HOST, [ADDRESS, IPV6]);
  // The old server of the platform, before anything moves.
  world.dns.set(HOST, 'A', [ADDRESS]);
});
afterEach(() => world.close());

const give = (workspaceId: string, host: string, addresses: string[] = []) =>
  world.store.addSharedTarget({ host, workspaceId, addresses, createdAt: 1 });
const shared = (name: string, about: { kind?: Domain['kind']; workspaceId?: string; target?: string } = {}) => {
  const { target = HOST, ...rest } = about;
  return world.create(name, { ...rest, target: { target, sharedAddresses: '[]' } });
};
const VERIFIED = { status: 'verified', ownershipVerifiedAt: null };
const UNPROVEN = { status: 'verifying', routingVerifiedAt: null };

describe('a name that leads to a shared target', () => {
  test('by its CNAME is verified by that alone, while the target still leads to the old server', async () => {
    world.dns.set('shop.acme.com', 'CNAME', [HOST]);
    expect(await world.check(await shared('shop.acme.com'))).toMatchObject(VERIFIED);
    world.dns.set('*.shops.acme.com', 'CNAME', [HOST]);
    expect(await world.check(await shared('*.shops.acme.com'))).toMatchObject(VERIFIED);
  });

  test.each([
    ['IPv4', 'A', [ADDRESS]],
    ['IPv6', 'AAAA', [IPV6]],
  ] as const)('as an apex is verified by its addresses (%s)', async (_, type, addresses) => {
    world.dns.set('acme.com', type, [...addresses]);
    expect(await world.check(await shared('acme.com', { kind: 'apex' }))).toMatchObject(VERIFIED);
  });

  test.each([
    ['beside another one', 'A', [ADDRESS, '192.0.2.99']],
    ['of another server', 'A', ['192.0.2.99']],
  ] as const)('by an address %s is not verified', async (_, type, addresses) => {
    world.dns.set('acme.com', type, [...addresses]);
    const apex = await shared('acme.com', { kind: 'apex' });
    expect(await world.check(apex)).toMatchObject(UNPROVEN);
  });

  test('by a CNAME to another name that has the addresses is not verified', async () => {
    world.dns.set('acme.com', 'A', [ADDRESS]);
    world.dns.set('www.acme.com', 'CNAME', ['acme.com']);
    expect(await world.check(await shared('www.acme.com'))).toMatchObject(UNPROVEN);
  });

  test('over IPv4 and to another server over IPv6 is not verified', async () => {
    world.dns.set('acme.com', 'A', [ADDRESS]);
    world.dns.set('acme.com', 'AAAA', ['2001:db8::99']);
    expect(await world.check(await shared('acme.com', { kind: 'apex' }))).toMatchObject(UNPROVEN);
  });

  test('over IPv6 to another server is not verified by a resolver either, where its nameservers are silent', async () => {
    world.dns.setZone('acme.com', ['ns.silent.test']);
    world.dns.set('ns.silent.test', 'A', ['127.0.0.9']);
    world.dns.set('acme.com', 'A', [ADDRESS]);
    world.dns.set('acme.com', 'AAAA', ['2001:db8::99']);
    const apex = await shared('acme.com', { kind: 'apex' });
    for (let check = 0; check < 4; check += 1) expect(await world.check(apex)).toMatchObject(UNPROVEN);
    world.dns.set('acme.com', 'AAAA', [IPV6]);
    expect(await world.check(apex)).toMatchObject(VERIFIED);
  });

  test('without addresses given is not verified by those to which the target resolves', async () => {
    await give('ws_1', 'plain.platform.com');
    world.dns.set('plain.platform.com', 'A', ['192.0.2.50']);
    world.dns.set('acme.com', 'A', ['192.0.2.50']);
    expect(await world.check(await shared('acme.com', { kind: 'apex', target: 'plain.platform.com' }))).toMatchObject(
      UNPROVEN,
    );
  });
});

describe('another workspace', () => {
  test('is not verified for a name that leads to the shared target, whatever its own domain has as target', async () => {
    await give('ws_2', 'customers.rival.com');
    world.dns.set('shop.acme.com', 'CNAME', [HOST]);
    world.dns.set('acme.com', 'A', [ADDRESS]);
    const claims = [
      await world.create('shop.acme.com', { workspaceId: 'ws_2' }),
      await world.create('acme.com', { workspaceId: 'ws_2', kind: 'apex' }),
    ];
    for (const claim of claims) {
      expect(await world.check(claim)).toMatchObject({ ...UNPROVEN, ownershipVerifiedAt: null });
      await world.store.deleteDomain('ws_2', claim.id, world.clock.now());
    }
    const target = 'customers.rival.com';
    const rival = await shared('shop.acme.com', { workspaceId: 'ws_2', target });
    expect(await world.check(rival)).toMatchObject(UNPROVEN);
  });

  test('is not verified because the shared target leads on to a generated host: only the domain with that host is', async () => {
    const switched = await world.create('switch.platform.com');
    world.dns.remove(HOST);
    world.dns.set(HOST, 'CNAME', [switched.target]);
    world.dns.set(switched.target, 'A', ['192.0.2.10']);
    world.dns.set('shop.acme.com', 'CNAME', [HOST]);
    expect(await world.check(await world.create('shop.acme.com', { workspaceId: 'ws_2' }))).toMatchObject(UNPROVEN);
    expect(await world.check(await shared('shop.acme.com'))).toMatchObject(VERIFIED);
  });

  test('takes the name over by its TXT record once nothing leads to the shared target, and not before', async () => {
    world.dns.set('shop.acme.com', 'CNAME', [HOST]);
    const mine = await shared('shop.acme.com');
    expect(await world.check(mine)).toMatchObject(VERIFIED);
    world.clock.pass(1000);
    const theirs = await world.create('shop.acme.com', { workspaceId: 'ws_2' });
    world.publish(theirs, 'ownership');
    for (let check = 0; check < 3; check += 1) expect((await world.check(theirs)).status).toBe('verifying');
    world.dns.remove('shop.acme.com', 'CNAME');
    world.publish(theirs, 'routing');
    await world.check(theirs);
    expect(await world.check(theirs)).toMatchObject({ status: 'verified' });
    expect(await world.read(mine)).toMatchObject({ status: 'failed' });
  });

  test.each([[[ADDRESS]], [[ADDRESS, '192.0.2.99']]])(
    'does not take over an apex that is at an address of the shared target still: %j',
    async (addresses) => {
      world.dns.set('acme.com', 'A', [ADDRESS]);
      const mine = await shared('acme.com', { kind: 'apex' });
      expect(await world.check(mine)).toMatchObject(VERIFIED);
      world.clock.pass(1000);
      const theirs = await world.create('acme.com', { kind: 'apex', workspaceId: 'ws_2' });
      world.publish(theirs, 'ownership');
      world.dns.set('acme.com', 'A', addresses);
      for (let check = 0; check < 3; check += 1) expect((await world.check(theirs)).status).toBe('verifying');
      world.dns.set('acme.com', 'A', ['192.0.2.99']);
      await world.check(theirs);
      expect(await world.check(theirs)).toMatchObject({ status: 'verified' });
    },
  );

  test('that has the name verified keeps it from a shared target, unless the TXT record is there too', async () => {
    const theirs = await world.create('shop.acme.com', { workspaceId: 'ws_2' });
    world.publish(theirs);
    expect((await world.check(theirs)).status).toBe('verified');
    world.clock.pass(1000);
    const mine = await shared('shop.acme.com');
    world.dns.remove(`_service.shop.acme.com`);
    world.dns.set('shop.acme.com', 'CNAME', [HOST]);
    for (let check = 0; check < 3; check += 1) expect((await world.check(mine)).status).toBe('verifying');
    world.publish(mine, 'ownership');
    await world.check(mine);
    expect(await world.check(mine)).toMatchObject({ status: 'verified' });
  });
});

describe('what its owner is told', () => {
  test('a name that leads to another shared target of the workspace, or to a generated host, leads to the target of another domain', async () => {
    await give('ws_1', 'old.platform.com');
    await give('ws_2', 'customers.rival.com');
    const own = await world.create('own.acme.com');
    world.dns.set('own.acme.com', 'CNAME', [HOST]);
    expect((await world.check(own)).verificationError).toContain(HOST);
    const codes = async (host: string) => {
      const domain = await shared('shop.acme.com');
      world.dns.set('shop.acme.com', 'CNAME', [host]);
      await world.check(domain);
      const found = await world.store.findCheckResult(domain.workspaceId, domain.id);
      await world.store.deleteDomain(domain.workspaceId, domain.id, world.clock.now());
      return found?.result?.findings.filter(({ record }) => record === 'routing').map(({ code }) => code);
    };
    expect(await codes('old.platform.com')).toEqual(['cname_other_target']);
    expect(await codes('www.platform.com')).toEqual(['cname_elsewhere']);
    // The target of another workspace is a host like any other.
    expect(await codes('customers.rival.com')).toEqual(['cname_elsewhere']);
  });
});

describe('a re-check of a verified name', () => {
  const asked: string[] = [];
  const checkSelf: SelfChecker = async (hostname, _signal, addressesOf = hostname) => {
    asked.push(addressesOf);
    const outcome = addressesOf.endsWith(`.${CNAME_ZONE}`) ? 'ours' : 'another';
    const answer = { address: ADDRESS, outcome, seen: null, responded: true, noRoute: false } as const;
    return { kind: 'checked', at: 1, answers: [answer], chain: [] };
  };

  async function recheck(domain: Domain, times = 2): Promise<Domain> {
    const { store, resolver, clock } = world;
    const monitor = createMonitor({
      ...{ store, clock, checkSelf, mode: 'tell', cnameZone: CNAME_ZONE },
      observe: (one, depth, signal) => observe(resolver, one, null, { depth, signal, random: () => 0.5 }),
      random: () => 0.5,
      log: createLog('silent'),
      metrics: createMetrics(),
    });
    for (let time = 0; time < times; time += 1) {
      clock.pass(86_400_000);
      await monitor.runOnce();
    }
    await monitor.stop();
    return world.read(domain);
  }

  beforeEach(() => asked.splice(0));

  test.each([
    ['by its CNAME', 'shop.acme.com', 'CNAME', HOST],
    ['as an apex by its addresses', 'acme.com', 'A', ADDRESS],
  ] as const)(
    'finds it well %s while another server answers there, and tells when it is gone',
    async (_, name, type, value) => {
      world.dns.set(name, type, [value]);
      const domain = await world.check(await shared(name, { kind: type === 'A' ? 'apex' : 'subdomain' }));
      expect(domain).toMatchObject(VERIFIED);
      expect(await recheck(domain)).toMatchObject({ status: 'verified', verificationError: null });
      expect(asked).toEqual([]);
      world.dns.remove(name, type);
      world.dns.set(name, 'A', ['192.0.2.99']);
      const drifted = await recheck(domain);
      expect(drifted).toMatchObject({ status: 'verified', routingVerifiedAt: null });
      expect(drifted.verificationError).toContain(name);
      world.dns.remove(name, 'A');
      world.dns.set(name, type, [value]);
      expect(await recheck(domain)).toMatchObject({ verificationError: null });
    },
  );

  test('compares with a host of ours in the CNAME zone, never with the shared target, which may lead to the old server', async () => {
    world.dns.set('acme.com', 'A', [ADDRESS]);
    const domain = await world.check(await shared('acme.com', { kind: 'apex' }));
    world.dns.set('acme.com', 'A', ['192.0.2.99']);
    world.publish(domain, 'ownership');
    const { verificationError } = await recheck(domain, 3);
    expect(verificationError).toContain('leads to another server');
    expect(asked).toContain(`stoken1.${CNAME_ZONE}`);
    expect(asked).not.toContain(HOST);
  });
});
