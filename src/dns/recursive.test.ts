import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startSimulators } from '../../test/support/simulators.ts';
import type { Simulator } from '../playground/dns/simulator.ts';
import { recursiveResolver } from './recursive.ts';
import type { RecursorsOptions } from './recursors.ts';
import { type DnsClient, dnsClient } from './transport/dns-client.ts';

const TXT = '_service.www.acme.com';
const TARGET = 't1.cname.test';

let one: Simulator;
let two: Simulator;
let client: DnsClient;

beforeEach(async () => {
  [one, two] = await startSimulators(['127.0.0.1', '127.0.0.2'] as const);
  client = dnsClient();
});
afterEach(async () => {
  client.close();
  await Promise.all([one.close(), two.close()]);
});

function subject(options: Partial<RecursorsOptions> = {}) {
  const resolvers = [one, two].map(({ address, port }) => ({ address, port }));
  return recursiveResolver({ client, resolvers, random: () => 0, ...options });
}

function within(ms = 10_000) {
  return { signal: AbortSignal.timeout(ms) };
}

const BY_ONE = { server: '127.0.0.1', address: '127.0.0.1', authoritative: false };
const BY_TWO = { server: '127.0.0.2', address: '127.0.0.2', authoritative: false };

test('a resolver is asked, with RD, and never a nameserver', async () => {
  one.set(TXT, 'TXT', ['x']);
  one.set('ns1.simulator.test', 'A', ['127.0.0.9']);
  expect(await subject().lookupTxt(TXT, within())).toEqual({
    kind: 'found',
    values: ['x'],
    chain: [],
    zone: 'acme.com',
    by: BY_ONE,
  });
  expect(two.log()).toEqual([]);
});

test('chains are read across zones from one answer', async () => {
  one.set('www.acme.com', 'CNAME', ['acme.cdn.test']);
  one.set('acme.cdn.test', 'CNAME', [TARGET]);
  expect(await subject().lookupRoute('www.acme.com', TARGET, within())).toEqual({
    kind: 'found',
    chain: ['acme.cdn.test', TARGET],
    addresses: [],
    zone: 'acme.com',
    by: BY_ONE,
  });
  expect(one.log().filter(({ type }) => type === 'A')).toHaveLength(1);
});

test('addresses of both kinds and CAA records are read', async () => {
  one.set('www.acme.com', 'CNAME', ['lb.acme.com']);
  one.set('lb.acme.com', 'A', ['192.0.2.1']);
  one.set('lb.acme.com', 'AAAA', ['2001:db8::1']);
  one.set('acme.com', 'CAA', ['128 issue "ca.test; validationmethods=http-01"', '0 issuewild ";"', '1 tbs "x"']);
  const { lookupAddresses, lookupCaa } = subject();
  expect(await lookupAddresses('www.acme.com', within())).toEqual({
    kind: 'found',
    chain: ['lb.acme.com'],
    addresses: ['192.0.2.1', '2001:db8::1'],
    by: BY_ONE,
  });
  expect(await lookupCaa('acme.com', within())).toEqual({
    kind: 'found',
    chain: [],
    records: [
      { critical: false, tag: 'issuewild', value: ';' },
      { critical: false, tag: 'tbs', value: 'x' },
      { critical: true, tag: 'issue', value: 'ca.test; validationmethods=http-01' },
    ],
    by: BY_ONE,
  });
  expect(await lookupCaa('www.acme.com', within())).toMatchObject({ kind: 'absent', reason: 'nodata' });
});

test('NXDOMAIN is distinguished from NODATA, with the zone of the SOA', async () => {
  one.setZone('sub.acme.com');
  one.set('www.acme.com', 'A', ['192.0.2.1']);
  const { lookupTxt } = subject();
  expect(await lookupTxt(TXT, within())).toMatchObject({ kind: 'absent', reason: 'nxdomain', zone: 'acme.com' });
  expect(await lookupTxt('www.acme.com', within())).toMatchObject({
    kind: 'absent',
    reason: 'nodata',
    zone: 'acme.com',
  });
  expect(await lookupTxt('x.sub.acme.com', within())).toMatchObject({ kind: 'absent', zone: 'sub.acme.com' });
});

test('a CNAME is found although its target has no address', async () => {
  one.set('www.acme.com', 'CNAME', ['gone.other.test']);
  expect(await subject().lookupRoute('www.acme.com', TARGET, within())).toMatchObject({
    kind: 'found',
    chain: ['gone.other.test'],
    addresses: [],
    zone: 'acme.com',
  });
});

describe('after a resolver fails, another is asked', () => {
  test.each(['servfail', 'refused', 'timeout'] as const)('%s', async (fault) => {
    one.fail(TXT, fault);
    two.set(TXT, 'TXT', ['x']);
    expect(await subject({ triesMs: [150, 300] }).lookupTxt(TXT, within())).toMatchObject({
      kind: 'found',
      by: BY_TWO,
    });
  });

  test('where all of them fail, that is the reason', async () => {
    one.fail(TXT, 'servfail');
    two.fail(TXT, 'servfail');
    expect(await subject().lookupTxt(TXT, within())).toEqual({
      kind: 'unreadable',
      reason: 'servfail',
      chain: [],
      server: '127.0.0.1',
    });
  });
});

describe('a confirmation', () => {
  test('comes from another resolver', async () => {
    one.set(TXT, 'TXT', ['x']);
    const { lookupTxt } = subject();
    expect(await lookupTxt(TXT, { ...within(), confirming: [BY_ONE] })).toMatchObject({
      kind: 'absent',
      by: BY_TWO,
    });
    expect(await lookupTxt(TXT, { ...within(), confirming: [BY_TWO] })).toMatchObject({ kind: 'found', by: BY_ONE });
  });

  test('comes from the same one where there is no other', async () => {
    one.set(TXT, 'TXT', ['x']);
    const { lookupTxt } = subject({ resolvers: [{ address: one.address, port: one.port }] });
    expect(await lookupTxt(TXT, { ...within(), confirming: [BY_ONE] })).toMatchObject({ kind: 'found', by: BY_ONE });
  });
});

test('an aborted query in flight is a timeout', async () => {
  one.fail(TXT, 'timeout');
  two.fail(TXT, 'timeout');
  expect(await subject().lookupTxt(TXT, within(100))).toMatchObject({ kind: 'unreadable', reason: 'timeout' });
});

test('an invalid address is refused at once', () => {
  expect(() => subject({ resolvers: [{ address: 'dns.example', port: 53 }] })).toThrow(
    '"dns.example" is not the address of a resolver',
  );
});
