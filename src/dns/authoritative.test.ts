import packet from 'dns-packet';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startSimulators } from '../../test/support/simulators.ts';
import { systemClock } from '../clock.ts';
import { listen } from '../playground/dns/dns-listener.ts';
import type { Simulator } from '../playground/dns/simulator.ts';
import { type AuthoritativeOptions, authoritativeResolver } from './authoritative.ts';
import type { Resolver } from './resolver.ts';
import { type DnsClient, dnsClient } from './transport/dns-client.ts';

const TXT = '_service.www.acme.com';
const TARGET = 't1.cname.test';
/** Nothing listens there. */
const DEAD = '127.0.0.9';

/** A resolver that knows the zone acme.com and its two nameservers, each a server of its own. */
let resolver: Simulator;
let ns1: Simulator;
let ns2: Simulator;
let close: () => unknown;

beforeEach(async () => {
  [resolver, ns1, ns2] = await startSimulators(['127.0.0.1', '127.0.0.2', '127.0.0.3'] as const);
  close = () => Promise.all([resolver.close(), ns1.close(), ns2.close()]);
  delegate('acme.com', { 'ns1.dns.test': ns1.address, 'ns2.dns.test': ns2.address });
});
afterEach(() => close());

/** Sets the nameservers of a zone at the resolver. */
function delegate(zone: string, nameservers: Record<string, string>): void {
  resolver.setZone(zone, Object.keys(nameservers));
  for (const [name, address] of Object.entries(nameservers))
    resolver.set(name, address.includes(':') ? 'AAAA' : 'A', [address]);
}

/** Asks nameservers in order, unless a test sets `random`. */
function subject(options: Partial<AuthoritativeOptions> = {}): Resolver {
  const client = dnsClient();
  const closeServers = close;
  close = () => {
    client.close();
    return closeServers();
  };
  return authoritativeResolver({
    client,
    resolvers: [{ address: resolver.address, port: resolver.port }],
    nameserverPort: resolver.port,
    allowedNetworks: ['127.0.0.0/8'],
    clock: systemClock,
    random: () => 0,
    ...options,
  });
}

function within(ms = 10_000) {
  return { signal: AbortSignal.timeout(ms) };
}

function asked(simulator: Simulator, name = TXT): number {
  return simulator.log().filter((query) => query.name === name).length;
}

const BY_NS1 = { server: 'ns1.dns.test', address: '127.0.0.2', authoritative: true };
const BY_NS2 = { server: 'ns2.dns.test', address: '127.0.0.3', authoritative: true };

describe("the zone's own nameservers are asked", () => {
  test("so that a resolver's cache hides nothing", async () => {
    resolver.set(TXT, 'TXT', ['stale']);
    ns1.set(TXT, 'TXT', ['fresh']);
    expect(await subject().lookupTxt(TXT, within())).toEqual({
      kind: 'found',
      values: ['fresh'],
      chain: [],
      zone: 'acme.com',
      by: BY_NS1,
    });
  });

  test('one of them, at random', async () => {
    ns1.set(TXT, 'TXT', ['x']);
    ns2.set(TXT, 'TXT', ['x']);
    const { lookupTxt } = subject({ random: Math.random });
    for (let check = 0; check < 40; check++) await lookupTxt(TXT, within());
    expect(asked(ns1) + asked(ns2)).toBe(40);
    expect(asked(ns1)).toBeGreaterThan(0);
    expect(asked(ns2)).toBeGreaterThan(0);
  });

  test('without RD', async () => {
    ns1.delegate('sub.acme.com', ['ns1.dns.test']);
    delegate('sub.acme.com', { 'ns1.dns.test': ns1.address });
    // A nameserver that took the query for a resolver's would answer instead of refusing to speak for the zone.
    expect(await subject().lookupTxt('www.sub.acme.com', within())).toMatchObject({
      kind: 'unreadable',
      reason: 'lame',
    });
  });

  test('and over TCP after a truncated response', async () => {
    ns1.set(
      TXT,
      'TXT',
      Array.from({ length: 30 }, (_, index) => `${index}${'x'.repeat(200)}`),
    );
    const found = await subject().lookupTxt(TXT, within());
    expect(found.kind === 'found' && found.values.length).toBe(30);
  });

  test('for addresses of both kinds and CAA records', async () => {
    resolver.set('www.acme.com', 'A', ['192.0.2.9']);
    resolver.set('www.acme.com', 'CAA', ['0 issue "stale.test"']);
    ns1.set('www.acme.com', 'A', ['192.0.2.1']);
    ns1.set('www.acme.com', 'AAAA', ['2001:db8::1']);
    ns1.set('www.acme.com', 'CAA', ['0 issue "ca.test"']);
    const { lookupAddresses, lookupCaa } = subject();
    expect(await lookupAddresses('www.acme.com', within())).toEqual({
      kind: 'found',
      chain: [],
      addresses: ['192.0.2.1', '2001:db8::1'],
      by: BY_NS1,
    });
    expect(await lookupCaa('www.acme.com', within())).toMatchObject({
      kind: 'found',
      records: [{ critical: false, tag: 'issue', value: 'ca.test' }],
      by: BY_NS1,
    });
    expect(await lookupCaa('acme.com', within())).toMatchObject({ kind: 'absent', reason: 'nodata' });
  });

  test('and NXDOMAIN is distinguished from NODATA', async () => {
    ns1.set('www.acme.com', 'A', ['192.0.2.1']);
    const { lookupTxt } = subject();
    expect(await lookupTxt(TXT, within())).toMatchObject({
      kind: 'absent',
      reason: 'nxdomain',
      zone: 'acme.com',
      by: BY_NS1,
    });
    expect(await lookupTxt('www.acme.com', within())).toMatchObject({ kind: 'absent', reason: 'nodata', by: BY_NS1 });
  });

  test('in each zone of a CNAME chain', async () => {
    delegate('cdn.test', { 'ns2.dns.test': ns2.address });
    ns1.set('www.acme.com', 'CNAME', ['acme.cdn.test']);
    ns2.set('acme.cdn.test', 'CNAME', [TARGET]);
    expect(await subject().lookupRoute('www.acme.com', TARGET, within())).toEqual({
      kind: 'found',
      chain: ['acme.cdn.test', TARGET],
      addresses: [],
      zone: 'acme.com',
      by: BY_NS1,
    });
  });
});

describe('after a nameserver fails, another is asked', () => {
  test.each(['servfail', 'refused', 'lame', 'timeout'] as const)('%s', async (fault) => {
    ns1.fail(TXT, fault);
    ns2.set(TXT, 'TXT', ['x']);
    expect(await subject({ triesMs: [150, 300] }).lookupTxt(TXT, within())).toMatchObject({
      kind: 'found',
      by: BY_NS2,
    });
  });

  test.each(['servfail', 'refused', 'lame'] as const)('where all of them are %s, that is the reason', async (fault) => {
    resolver.set(TXT, 'TXT', ['from the resolver']);
    ns1.fail(TXT, fault);
    ns2.fail(TXT, fault);
    expect(await subject().lookupTxt(TXT, within())).toMatchObject({ kind: 'unreadable', reason: fault });
  });

  test('where one responds and another does not, the reason is that of the first', async () => {
    ns1.fail(TXT, 'timeout');
    ns2.fail(TXT, 'refused');
    expect(await subject({ triesMs: [50, 100] }).lookupTxt(TXT, within())).toEqual({
      kind: 'unreadable',
      reason: 'refused',
      chain: [],
      server: 'ns2.dns.test',
    });
  });

  test('malformed', async () => {
    await ns1.close();
    const liar = await listen(ns1.address, ns1.port, (octets, _from, _transport, reply) => {
      const { id = 0, questions = [] } = packet.decode(octets);
      const answer = packet.encode({ type: 'response', id, flags: packet.AUTHORITATIVE_ANSWER, questions });
      // Nine answers are announced, and none is there.
      answer.writeUInt16BE(9, 6);
      reply(answer);
    });
    ns1 = { ...ns1, close: () => liar.close() };
    ns2.set(TXT, 'TXT', ['x']);
    expect(await subject().lookupTxt(TXT, within())).toMatchObject({ kind: 'found', by: BY_NS2 });
  });

  test('at most three are asked', async () => {
    const servers = Object.fromEntries([4, 5, 6, 7, 8].map((last) => [`ns${last}.dns.test`, `127.0.0.${last}`]));
    delegate('acme.com', servers);
    const kinds: string[] = [];
    await subject({ triesMs: [20], onAnswer: (kind) => kinds.push(kind) }).lookupTxt(TXT, within());
    expect(kinds.filter((kind) => kind === 'timeout')).toHaveLength(3);
  });
});

describe('resolvers answer', () => {
  test('only when no nameserver responds', async () => {
    delegate('acme.com', { 'ns1.dns.test': DEAD });
    resolver.set(TXT, 'TXT', ['from the resolver']);
    expect(await subject({ triesMs: [50, 100] }).lookupTxt(TXT, within())).toEqual({
      kind: 'found',
      values: ['from the resolver'],
      chain: [],
      zone: 'acme.com',
      by: { server: '127.0.0.1', address: '127.0.0.1', authoritative: false },
    });
  });

  test('never when a nameserver does', async () => {
    resolver.set(TXT, 'TXT', ['from the resolver']);
    expect(await subject().lookupTxt(TXT, within())).toMatchObject({ kind: 'absent', by: BY_NS1 });
  });

  test('never to confirm one', async () => {
    const { lookupTxt } = subject({ triesMs: [50, 100] });
    resolver.set(TXT, 'TXT', ['x']);
    delegate('acme.com', { 'ns1.dns.test': DEAD });
    const confirming = { ...within(), confirming: [BY_NS1] };
    expect(await lookupTxt(TXT, confirming)).toEqual({
      kind: 'unreadable',
      reason: 'timeout',
      chain: [],
      server: 'ns1.dns.test',
    });
  });

  test('and may confirm each other', async () => {
    resolver.set(TXT, 'TXT', ['x']);
    delegate('acme.com', { 'ns1.dns.test': DEAD });
    const by = { server: resolver.address, address: resolver.address, authoritative: false };
    const confirming = { ...within(), confirming: [by] };
    expect(await subject({ triesMs: [50, 100] }).lookupTxt(TXT, confirming)).toMatchObject({
      kind: 'found',
      by: { authoritative: false },
    });
  });

  test('or fail too: then the silent nameserver is named', async () => {
    delegate('acme.com', { 'ns1.dns.test': DEAD });
    resolver.fail(TXT, 'servfail');
    const { lookupTxt } = subject({ triesMs: [50, 100] });
    // Known from another name of the zone.
    await lookupTxt('www.acme.com', within());
    expect(await lookupTxt(TXT, within())).toEqual({
      kind: 'unreadable',
      reason: 'timeout',
      chain: [],
      server: 'ns1.dns.test',
    });
  });

  test('few queries at a time for a silent zone, so that others are not delayed', async () => {
    delegate('acme.com', { 'ns1.dns.test': DEAD });
    const { lookupTxt } = subject({ triesMs: [50, 100] });
    const names = Array.from({ length: 100 }, (_, index) => `n${index}.acme.com`);
    for (const name of names) resolver.fail(name, 'timeout');
    await lookupTxt('www.acme.com', within());
    const before = resolver.log().length;
    await Promise.all(names.map((name) => lookupTxt(name, within(700))));
    expect(resolver.log().length - before).toBeLessThan(100);
  });

  test('for the delegation: without them nothing can be read, and the failure does not name them', async () => {
    resolver.fail('acme.com', 'servfail');
    expect(await subject().lookupTxt(TXT, within())).toEqual({
      kind: 'unreadable',
      reason: 'servfail',
      chain: [],
    });
  });
});

describe('a confirmation', () => {
  beforeEach(() => {
    ns1.set(TXT, 'TXT', ['x']);
    ns2.set(TXT, 'TXT', ['x']);
  });

  test.each([
    ['ns1.dns.test', BY_NS1, BY_NS2],
    ['ns2.dns.test', BY_NS2, BY_NS1],
  ])('comes from another nameserver than %s', async (_title, first, by) => {
    const { lookupTxt } = subject({ random: Math.random });
    for (let check = 0; check < 10; check++)
      expect(await lookupTxt(TXT, { ...within(), confirming: [first] })).toMatchObject({ by });
  });

  test('comes from another nameserver even where the first has several addresses', async () => {
    resolver.set('ns1.dns.test', 'A', [ns1.address, resolver.address]);
    resolver.set(TXT, 'TXT', ['x']);
    const { lookupTxt } = subject({ random: Math.random });
    for (let check = 0; check < 10; check++)
      expect(await lookupTxt(TXT, { ...within(), confirming: [BY_NS1] })).toMatchObject({ by: BY_NS2 });
  });

  test('comes from a third nameserver where two have answered', async () => {
    delegate('acme.com', {
      'ns1.dns.test': ns1.address,
      'ns2.dns.test': ns2.address,
      'ns3.dns.test': resolver.address,
    });
    resolver.set(TXT, 'TXT', ['x']);
    const { lookupTxt } = subject({ random: Math.random });
    for (let check = 0; check < 10; check++)
      expect(await lookupTxt(TXT, { ...within(), confirming: [BY_NS1, BY_NS2] })).toMatchObject({
        by: { server: 'ns3.dns.test' },
      });
  });

  test('comes from the same address, to a new port of ours, where there is only one', async () => {
    delegate('acme.com', { 'ns1.dns.test': ns1.address });
    const { lookupTxt } = subject();
    const first = await lookupTxt(TXT, within());
    for (let check = 0; check < 12; check++) {
      expect(await lookupTxt(TXT, { ...within(), confirming: [BY_NS1] })).toEqual(first);
    }
    // More than are shared: each was a new one.
    expect(new Set(ns1.log().map(({ from }) => from)).size).toBeGreaterThan(10);
  });

  test('comes from the same address where the other one cannot answer', async () => {
    ns2.fail(TXT, 'refused');
    expect(await subject().lookupTxt(TXT, { ...within(), confirming: [BY_NS1] })).toMatchObject({ by: BY_NS1 });
  });

  test('finds a nameserver without the record', async () => {
    ns2.remove(TXT);
    expect(await subject().lookupTxt(TXT, { ...within(), confirming: [BY_NS1] })).toMatchObject({
      kind: 'absent',
      by: BY_NS2,
    });
  });
});

describe('a hostile zone cannot', () => {
  test.each(['10.0.0.1', '169.254.169.254', '127.0.0.2', '::1', 'fd00:ec2::254', '64:ff9b::a00:1'])(
    'make us ask %s',
    async (address) => {
      delegate('acme.com', { 'ns.evil.test': address });
      const client = dnsClient();
      const sent: string[] = [];
      const spy: DnsClient = {
        query: (question, server, options) => {
          sent.push(server.address);
          return client.query(question, server, options);
        },
        close: client.close,
      };
      const { lookupTxt } = subject({ client: spy, allowedNetworks: [] });
      expect(await lookupTxt(TXT, within())).toEqual({ kind: 'unreadable', reason: 'forbidden_address', chain: [] });
      client.close();
      expect(new Set(sent)).toEqual(new Set([resolver.address]));
    },
  );

  test('make us ask special addresses beside others', async () => {
    ns1.set(TXT, 'TXT', ['x']);
    ns2.set(TXT, 'TXT', ['x']);
    const { lookupTxt } = subject({ allowedNetworks: ['127.0.0.3/32'], random: Math.random });
    for (let check = 0; check < 20; check++) expect(await lookupTxt(TXT, within())).toMatchObject({ by: BY_NS2 });
    expect(ns1.log()).toEqual([]);
  });

  test('make us follow the names of fifty nameservers (NXNSAttack)', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `ns.victim${index}.test`);
    resolver.setZone('acme.com', names);
    const lookup = await subject({ random: Math.random }).lookupTxt(TXT, within());
    expect(lookup).toMatchObject({ kind: 'unreadable', reason: 'no_nameserver' });
    const followed = new Set(resolver.log().flatMap(({ name }) => (name.includes('victim') ? [name] : [])));
    expect(followed.size).toBe(3);
  });

  test('delay other zones with a nameserver that does not respond', async () => {
    delegate('dead.test', { 'ns1.dead.test': DEAD });
    ns1.set(TXT, 'TXT', ['x']);
    const { lookupTxt } = subject({ limits: { inFlight: 2, perSecond: 1000 } });
    const controller = new AbortController();
    const stuck = Array.from({ length: 10 }, (_, index) =>
      lookupTxt(`w${index}.dead.test`, { signal: controller.signal }),
    );
    expect(await lookupTxt(TXT, within())).toMatchObject({ kind: 'found' });
    controller.abort();
    const reasons = (await Promise.all(stuck)).map((lookup) => lookup.kind === 'unreadable' && lookup.reason);
    expect(reasons.every((reason) => reason === 'timeout' || reason === 'overloaded')).toBe(true);
  });

  test('delay its own lookups with one silent nameserver when another responds', async () => {
    ns1.fail('dead.acme.com', 'timeout');
    ns2.set(TXT, 'TXT', ['x']);
    const { lookupTxt } = subject({ limits: { inFlight: 1, perSecond: 1000 }, triesMs: [60_000] });
    await lookupTxt('www.acme.com', within());
    const controller = new AbortController();
    const stuck = lookupTxt('dead.acme.com', { signal: controller.signal });
    await expect.poll(() => asked(ns1, 'dead.acme.com')).toBe(1);
    expect(await lookupTxt(TXT, within())).toMatchObject({ kind: 'found', by: BY_NS2 });
    controller.abort();
    await stuck;
  });

  test('answer for another zone', async () => {
    await ns1.close();
    const liar = await listen(ns1.address, ns1.port, (octets, _from, _transport, reply) => {
      const { id = 0, questions = [] } = packet.decode(octets);
      const answers: packet.Answer[] = [
        { type: 'CNAME', name: 'www.acme.com', data: 'lb.other.test' },
        { type: 'CNAME', name: 'lb.other.test', data: TARGET },
      ];
      reply(packet.encode({ type: 'response', id, flags: packet.AUTHORITATIVE_ANSWER, questions, answers }));
    });
    ns1 = { ...ns1, close: () => liar.close() };
    delegate('other.test', { 'ns2.dns.test': ns2.address });
    ns2.set('lb.other.test', 'A', ['192.0.2.1']);
    expect(await subject().lookupRoute('www.acme.com', TARGET, within())).toMatchObject({
      chain: ['lb.other.test'],
      addresses: ['192.0.2.1'],
    });
  });
});

describe('an abort', () => {
  test('is a timeout for a query in flight', async () => {
    ns1.fail(TXT, 'timeout');
    ns2.fail(TXT, 'timeout');
    expect(await subject({ triesMs: [60_000] }).lookupTxt(TXT, within(100))).toMatchObject({ reason: 'timeout' });
    resolver.fail('_service.other.test', 'timeout');
    expect(await subject().lookupTxt('_service.other.test', within(100))).toMatchObject({ reason: 'timeout' });
  });

  test('is overloaded for a query that waits for the throttle', async () => {
    delegate('acme.com', { 'ns1.dns.test': ns1.address });
    ns1.fail(TXT, 'timeout');
    const { lookupTxt } = subject({ limits: { inFlight: 1, perSecond: 1000 }, triesMs: [60_000] });
    const [first, second] = await Promise.all([lookupTxt(TXT, within(200)), lookupTxt(TXT, within(100))]);
    expect([first, second].map((lookup) => lookup.kind === 'unreadable' && lookup.reason)).toEqual([
      'timeout',
      'overloaded',
    ]);
  });
});

test('each query is counted by the kind of its answer', async () => {
  ns1.set(TXT, 'TXT', ['x'.repeat(2000)]);
  ns1.set('www.acme.com', 'A', ['192.0.2.1']);
  ns1.fail('bad.acme.com', 'refused');
  const kinds: string[] = [];
  const { lookupTxt } = subject({ onAnswer: (kind) => kinds.push(kind) });
  await lookupTxt('www.acme.com', within());
  kinds.length = 0;
  for (const name of [TXT, 'no.acme.com', 'www.acme.com', 'bad.acme.com']) await lookupTxt(name, within());
  expect(kinds).toEqual(['truncated', 'answer', 'nxdomain', 'nodata', 'refused', 'nxdomain']);
});
