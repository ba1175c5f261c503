import packet from 'dns-packet';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AA, type DnsTree, startDnsTree, within } from '../../../test/support/dns-tree.ts';
import type { ZoneNameserver } from '../domain/observation.ts';
import type { RecordQuestion, Resolver } from './resolver.ts';

const NAME = 'www.acme.com';
const TXT: RecordQuestion = { name: `_service.${NAME}`, type: 'TXT' };
const TARGET = 't1.cname.test';
const ROUTE: RecordQuestion = { name: NAME, type: 'ADDRESS', stopAt: TARGET };
/** Nothing listens there. */
const DEAD = '127.0.0.9';

let tree: DnsTree;
beforeEach(async () => {
  tree = await startDnsTree();
});
afterEach(() => tree.close());

const BY_NS1 = () => ({ server: 'ns1.acme.com', address: tree.ns1.address });
const BY_NS2 = () => ({ server: 'ns2.acme.com', address: tree.ns2.address });

function both(set: (server: DnsTree['ns1']) => void): void {
  set(tree.ns1);
  set(tree.ns2);
}

const record = (type: 'A' | 'AAAA' | 'CNAME' | 'TXT', data: string, name = NAME) => ({ type, name, ttl: 60, data });

describe('a query', () => {
  test('asks one nameserver, at random', async () => {
    both((server) => server.set(TXT.name, 'TXT', ['x']));
    const { query } = tree.subject({ random: Math.random });
    const servers = new Set<string>();
    for (let check = 0; check < 30; check++) {
      const { zone, nameservers } = await query(TXT, within());
      expect(zone.apex).toBe('acme.com');
      expect(nameservers).toMatchObject([{ answers: [{ kind: 'found', chain: [], values: ['x'] }] }]);
      servers.add(nameservers[0]?.server ?? '');
    }
    expect([...servers].sort()).toEqual(['ns1.acme.com', 'ns2.acme.com']);
  });

  test('takes one query once the zone is cached', async () => {
    const { query } = tree.subject();
    await query(TXT, within());
    expect((await query(TXT, within(1))).nameservers).toEqual([
      { ...BY_NS1(), answers: [{ kind: 'absent', reason: 'nxdomain', chain: [] }] },
    ]);
  });

  test('asks another nameserver after one that fails, and says of each why', async () => {
    tree.ns1.fail(TXT.name, 'refused');
    tree.ns2.set(TXT.name, 'TXT', ['x']);
    expect((await tree.subject().query(TXT, within())).nameservers).toEqual([
      { ...BY_NS1(), answers: [{ kind: 'unreadable', reason: 'refused', chain: [] }] },
      { ...BY_NS2(), answers: [{ kind: 'found', chain: [], values: ['x'] }] },
    ]);
  });

  test('asks a nameserver that was silent last, so that a dead one does not slow each check', async () => {
    tree.delegate('acme.com', { 'ns1.acme.com': DEAD, 'ns2.acme.com': tree.ns2.address });
    await tree.serve(DEAD, () => null);
    const { query } = tree.subject({ triesMs: [100, 200] });
    expect((await query(TXT, within())).nameservers).toHaveLength(2);
    for (let check = 0; check < 5; check++) expect((await query(TXT, within())).nameservers).toMatchObject([BY_NS2()]);
  });

  test('follows a referral to a lower zone, and asks its nameservers', async () => {
    both((server) => {
      server.delegate(NAME, ['ns.www.acme.com']);
      server.set('ns.www.acme.com', 'A', ['127.0.0.5']);
    });
    await tree.serve('127.0.0.5', () => ({ flags: AA, answers: [record('TXT', 'x', TXT.name)] }));
    expect(await tree.subject().query(TXT, within())).toMatchObject({
      zone: { apex: NAME },
      nameservers: [{ server: 'ns.www.acme.com', address: '127.0.0.5', answers: [{ values: ['x'] }] }],
    });
  });

  test('of a domain that nobody registered asks nobody', async () => {
    expect(
      await tree.subject({ allowedNetworks: ['127.0.0.2/32'] }).query({ ...TXT, name: 'www.nobody.com' }, within()),
    ).toMatchObject({
      zone: { failure: { reason: 'not_registered' } },
      nameservers: [],
    });
  });

  test('reads a TXT record at the end of a CNAME, in the zone of its target', async () => {
    tree.delegate('verify.com', { 'ns.verify.com': tree.ns2.address });
    both((server) => server.set(TXT.name, 'CNAME', ['acme.verify.com']));
    tree.ns2.set('acme.verify.com', 'TXT', ['x']);
    expect((await tree.subject().query(TXT, within())).nameservers).toMatchObject([
      { ...BY_NS1(), answers: [{ kind: 'found', chain: ['acme.verify.com'], values: ['x'] }] },
    ]);
  });

  test('reads DS records at the parent zone, and NS, SOA and CNAME records at the name itself', async () => {
    const subject = tree.subject();
    const ask = async (type: RecordQuestion['type'], name = 'acme.com') =>
      (await subject.query({ name, type }, within())).nameservers.at(-1);
    expect(await ask('DS')).toMatchObject({
      server: 'a.registry.test',
      answers: [{ kind: 'absent', reason: 'nodata' }],
    });
    expect(await ask('NS')).toMatchObject({ answers: [{ kind: 'found', values: ['ns1.simulator.test'] }] });
    both((server) => server.set(NAME, 'CNAME', ['lb.acme.com']));
    expect(await ask('CNAME', NAME)).toMatchObject({
      answers: [{ kind: 'found', chain: ['lb.acme.com'], values: [] }],
    });
    expect(await ask('NS', NAME)).toMatchObject({ answers: [{ kind: 'absent', chain: [] }] });
  });
});

describe('the routing record', () => {
  test('is not followed past the target', async () => {
    both((server) => server.set(NAME, 'CNAME', [TARGET]));
    expect((await tree.subject().query(ROUTE, within())).nameservers).toMatchObject([
      { answers: [{ kind: 'found', chain: [TARGET], values: [] }] },
    ]);
  });

  test('is followed in each zone of its chain, at that zone only: no nameserver speaks for another zone', async () => {
    tree.delegate('cdn.com', { 'ns.cdn.com': tree.com.address });
    tree.com.setZone('cdn.com', ['ns.cdn.com']);
    tree.com.set('acme.cdn.com', 'CNAME', ['elsewhere.test']);
    const lie = [record('CNAME', 'acme.cdn.com'), record('CNAME', TARGET, 'acme.cdn.com')];
    await tree.serve(tree.ns1.address, () => ({ flags: AA, answers: lie }));
    const [answer] = (await tree.subject().query(ROUTE, within())).nameservers[0]?.answers ?? [];
    expect(answer).toMatchObject({ chain: ['acme.cdn.com', 'elsewhere.test'] });
  });

  test('has the addresses at its end, IPv6 ones where there are no others', async () => {
    both((server) => {
      server.set(NAME, 'CNAME', ['lb.acme.com']);
      server.set('lb.acme.com', 'A', ['192.0.2.2', '192.0.2.1']);
      server.set('v6.acme.com', 'AAAA', ['2001:db8::1']);
    });
    const { query } = tree.subject();
    expect((await query(ROUTE, within())).nameservers).toMatchObject([
      { answers: [{ kind: 'found', chain: ['lb.acme.com'], values: ['192.0.2.1', '192.0.2.2'] }] },
    ]);
    expect((await query({ ...ROUTE, name: 'v6.acme.com' }, within())).nameservers).toMatchObject([
      { answers: [{ kind: 'found', chain: [], values: ['2001:db8::1'] }] },
    ]);
  });

  test('that leads to a broken zone names the nameserver that fails', async () => {
    tree.delegate('cdn.com', { 'ns.cdn.com': tree.com.address });
    tree.com.setZone('cdn.com', ['ns.cdn.com']);
    tree.com.fail('acme.cdn.com', 'servfail');
    both((server) => server.set(NAME, 'CNAME', ['acme.cdn.com']));
    expect((await tree.subject().query(ROUTE, within())).nameservers).toEqual([
      {
        ...BY_NS1(),
        answers: [{ kind: 'unreadable', reason: 'servfail', chain: ['acme.cdn.com'], server: 'ns.cdn.com' }],
      },
    ]);
  });
});

describe('a nameserver that is asked by name', () => {
  async function zoneAnd(subject: Resolver): Promise<[Awaited<ReturnType<Resolver['findZone']>>, ZoneNameserver[]]> {
    const zone = await subject.findZone(TXT.name, within());
    return [zone, zone.nameservers];
  }

  test('answers for itself', async () => {
    tree.ns1.set(TXT.name, 'TXT', ['new']);
    tree.ns2.set(TXT.name, 'TXT', ['old']);
    const subject = tree.subject();
    const [zone, nameservers] = await zoneAnd(subject);
    const asked = await Promise.all(nameservers.map((one) => subject.askNameserver(zone, one, TXT, within())));
    expect(asked).toEqual([
      { ...BY_NS1(), answers: [{ kind: 'found', chain: [], values: ['new'] }] },
      { ...BY_NS2(), answers: [{ kind: 'found', chain: [], values: ['old'] }] },
    ]);
  });

  test('is asked for the names in its zone that its CNAMEs lead to', async () => {
    both((server) => server.set(NAME, 'CNAME', ['lb.acme.com']));
    const chained = (query: { name: string }, to: string) =>
      query.name === NAME
        ? { flags: AA, answers: [record('CNAME', 'lb.acme.com')] }
        : { flags: AA, answers: [record('CNAME', to, 'lb.acme.com')] };
    await tree.serve(tree.ns1.address, (query) => chained(query, TARGET));
    await tree.serve(tree.ns2.address, (query) => chained(query, 'old.test'));
    const subject = tree.subject();
    const zone = { ...(await zoneAnd(subject))[0], apex: 'acme.com' };
    for (const nameserver of zone.nameservers) {
      const {
        answers: [answer],
      } = await subject.askNameserver(zone, nameserver, { ...ROUTE, stopAt: TARGET }, within());
      expect(answer.chain.at(-1)).toBe(nameserver.name === 'ns1.acme.com' ? TARGET : 'old.test');
    }
  });

  test('that leads to another zone leads to two nameservers of it in turn, so that these cannot differ unseen', async () => {
    const [cdn1, cdn2] = ['127.0.0.5', '127.0.0.6'];
    tree.delegate('cdn.com', { 'ns1.cdn.com': cdn1, 'ns2.cdn.com': cdn2 });
    both((server) => server.set(NAME, 'CNAME', ['acme.cdn.com']));
    let queries = 0;
    for (const [address, to] of [
      [cdn1, TARGET],
      [cdn2, 'old.test'],
    ] as const)
      await tree.serve(address, () => {
        queries++;
        return { flags: AA, answers: [record('CNAME', to, 'acme.cdn.com')] };
      });
    const subject = tree.subject();
    const [zone, nameservers] = await zoneAnd(subject);
    const check = within();
    const ends: (string | undefined)[] = [];
    for (const nameserver of [...nameservers, ...nameservers]) {
      const {
        answers: [answer],
      } = await subject.askNameserver(zone, nameserver, ROUTE, check);
      ends.push(answer.chain[1]);
    }
    expect(ends).toEqual([TARGET, 'old.test', TARGET, 'old.test']);
    expect(queries).toBe(2);
  });

  test('is asked for IPv6 first the second time, so that an address beside the CNAME is seen', async () => {
    await tree.serve(tree.ns1.address, ({ type }) => ({
      flags: AA,
      answers: [type === 'AAAA' ? record('AAAA', '2001:db8::1') : record('CNAME', TARGET)],
    }));
    const subject = tree.subject();
    const zone = await subject.findZone('acme.com', within());
    const [ns1 = { name: '', addresses: [] }] = zone.nameservers;
    expect((await subject.askNameserver(zone, ns1, ROUTE, within())).answers[0]).toMatchObject({ chain: [TARGET] });
    const second = await subject.askNameserver(zone, ns1, ROUTE, { ...within(), second: true });
    expect(second.answers[0]).toEqual({ kind: 'found', chain: [], values: ['2001:db8::1'] });
  });

  test('answers anew each time: one that alternates shows', async () => {
    let turn = 0;
    await tree.serve(tree.ns1.address, () => ({ flags: AA, answers: [record('TXT', `${turn++ % 2}`, TXT.name)] }));
    const subject = tree.subject();
    const zone = await subject.findZone('acme.com', within());
    const [ns1 = { name: '', addresses: [] }] = zone.nameservers;
    const ask = (second: boolean) => subject.askNameserver(zone, ns1, TXT, { ...within(), second });
    expect([(await ask(false)).answers[0], (await ask(true)).answers[0]]).toMatchObject([
      { values: ['0'] },
      { values: ['1'] },
    ]);
  });

  test('is asked at an address of the other IP version where one is silent', async () => {
    const zone = await tree.subject().findZone('acme.com', within());
    both((server) => server.set(TXT.name, 'TXT', ['x']));
    const dual = { name: 'ns1.acme.com', addresses: ['::9', tree.ns1.address] };
    expect(await tree.subject().askNameserver(zone, dual, TXT, { ...within(), timeoutMs: 400 })).toMatchObject({
      address: tree.ns1.address,
      answers: [{ kind: 'found' }],
    });
  });

  test('without an address that may be asked says so', async () => {
    const subject = tree.subject();
    const zone = await subject.findZone('acme.com', within());
    const ask = (nameserver: ZoneNameserver) => subject.askNameserver(zone, nameserver, TXT, within());
    expect(await ask({ name: 'ns9.acme.com', addresses: [], problem: 'no_address' })).toEqual({
      server: 'ns9.acme.com',
      address: null,
      answers: [{ kind: 'unreadable', reason: 'no_nameserver', chain: [] }],
    });
    expect(await ask({ name: 'ns9.acme.com', addresses: [], problem: 'special_address' })).toMatchObject({
      answers: [{ reason: 'forbidden_address' }],
    });
  });

  test('is silent after its time, is unreachable where nothing can be sent, and has its TCP failures told apart', async () => {
    await tree.serve(tree.ns1.address, () => null);
    await tree.serve(tree.ns2.address, () => ({ flags: AA | packet.TRUNCATED_RESPONSE }));
    const subject = tree.subject();
    const [zone, nameservers] = await zoneAnd(subject);
    const ask = (nameserver: ZoneNameserver) =>
      subject.askNameserver(zone, nameserver, TXT, { ...within(), timeoutMs: 100 });
    const reasons: unknown[] = [];
    for (const one of nameservers) reasons.push((await ask(one)).answers[0]);
    reasons.push((await ask({ name: 'ns6.acme.com', addresses: ['2001:db8::1'] })).answers[0]);
    expect(reasons).toMatchObject([{ reason: 'timeout' }, { reason: 'malformed' }, { reason: expect.anything() }]);
  });
});

describe('against forgers and floods', () => {
  test('a check ends when its queries are used up, whatever the zones make it ask', async () => {
    for (let hop = 0; hop < 8; hop++) {
      tree.delegate(`hop${hop}.com`, { [`ns.hop${hop}.com`]: tree.ns1.address });
      tree.ns1.set(`a.hop${hop}.com`, 'CNAME', [`a.hop${hop + 1}.com`]);
    }
    both((server) => server.set(NAME, 'CNAME', ['a.hop0.com']));
    const before = tree.com.log().length;
    const check = within(8);
    const { nameservers } = await tree.subject().query(ROUTE, check);
    expect(nameservers.at(-1)?.answers[0]).toMatchObject({ kind: 'unreadable', reason: 'too_many_queries' });
    expect(check.budget.exhausted).toBe(true);
    const sent = [tree.ns1, tree.ns2].flatMap((server) => server.log()).length + tree.com.log().length - before;
    expect(sent).toBe(8);
  });

  test('a check that has used up its queries does not keep another from reading the same zone', async () => {
    const { query } = tree.subject();
    const [poor, rich] = await Promise.all([query(TXT, within(0)), query(TXT, within())]);
    expect(poor.nameservers).toEqual([]);
    expect(poor.zone.failure).toMatchObject({ reason: 'too_many_queries' });
    expect(rich.nameservers).toMatchObject([{ answers: [{ kind: 'absent' }] }]);
  });

  test('aborting it ends a query', async () => {
    tree.ns1.fail(TXT.name, 'timeout');
    tree.ns2.fail(TXT.name, 'timeout');
    const { nameservers } = await tree.subject().query(TXT, { ...within(), signal: AbortSignal.timeout(100) });
    expect(nameservers.at(-1)?.answers[0]).toMatchObject({ kind: 'unreadable', reason: 'timeout' });
  });
});
