import packet from 'dns-packet';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startSimulators } from '../../test/support/simulators.ts';
import { addressRule } from '../net/addresses.ts';
import { listen } from '../playground/dns/dns-listener.ts';
import type { Simulator } from '../playground/dns/simulator.ts';
import { authoritativeResolver } from './authoritative.ts';
import { type Delegations, delegations } from './delegation.ts';
import { recursors } from './recursors.ts';
import type { Resolver } from './resolver.ts';
import { type DnsClient, dnsClient } from './transport/dns-client.ts';

let resolver: Simulator;
let parent: Simulator;
let child: Simulator;
let client: DnsClient;
let now: number;

beforeEach(async () => {
  [resolver, parent, child] = await startSimulators(['127.0.0.1', '127.0.0.2', '127.0.0.3'] as const);
  client = dnsClient();
  now = 1_700_000_000_000;
  resolver.setZone('acme.com', ['ns1.parent.test']);
  resolver.set('ns1.parent.test', 'A', [parent.address]);
  resolver.set('ns1.child.test', 'A', [child.address]);
});
afterEach(async () => {
  client.close();
  await Promise.all([resolver.close(), parent.close(), child.close()]);
});

const clock = { now: () => now };

function zones(maxZones = 100): Delegations {
  const resolvers = [{ address: resolver.address, port: resolver.port }];
  const mayAsk = addressRule(['127.0.0.0/8']);
  return delegations({ recursors: recursors({ client, resolvers }), mayAsk, clock, random: Math.random, maxZones });
}

function lookups(): Resolver {
  return authoritativeResolver({
    client,
    resolvers: [{ address: resolver.address, port: resolver.port }],
    nameserverPort: resolver.port,
    allowedNetworks: ['127.0.0.0/8'],
    clock,
  });
}

function read(fresh = false) {
  return { signal: AbortSignal.timeout(10_000), fresh };
}

/** Queries that the resolver got, as `name type`. */
function asked(simulator = resolver): string[] {
  return simulator.log().map(({ name, type }) => `${name} ${type}`);
}

function nsReads(): number {
  return resolver.log().filter(({ type }) => type === 'NS').length;
}

const PARENT = {
  kind: 'delegation',
  zone: 'acme.com',
  nameservers: [{ name: 'ns1.parent.test', addresses: ['127.0.0.2'] }],
};

describe('the zone of a name', () => {
  test('is found by the SOA of a negative answer, and its nameservers with their addresses', async () => {
    expect(await zones().closest('_service.www.acme.com', read())).toEqual(PARENT);
    expect(asked().sort()).toEqual(['acme.com CNAME', 'acme.com NS', 'ns1.parent.test A', 'ns1.parent.test AAAA']);
  });

  test('is that of the name itself, not that of the CNAME at it', async () => {
    resolver.set('www.acme.com', 'CNAME', ['edge.cdn.test']);
    resolver.set('edge.cdn.test', 'A', ['192.0.2.1']);
    expect(await zones().closest('www.acme.com', read())).toEqual(PARENT);
  });

  test('is read once for all names of one owner, however slow the answer', async () => {
    resolver.fail('acme.com', 'timeout');
    const { closest } = zones();
    const names = Array.from({ length: 100 }, (_, index) => `n${index}.acme.com`);
    await Promise.all(names.map((name) => closest(name, { signal: AbortSignal.timeout(200), fresh: false })));
    expect(asked()).toEqual(['acme.com CNAME']);
  });

  test('is an apex when the name is one', async () => {
    expect(await zones().closest('acme.com', read())).toEqual(PARENT);
  });

  test('is the top-level domain when it was never registered', async () => {
    resolver.setZone('com', ['ns1.parent.test']);
    expect(await zones().closest('unregistered.com', read())).toMatchObject({ zone: 'com' });
  });

  test('has no nameserver when none of their names has an address; that is cached for five seconds', async () => {
    resolver.setZone('broken.test', ['ns1.gone.test']);
    const { closest, at } = zones();
    expect(await closest('www.broken.test', read())).toEqual({ kind: 'failed', reason: 'no_nameserver' });
    expect(await at('broken.test', read())).toEqual({ kind: 'failed', reason: 'no_nameserver' });
    expect(nsReads()).toBe(1);
    resolver.set('ns1.gone.test', 'A', ['127.0.0.4']);
    now += 5000;
    expect(await closest('www.broken.test', read())).toMatchObject({ kind: 'delegation' });
  });

  test('has the same three nameservers in every read, however many it names and in whatever order', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `ns${index}.parent.test`);
    for (const name of names) resolver.set(name, 'A', [parent.address]);
    const { at } = zones();
    for (let reading = 0; reading < 8; reading++) {
      resolver.setZone('acme.com', [...names.slice(reading), ...names.slice(0, reading)]);
      const found = await at('acme.com', read(true));
      const followed = found.kind === 'delegation' ? found.nameservers.map(({ name }) => name) : [];
      expect(followed.toSorted()).toEqual(['ns0.parent.test', 'ns1.parent.test', 'ns2.parent.test']);
    }
  });

  test('has two addresses of each nameserver, however many there are', async () => {
    const many = Array.from({ length: 50 }, (_, index) => `127.0.1.${index}`);
    resolver.set('ns1.parent.test', 'A', many);
    const found = await zones().closest('www.acme.com', read());
    expect(found.kind === 'delegation' && found.nameservers[0]?.addresses.length).toBe(2);
  });

  test('is not asked for at the nameservers of a cached top-level domain', async () => {
    resolver.setZone('com', ['ns1.parent.test']);
    const { closest } = zones();
    await closest('unregistered.com', read());
    await closest('other.com', read());
    expect(asked()).toContain('other.com CNAME');
  });

  test('is unknown when the resolvers fail, and that is not cached', async () => {
    resolver.fail('acme.com', 'servfail');
    const { at } = zones();
    expect(await at('acme.com', read())).toMatchObject({ kind: 'failed', reason: 'servfail' });
    resolver.unfail('acme.com');
    expect(await at('acme.com', read())).toEqual(PARENT);
  });
});

describe('a delegation is cached', () => {
  test('for all names of the zone, so that they cost one read', async () => {
    const { lookupTxt } = lookups();
    const { signal } = read();
    await lookupTxt('_service.n0.acme.com', { signal });
    const before = asked().length;
    await Promise.all(Array.from({ length: 100 }, (_, index) => lookupTxt(`_service.n${index}.acme.com`, { signal })));
    expect(asked()).toHaveLength(before);
    expect(asked(parent)).toHaveLength(101);
  });

  test('for its TTL', async () => {
    const { closest } = zones();
    resolver.set('ns1.parent.test', 'A', [parent.address], 30);
    await closest('www.acme.com', read());
    now += 29_999;
    await closest('www.acme.com', read());
    expect(nsReads()).toBe(1);
    now += 1;
    await closest('www.acme.com', read());
    expect(nsReads()).toBe(2);
  });

  test('for an hour at most', async () => {
    const { closest } = zones();
    resolver.set('acme.com', 'NS', ['ns1.parent.test'], 1_000_000);
    resolver.set('ns1.parent.test', 'A', [parent.address], 1_000_000);
    await closest('www.acme.com', read());
    now += 3_599_999;
    await closest('www.acme.com', read());
    expect(nsReads()).toBe(1);
    now += 1;
    await closest('www.acme.com', read());
    expect(nsReads()).toBe(2);
  });

  test('not at all with a TTL of zero', async () => {
    resolver.set('ns1.parent.test', 'A', [parent.address], 0);
    const { at } = zones();
    await at('acme.com', read());
    await at('acme.com', read());
    expect(nsReads()).toBe(2);
  });

  test('and read again after its TTL, without finding the apex again', async () => {
    const { closest } = zones();
    await closest('www.acme.com', read());
    now += 61_000;
    await closest('api.acme.com', read());
    expect(asked().filter((query) => query.endsWith('CNAME'))).toEqual(['acme.com CNAME']);
    expect(nsReads()).toBe(2);
  });

  test('for a limited number of zones: the least recently used is evicted', async () => {
    const { at } = zones(2);
    resolver.set('ns1.simulator.test', 'A', ['127.0.0.2']);
    for (const zone of ['a.test', 'b.test', 'a.test', 'c.test', 'a.test', 'b.test']) await at(zone, read());
    expect(asked().filter((query) => query.endsWith('NS'))).toEqual([
      'a.test NS',
      'b.test NS',
      'c.test NS',
      'b.test NS',
    ]);
  });

  test('for half a minute once all of its nameservers have failed', async () => {
    const { lookupTxt } = lookups();
    const { signal } = read();
    resolver.set('ns1.parent.test', 'A', [parent.address], 3600);
    resolver.set('acme.com', 'NS', ['ns1.parent.test'], 3600);
    parent.fail('www.acme.com', 'refused');
    for (const later of [0, 29_999, 1]) {
      now += later;
      await lookupTxt('www.acme.com', { signal });
    }
    expect(nsReads()).toBe(2);
  });

  test('for half a minute after expireSoon', async () => {
    const { at, expireSoon } = zones();
    await at('acme.com', read());
    expireSoon('acme.com');
    await at('acme.com', read());
    expect(nsReads()).toBe(1);
    now += 30_000;
    await at('acme.com', read());
    expect(nsReads()).toBe(2);
  });
});

describe('a fresh read', () => {
  test('skips the cache, and replaces what is cached', async () => {
    const { closest } = zones();
    await closest('www.acme.com', read());
    resolver.setZone('acme.com', ['ns1.child.test']);
    expect(await closest('www.acme.com', read())).toEqual(PARENT);
    const moved = {
      kind: 'delegation',
      zone: 'acme.com',
      nameservers: [{ name: 'ns1.child.test', addresses: ['127.0.0.3'] }],
    };
    expect(await closest('www.acme.com', read(true))).toEqual(moved);
    expect(await closest('www.acme.com', read())).toEqual(moved);
  });

  test('is made by a confirmation', async () => {
    const { lookupTxt } = lookups();
    const { signal } = read();
    parent.set('_service.acme.com', 'TXT', ['old']);
    child.set('_service.acme.com', 'TXT', ['new']);
    const first = await lookupTxt('_service.acme.com', { signal });
    const confirming = first.kind === 'found' ? [first.by] : [];
    resolver.setZone('acme.com', ['ns1.child.test']);
    expect(await lookupTxt('_service.acme.com', { signal })).toMatchObject({ values: ['old'] });
    expect(await lookupTxt('_service.acme.com', { signal, confirming })).toMatchObject({
      values: ['new'],
    });
  });
});

describe('concurrent reads of one zone', () => {
  test('are made once', async () => {
    const { closest } = zones();
    await Promise.all(Array.from({ length: 20 }, () => closest('www.acme.com', read())));
    expect(asked()).toHaveLength(4);
  });

  test('continue for the others when the first one is aborted', async () => {
    resolver.delay('acme.com', 200);
    const { at } = zones();
    const controller = new AbortController();
    const first = at('acme.com', { signal: controller.signal, fresh: false });
    const second = at('acme.com', read());
    controller.abort();
    expect(await first).toEqual({ kind: 'failed', reason: 'timeout' });
    expect(await second).toEqual(PARENT);
    expect(nsReads()).toBe(1);
  });
});

describe('a zone below the cached one', () => {
  beforeEach(() => {
    child.set('_service.sub.acme.com', 'TXT', ['from the child']);
    resolver.setZone('sub.acme.com', ['ns1.child.test']);
  });

  const FROM_CHILD = {
    kind: 'found',
    values: ['from the child'],
    zone: 'sub.acme.com',
    by: { server: 'ns1.child.test' },
  };

  test('is found by the referral of the nameservers above, which are not trusted for it', async () => {
    parent.delegate('sub.acme.com', ['ns1.child.test']);
    child.setZone('sub.acme.com', ['ns1.child.test']);
    const { lookupTxt } = lookups();
    const { signal } = read();
    await lookupTxt('_service.www.acme.com', { signal });
    expect(await lookupTxt('_service.sub.acme.com', { signal })).toMatchObject(FROM_CHILD);
    const before = asked(parent).length;
    expect(await lookupTxt('_service.sub.acme.com', { signal })).toMatchObject(FROM_CHILD);
    expect(asked(parent)).toHaveLength(before);
  });

  test('is found by the SOA of a negative answer, where the nameservers above serve it too', async () => {
    parent.setZone('sub.acme.com', ['ns1.child.test']);
    const { lookupTxt } = lookups();
    const { signal } = read();
    await lookupTxt('_service.www.acme.com', { signal });
    expect(await lookupTxt('_service.sub.acme.com', { signal })).toMatchObject(FROM_CHILD);
  });

  test('is replaced by the one above when it no longer exists', async () => {
    parent.delegate('sub.acme.com', ['ns1.child.test']);
    child.setZone('sub.acme.com', ['ns1.child.test']);
    const { lookupTxt } = lookups();
    const { signal } = read();
    expect(await lookupTxt('_service.sub.acme.com', { signal })).toMatchObject(FROM_CHILD);
    const { zones: before, ...rest } = resolver.snapshot();
    resolver.restore({ ...rest, zones: before.filter(({ apex }) => apex !== 'sub.acme.com') });
    parent.restore({ records: [], zones: [], faults: [] });
    parent.set('_service.sub.acme.com', 'TXT', ['from the parent']);
    now += 61_000;
    expect(await lookupTxt('_service.sub.acme.com', { signal })).toMatchObject({
      values: ['from the parent'],
      zone: 'acme.com',
    });
  });

  test('is lame after five referrals', async () => {
    await parent.close();
    const cuts = ['b', 'c.b', 'd.c.b', 'e.d.c.b', 'f.e.d.c.b', 'g.f.e.d.c.b'].map((labels) => `${labels}.acme.com`);
    for (const apex of cuts) resolver.setZone(apex, ['ns1.parent.test']);
    let referrals = 0;
    const liar = await listen(parent.address, parent.port, (octets, _from, _transport, reply) => {
      const { id = 0, questions = [] } = packet.decode(octets);
      const name = cuts[referrals++] ?? '';
      const authorities: packet.Answer[] = [{ type: 'NS', name, data: 'ns1.parent.test' }];
      reply(packet.encode({ type: 'response', id, questions, authorities }));
    });
    parent = { ...parent, close: () => liar.close() };
    const { lookupTxt } = lookups();
    const { signal } = read();
    expect(await lookupTxt('x.acme.com', { signal })).toMatchObject({ kind: 'unreadable', reason: 'lame' });
    referrals = 0;
    expect(await lookupTxt('h.g.f.e.d.c.b.acme.com', { signal })).toMatchObject({ kind: 'unreadable', reason: 'lame' });
    expect(referrals).toBe(5);
  });
});
