import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../../playground/dns/simulator.ts';
import { within } from '../../../test/support/dns-tree.ts';
import { loopbackClient, startSimulatorAt } from '../../../test/support/simulators.ts';
import { recursiveResolver } from './recursive.ts';
import type { RecursorsOptions } from './recursors.ts';
import type { RecordQuestion } from './resolver.ts';
import type { DnsClient } from './transport/dns-client.ts';

const TARGET = 't1.cname.test';
const TXT: RecordQuestion = { name: '_service.www.acme.com', type: 'TXT' };
const ROUTE: RecordQuestion = { name: 'www.acme.com', type: 'ADDRESS', stopAt: TARGET };

let one: Simulator;
let two: Simulator;
let client: DnsClient;

beforeEach(async () => {
  one = await startSimulator({ port: 0 });
  two = await startSimulatorAt('127.0.0.2', one.port);
  client = loopbackClient();
});
afterEach(async () => {
  client.close();
  await Promise.all([one.close(), two.close()]);
});

function subject(options: Partial<RecursorsOptions> = {}) {
  const resolvers = [one, two].map(({ address, port }) => ({ address, port }));
  return recursiveResolver({ client, resolvers, random: () => 0, ...options });
}

const nameservers = [
  { name: '127.0.0.1', addresses: ['127.0.0.1'] },
  { name: '127.0.0.2', addresses: ['127.0.0.2'] },
];

test('each resolver plays a nameserver, and no nameserver is asked', async () => {
  one.set(TXT.name, 'TXT', ['x']);
  one.set('ns1.simulator.test', 'A', ['127.0.0.9']);
  const resolver = subject();
  expect(await resolver.query(TXT, within())).toEqual({
    name: TXT.name,
    validation: null,
    zone: { apex: 'acme.com', source: 'resolvers', nameservers, ownNameservers: null, failure: null },
    nameservers: [
      { server: '127.0.0.1', address: '127.0.0.1', answers: [{ kind: 'found', chain: [], values: ['x'] }] },
    ],
  });
  expect(two.log()).toEqual([]);
  const zone = await resolver.findZone(TXT.name, within());
  const asked = await Promise.all(zone.nameservers.map((each) => resolver.askNameserver(zone, each, TXT, within())));
  expect(asked).toMatchObject([
    { server: '127.0.0.1', answers: [{ kind: 'found' }] },
    { server: '127.0.0.2', answers: [{ kind: 'absent' }] },
  ]);
  expect(await resolver.ownNameservers(zone, within())).toBeNull();
});

test('chains are read across zones from one answer', async () => {
  one.set('www.acme.com', 'CNAME', ['acme.cdn.test']);
  one.set('acme.cdn.test', 'CNAME', [TARGET]);
  expect((await subject().query(ROUTE, within())).nameservers).toMatchObject([
    { answers: [{ kind: 'found', chain: ['acme.cdn.test', TARGET], values: [] }] },
  ]);
  expect(one.log().filter(({ type }) => type === 'A')).toHaveLength(1);
});

test('IPv6 addresses are read where a name has no others, and first when a nameserver is asked again', async () => {
  one.set('www.acme.com', 'AAAA', ['2001:db8::1']);
  const resolver = subject();
  expect((await resolver.query(ROUTE, within())).nameservers).toMatchObject([
    { answers: [{ values: ['2001:db8::1'] }] },
  ]);
  one.set('www.acme.com', 'A', ['192.0.2.1']);
  const zone = await resolver.findZone('www.acme.com', within());
  const [first = { name: '', addresses: [] }] = zone.nameservers;
  const ask = (second: boolean) => resolver.askNameserver(zone, first, ROUTE, { ...within(), second });
  expect((await ask(false)).answers[0]).toMatchObject({ values: ['192.0.2.1'] });
  expect((await ask(true)).answers[0]).toMatchObject({ values: ['2001:db8::1'] });
});

test('NXDOMAIN is distinguished from NODATA, with the zone of the SOA', async () => {
  one.setZone('sub.acme.com');
  one.set('www.acme.com', 'A', ['192.0.2.1']);
  const { query } = subject();
  const seen = async (name: string) => {
    const { zone, nameservers } = await query({ ...TXT, name }, within());
    return [
      zone.apex,
      nameservers.map(({ answers: [answer] }) => (answer.kind === 'absent' ? answer.reason : answer.kind)),
    ];
  };
  expect(await seen(TXT.name)).toEqual(['acme.com', ['nxdomain']]);
  expect(await seen('www.acme.com')).toEqual(['acme.com', ['nodata']]);
  expect(await seen('x.sub.acme.com')).toEqual(['sub.acme.com', ['nxdomain']]);
});

describe('after a resolver fails, another is asked', () => {
  test.each(['servfail', 'refused'] as const)('%s', async (fault) => {
    one.fail(TXT.name, fault);
    two.set(TXT.name, 'TXT', ['x']);
    expect((await subject().query(TXT, within())).nameservers).toMatchObject([
      { server: '127.0.0.1', answers: [{ reason: fault }] },
      { server: '127.0.0.2', answers: [{ kind: 'found' }] },
    ]);
  });
});

test('no more queries are sent than the budget allows', async () => {
  expect((await subject().query(TXT, within(0))).nameservers[0]).toMatchObject({
    answers: [{ reason: 'too_many_queries' }],
  });
  expect(one.log()).toEqual([]);
});

test('an invalid address is refused at once', () => {
  expect(() => subject({ resolvers: [{ address: 'dns.example', port: 53 }] })).toThrow(
    '"dns.example" is not the address of a resolver',
  );
});
