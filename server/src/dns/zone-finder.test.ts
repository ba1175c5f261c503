import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Simulator } from '../../../playground/dns/simulator.ts';
import { AA, type DnsTree, startDnsTree, within } from '../../../test/support/dns-tree.ts';
import { loopbackClient } from '../../../test/support/simulators.ts';

const NAME = '_service.www.acme.com';
/** Nothing listens there. */
const DEAD = '127.0.0.9';
const OTHER = '127.0.0.5';

let tree: DnsTree;
let now: number;
const clock = { now: () => now };

beforeEach(async () => {
  now = 1_800_000_000_000;
  tree = await startDnsTree();
});
afterEach(() => tree.close());

function findZone(name = NAME, options: Parameters<DnsTree['subject']>[0] = {}) {
  return tree.subject(options).findZone(name, within());
}

function asked(simulator: Simulator, type?: string): string[] {
  return simulator
    .log()
    .filter((query) => type === undefined || query.type === type)
    .map(({ name }) => name);
}

describe('the nameservers of a zone', () => {
  test('are those that its parent names, with their glue', async () => {
    expect(await findZone()).toEqual({
      apex: 'acme.com',
      source: 'parent',
      nameservers: [
        { name: 'ns1.acme.com', addresses: [tree.ns1.address] },
        { name: 'ns2.acme.com', addresses: [tree.ns2.address] },
      ],
      ownNameservers: null,
      failure: null,
    });
  });

  test("are never those that the zone's own records name, nor those that a resolver has from there", async () => {
    for (const server of [tree.resolver, tree.ns1, tree.ns2]) {
      server.setZone('acme.com', ['ns.evil.test']);
      server.set('ns.evil.test', 'A', [OTHER]);
    }
    const subject = tree.subject();
    const zone = await subject.findZone(NAME, within());
    expect(zone.nameservers.map(({ name }) => name)).toEqual(['ns1.acme.com', 'ns2.acme.com']);
    expect(await subject.ownNameservers(zone, within())).toEqual(['ns.evil.test']);
  });

  test('have the addresses that the resolvers know where there is no glue', async () => {
    tree.delegate('acme.com', { 'ns1.acme.com': tree.ns1.address, 'ns.dns.test': null });
    tree.resolve('ns.dns.test', tree.ns2.address);
    tree.resolve('ns1.acme.com', OTHER);
    expect((await findZone()).nameservers).toEqual([
      { name: 'ns.dns.test', addresses: [tree.ns2.address] },
      { name: 'ns1.acme.com', addresses: [tree.ns1.address] },
    ]);
  });

  test('have no glue from another bailiwick: the registry of "com" may say nothing about "test"', async () => {
    tree.delegate('acme.com', { 'ns.dns.test': OTHER });
    tree.resolve('ns.dns.test', tree.ns1.address);
    expect((await findZone()).nameservers).toEqual([{ name: 'ns.dns.test', addresses: [tree.ns1.address] }]);
  });

  test.each([
    ['with glue', 'acme.com'],
    ['without glue', 'dns.test'],
  ])('are six at most, and the names of the others are known (%s)', async (_, zone) => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((label) => `${label}.${zone}`);
    const glue = zone === 'acme.com' ? tree.ns1.address : null;
    tree.delegate('acme.com', Object.fromEntries(names.map((name) => [name, glue])));
    for (const name of names) tree.resolve(name, tree.ns1.address);
    const found = await findZone();
    const asked = names.slice(0, 6).map((name) => ({ name, addresses: [tree.ns1.address] }));
    expect(found).toMatchObject({ failure: null, nameservers: asked, unasked: names.slice(6) });
    tree.delegate('acme.com', Object.fromEntries(names.slice(0, 6).map((name) => [name, glue])));
    expect(await findZone()).not.toHaveProperty('unasked');
  });

  test('that cannot be looked up are not asked for addresses of the other IP version', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'].map((label) => `${label}.dns.test`);
    tree.delegate('acme.com', Object.fromEntries(names.map((name) => [name, null])));
    for (const name of names) tree.resolver.fail(name, 'servfail');
    expect((await findZone()).failure).toMatchObject({ reason: 'too_many_queries' });
    const lookedUp = (type: string) => [...new Set(asked(tree.resolver, type))].filter((name) => names.includes(name));
    expect(lookedUp('A').toSorted()).toEqual(names);
    expect(lookedUp('AAAA')).toEqual([]);
  });

  test('have two addresses of each IP version at most', async () => {
    tree.com.set('ns1.acme.com', 'A', ['127.0.1.1', '127.0.1.2', '127.0.1.3']);
    tree.com.set('ns1.acme.com', 'AAAA', ['2a00::1', '2a00::2', '2a00::3']);
    const [ns1] = (await findZone()).nameservers;
    expect(ns1?.addresses.filter((address) => address.includes(':'))).toHaveLength(2);
    expect(ns1?.addresses).toHaveLength(4);
  });

  test('are never asked at special addresses, which the customer could name, unless these are allowed', async () => {
    tree.delegate('acme.com', { 'ns1.acme.com': '10.0.0.1', 'ns2.acme.com': tree.ns2.address, 'ns3.acme.com': null });
    expect((await findZone()).nameservers).toEqual([
      { name: 'ns1.acme.com', addresses: [], problem: 'special_address' },
      { name: 'ns2.acme.com', addresses: [tree.ns2.address] },
      { name: 'ns3.acme.com', addresses: [], problem: 'no_address' },
    ]);
    tree.delegate('acme.com', { 'ns1.acme.com': '10.0.0.1' });
    expect((await findZone()).failure).toEqual({ reason: 'forbidden_address' });
    tree.delegate('acme.com', { 'ns3.acme.com': null });
    expect((await findZone()).failure).toEqual({ reason: 'no_nameserver' });
  });
});

describe('the zone of a name', () => {
  test('may be delegated by the registered domain', async () => {
    for (const server of [tree.ns1, tree.ns2]) {
      server.delegate('www.acme.com', ['ns.www.acme.com']);
      server.set('ns.www.acme.com', 'A', [OTHER]);
    }
    expect(await findZone()).toMatchObject({
      apex: 'www.acme.com',
      nameservers: [{ name: 'ns.www.acme.com', addresses: [OTHER] }],
    });
  });

  test("may be served by the parent's nameservers too: then its own NS records count", async () => {
    for (const server of [tree.ns1, tree.ns2]) {
      server.setZone('www.acme.com', ['ns.www.acme.com']);
      server.set('ns.www.acme.com', 'A', [OTHER]);
      server.set(NAME, 'TXT', ['x']);
    }
    const lower = { apex: 'www.acme.com', nameservers: [{ name: 'ns.www.acme.com', addresses: [OTHER] }] };
    expect(await findZone()).toMatchObject(lower);
    tree.ns1.remove(NAME);
    tree.ns1.set(NAME, 'CNAME', ['elsewhere.test']);
    expect(await findZone()).toMatchObject(lower);
  });

  test('is that of its public suffix where the registry has the name itself', async () => {
    tree.com.set('www.registry.com', 'A', ['192.0.2.1']);
    expect(await findZone('www.registry.com')).toMatchObject({
      apex: 'com',
      nameservers: [{ name: 'a.registry.test' }],
    });
  });

  test('is above where a nameserver denies with the SOA record of a name that is no zone', async () => {
    const soa = {
      type: 'SOA',
      name: 'www.acme.com',
      ttl: 60,
      data: { mname: 'lb.acme.com', rname: 'h.acme.com' },
    } as const;
    for (const { address } of [tree.ns1, tree.ns2])
      await tree.serve(address, () => ({ flags: AA, authorities: [soa] }));
    expect(await findZone()).toMatchObject({
      failure: null,
      nameservers: [{ name: 'ns1.acme.com' }, { name: 'ns2.acme.com' }],
    });
  });

  test('that a nameserver refers to must be below its own: it cannot speak for others', async () => {
    const referral = (name: string) => ({
      authorities: [{ type: 'NS' as const, name, ttl: 60, data: `ns.${name === '.' ? 'test' : name}` }],
      additionals: [{ type: 'A' as const, name: `ns.${name === '.' ? 'test' : name}`, ttl: 60, data: OTHER }],
    });
    await tree.serve(tree.ns1.address, ({ name }) => referral(name.endsWith('www.acme.com') ? 'com' : 'bank.com'));
    await tree.serve(tree.ns2.address, () => referral('.'));
    const subject = tree.subject();
    expect(await subject.query({ name: NAME, type: 'TXT' }, within())).toMatchObject({
      zone: { apex: 'acme.com' },
      nameservers: [{ answers: [{ reason: 'lame' }] }, { answers: [{ reason: 'lame' }] }],
    });
    tree.delegate('bank.com', { 'ns1.bank.com': tree.ns1.address });
    const bank = await subject.findZone('www.bank.com', within());
    expect(bank.nameservers).toEqual([{ name: 'ns1.bank.com', addresses: [tree.ns1.address] }]);
  });
});

describe('a lower zone that the nameservers of the upper one disagree about', () => {
  const refer = (server: Simulator, nameserver: string, address: string) => {
    server.delegate('www.acme.com', [nameserver]);
    server.set(nameserver, 'A', [address]);
  };

  test('is not found: each nameserver of the upper zone leads where it leads', async () => {
    await tree.serve(OTHER, () => ({ flags: AA, answers: [{ type: 'TXT', name: NAME, ttl: 60, data: 'evil' }] }));
    refer(tree.ns1, 'ns.evil.acme.com', OTHER);
    tree.ns2.set(NAME, 'TXT', ['true']);
    const subject = tree.subject();
    const zone = await subject.findZone(NAME, within());
    expect(zone).toMatchObject({ apex: 'acme.com', nameservers: [{ name: 'ns1.acme.com' }, { name: 'ns2.acme.com' }] });
    const question = { name: NAME, type: 'TXT' } as const;
    const asking = zone.nameservers.map((nameserver) => subject.askNameserver(zone, nameserver, question, within()));
    expect(await Promise.all(asking)).toMatchObject([
      { answers: [{ values: ['evil'] }] },
      { answers: [{ values: ['true'] }] },
    ]);
  });

  test.each([
    ['is not that of the other nameserver, though it was cached', 'ns.one.acme.com', 'ns.two.acme.com'],
    ['is not found where they name the same nameserver at different addresses', 'ns.www.acme.com', 'ns.www.acme.com'],
  ])('%s', async (_, one, two) => {
    for (const [address, data] of [
      [OTHER, 'one'],
      ['127.0.0.6', 'two'],
    ] as const)
      await tree.serve(address, () => ({ flags: AA, answers: [{ type: 'TXT', name: NAME, ttl: 60, data }] }));
    refer(tree.ns1, one, OTHER);
    refer(tree.ns2, two, '127.0.0.6');
    const subject = tree.subject();
    const zone = await subject.findZone(NAME, within());
    expect(zone.apex).toBe('acme.com');
    const values: unknown[] = [];
    for (const nameserver of [...zone.nameservers, ...zone.nameservers]) {
      const {
        answers: [answer],
      } = await subject.askNameserver(zone, nameserver, { name: NAME, type: 'TXT' }, within());
      values.push(answer.kind === 'found' && answer.values[0]);
    }
    expect(values).toEqual(['one', 'two', 'one', 'two']);
  });

  test('is not cached for others by the nameserver that leads to it', async () => {
    await tree.serve(OTHER, () => ({ flags: AA, answers: [{ type: 'TXT', name: NAME, ttl: 60, data: 'evil' }] }));
    refer(tree.ns1, 'ns.evil.acme.com', OTHER);
    tree.ns2.set(NAME, 'TXT', ['true']);
    const subject = tree.subject();
    const question = { name: NAME, type: 'TXT' } as const;
    const zone = await subject.findZone(NAME, within());
    for (const nameserver of zone.nameservers) await subject.askNameserver(zone, nameserver, question, within());
    tree.ns1.fail(NAME, 'refused');
    const { nameservers } = await subject.query(question, within());
    expect(nameservers.at(-1)).toMatchObject({ answers: [{ values: ['true'] }] });
  });

  test('is found where a nameserver that does not answer has no say', async () => {
    refer(tree.ns1, 'ns.www.acme.com', OTHER);
    tree.ns2.fail('www.acme.com', 'servfail');
    expect(await findZone()).toMatchObject({ apex: 'www.acme.com', nameservers: [{ name: 'ns.www.acme.com' }] });
  });
});

describe('without a delegation', () => {
  test('a domain that the registry does not know is not registered', async () => {
    expect(await findZone('www.nobody.com', { allowedNetworks: ['127.0.0.2/32'] })).toEqual({
      apex: 'com',
      source: 'parent',
      nameservers: [],
      ownNameservers: null,
      failure: { reason: 'not_registered' },
    });
  });

  test.each(['servfail', 'refused', 'lame'] as const)('a registry that answers %s is named', async (fault) => {
    tree.com.fail('acme.com', fault);
    expect((await findZone()).failure).toEqual({ reason: fault, server: 'a.registry.test' });
  });

  test('a silent registry is named', async () => {
    tree.com.fail('acme.com', 'timeout');
    expect((await findZone(NAME, { triesMs: [200] })).failure).toEqual({
      reason: 'timeout',
      server: 'a.registry.test',
    });
  });

  test('resolvers that do not find the public suffix are not named: they are ours', async () => {
    tree.resolver.fail('com', 'servfail');
    expect(await findZone()).toMatchObject({
      apex: 'acme.com',
      failure: { reason: 'no_resolver' },
    });
  });

  test('the time that ends while the resolvers are asked is their fault, not that of the zone above', async () => {
    tree.resolver.fail('com', 'timeout');
    const asking = { ...within(), signal: AbortSignal.timeout(100) };
    expect((await tree.subject({ triesMs: [5000] }).findZone(NAME, asking)).failure).toEqual({
      reason: 'no_resolver',
    });
  });

  test('what the registry has said counts, also while the resolvers are asked for the public suffix anew', async () => {
    const { query } = tree.subject({ clock, triesMs: [5000] });
    const zoneOf = async (name: string) => (await query({ name, type: 'TXT' }, within())).zone;
    await zoneOf('acme.com');
    tree.com.delay('nobody.com', 1000);
    const read = zoneOf('www.nobody.com');
    await expect.poll(() => asked(tree.com)).toContain('nobody.com');
    now += 3_600_000;
    tree.resolver.fail('com', 'timeout');
    zoneOf('www.elsewhere.com');
    expect((await read).failure?.reason).toBe('not_registered');
  });

  test('resolvers that fail to find a nameserver are looked through: the server of its zone that fails is named', async () => {
    tree.delegate('acme.com', { 'ns.broken.com': null });
    tree.delegate('broken.com', { 'ns.dead.com': tree.ns2.address });
    tree.resolver.fail('ns.broken.com', 'servfail');
    tree.ns2.fail('ns.broken.com', 'refused');
    expect((await findZone()).failure).toEqual({ reason: 'refused', server: 'ns.dead.com' });
    tree.ns2.unfail('ns.broken.com');
    tree.ns2.set('ns.broken.com', 'A', [tree.ns1.address]);
    expect(await findZone()).toMatchObject({ failure: null, nameservers: [{ addresses: [tree.ns1.address] }] });
  });

  test('what an ordinary read finds there, past the resolvers, is for no deciding one: it may be forged', async () => {
    tree.delegate('acme.com', { 'ns.broken.com': null });
    tree.delegate('broken.com', { 'ns.dns.com': tree.ns2.address });
    tree.resolver.fail('ns.broken.com', 'servfail');
    tree.ns2.set('ns.broken.com', 'A', [tree.ns1.address]);
    const client = loopbackClient();
    const subject = tree.subject({
      client: {
        async query(question, server, options) {
          const response = await client.query(question, server, options);
          const isForged = options.over === undefined && question.name === 'ns.broken.com' && question.type === 'A';
          if (typeof response === 'string' || !isForged) return response;
          return { ...response, answers: response.answers.map((record) => ({ ...record, value: OTHER })) };
        },
      },
    });
    expect(await subject.findZone(NAME, within())).toMatchObject({ nameservers: [{ addresses: [OTHER] }] });
    expect(await subject.deciding.findZone(NAME, within())).toMatchObject({
      nameservers: [{ addresses: [tree.ns1.address] }],
    });
    client.close();
  });

  test('in a closed network, the zone counts that the resolvers know, with every nameserver inside', async () => {
    tree.resolver.setZone('corp.com', ['ns1.corp.com', 'ns2.corp.com']);
    tree.resolve('ns1.corp.com', tree.ns1.address);
    tree.resolve('ns2.corp.com', tree.ns2.address);
    expect(await findZone('www.corp.com')).toMatchObject({
      apex: 'corp.com',
      source: 'resolvers',
      nameservers: [{ name: 'ns1.corp.com' }, { name: 'ns2.corp.com' }],
      failure: null,
    });
    const outside = ['127.0.0.2/32', `${tree.ns1.address}/32`];
    expect((await findZone('www.corp.com', { allowedNetworks: outside })).failure).toMatchObject({
      reason: 'not_registered',
    });
  });

  test('a zone that its parent delegates never counts as closed', async () => {
    tree.resolver.setZone('acme.com', ['inside.acme.com']);
    tree.resolve('inside.acme.com', OTHER);
    expect((await findZone()).source).toBe('parent');
  });
});

describe('the cache', () => {
  test('keeps a zone for its TTL', async () => {
    const { query } = tree.subject({ clock });
    const txt = () => query({ name: NAME, type: 'TXT' }, within());
    await txt();
    now += 59_000;
    await txt();
    expect(asked(tree.com, 'NS')).toEqual(['acme.com']);
    now += 2_000;
    await txt();
    expect(asked(tree.com, 'NS')).toEqual(['acme.com', 'acme.com']);
  });

  test('is passed by, and renewed, by findZone', async () => {
    const { query, findZone } = tree.subject({ clock });
    await query({ name: NAME, type: 'TXT' }, within());
    tree.delegate('acme.com', { 'ns2.acme.com': tree.ns2.address });
    expect((await findZone(NAME, within())).nameservers).toHaveLength(1);
    expect((await query({ name: NAME, type: 'TXT' }, within())).zone.nameservers).toHaveLength(1);
  });

  test('keeps a zone whose nameservers all fail for 30 s, and a domain that is not registered for 5 s', async () => {
    const { query } = tree.subject({ clock, triesMs: [200] });
    const txt = (name: string) => query({ name, type: 'TXT' }, within());
    tree.delegate('acme.com', { 'ns1.acme.com': DEAD });
    await txt('acme.com');
    await txt('www.nobody.com');
    tree.delegate('acme.com', { 'ns1.acme.com': tree.ns1.address });
    tree.delegate('nobody.com', { 'ns1.acme.com': tree.ns1.address });
    now += 4_000;
    expect((await txt('www.nobody.com')).zone.failure?.reason).toBe('not_registered');
    now += 2_000;
    expect((await txt('www.nobody.com')).zone.failure).toBeNull();
    now += 25_000;
    expect((await txt('acme.com')).nameservers).toMatchObject([{ address: tree.ns1.address }]);
  });

  test('serves many checks of one zone with one read', async () => {
    const { query } = tree.subject();
    const names = Array.from({ length: 50 }, (_, index) => `n${index}.acme.com`);
    await Promise.all(names.map((name) => query({ name, type: 'TXT' }, within())));
    expect(asked(tree.com, 'NS')).toEqual(['acme.com']);
  });

  test('has no zone without the nameservers that one check could not look up for want of queries', async () => {
    tree.delegate('acme.com', { 'ns1.acme.com': tree.ns1.address, 'ns.dns.test': null });
    tree.resolve('ns.dns.test', tree.ns2.address);
    const subject = tree.subject();
    const [short, long] = await Promise.all([subject.findZone(NAME, within(1)), subject.findZone(NAME, within())]);
    expect(short.failure).toEqual({ reason: 'too_many_queries' });
    const nameservers = [{ addresses: [tree.ns2.address] }, { addresses: [tree.ns1.address] }];
    expect(long).toMatchObject({ failure: null, nameservers });
    expect((await subject.query({ name: NAME, type: 'TXT' }, within())).zone).toMatchObject({ nameservers });
  });

  test('is read again after the clock was set back', async () => {
    const { query } = tree.subject({ clock });
    await query({ name: NAME, type: 'TXT' }, within());
    now -= 1000;
    await query({ name: NAME, type: 'TXT' }, within());
    expect(asked(tree.com, 'NS')).toHaveLength(2);
  });

  test('keeps the addresses of a nameserver for all zones that it serves', async () => {
    const { query } = tree.subject();
    tree.resolve('ns.dns.test', tree.ns1.address);
    for (const zone of ['a.com', 'b.com', 'c.com']) {
      tree.delegate(zone, { 'ns.dns.test': null });
      await query({ name: `www.${zone}`, type: 'TXT' }, within());
    }
    expect(asked(tree.resolver, 'A').filter((name) => name === 'ns.dns.test')).toHaveLength(1);
  });
});
