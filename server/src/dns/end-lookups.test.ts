import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DnsTree, startDnsTree } from '../../../test/support/dns-tree.ts';
import { recursiveResolver } from './recursive.ts';
import { dnsClient } from './transport/dns-client.ts';

const NAME = 'www.acme.com';

let tree: DnsTree;
beforeEach(async () => {
  tree = await startDnsTree();
});
afterEach(() => tree.close());

const within = () => ({ signal: AbortSignal.timeout(10_000) });

function both(set: (server: DnsTree['ns1']) => void): void {
  set(tree.ns1);
  set(tree.ns2);
}

describe('the addresses of a name', () => {
  test("are those of both kinds at the end of its chain, from the zone's own nameservers", async () => {
    tree.resolver.set(NAME, 'A', ['192.0.2.9']);
    both((server) => {
      server.set(NAME, 'CNAME', ['lb.acme.com']);
      server.set('lb.acme.com', 'A', ['192.0.2.2', '192.0.2.1']);
      server.set('lb.acme.com', 'AAAA', ['2001:db8::1']);
    });
    expect(await tree.subject().lookupAddresses('WWW.acme.com.', within())).toEqual({
      kind: 'found',
      chain: ['lb.acme.com'],
      addresses: ['192.0.2.1', '192.0.2.2', '2001:db8::1'],
      by: { server: 'ns1.acme.com', address: tree.ns1.address, authoritative: true },
    });
  });

  test('are unreadable where either kind is', async () => {
    both((server) => server.fail(NAME, 'servfail'));
    expect(await tree.subject().lookupAddresses(NAME, within())).toEqual({
      kind: 'unreadable',
      reason: 'servfail',
      chain: [],
      server: 'ns2.acme.com',
    });
  });

  test('are absent for a name without any, with its chain', async () => {
    both((server) => server.set(NAME, 'CNAME', ['gone.acme.com']));
    expect(await tree.subject().lookupAddresses(NAME, within())).toMatchObject({
      kind: 'absent',
      reason: 'nxdomain',
      chain: ['gone.acme.com'],
    });
    const nobody = await tree.subject({ allowedNetworks: ['127.0.0.2/32'] }).lookupAddresses('nobody.com', within());
    expect(nobody).toEqual({ kind: 'absent', reason: 'nxdomain', chain: [], by: null });
  });

  test('are those that a resolver knows where no nameserver can be reached from here', async () => {
    both((server) => server.fail(NAME, 'timeout'));
    tree.resolver.set(NAME, 'A', ['192.0.2.9']);
    expect(await tree.subject({ triesMs: [50] }).lookupAddresses(NAME, within())).toMatchObject({
      addresses: ['192.0.2.9'],
      by: { address: tree.resolver.address, authoritative: false },
    });
    both((server) => server.fail(NAME, 'refused'));
    expect(await tree.subject().lookupAddresses(NAME, within())).toMatchObject({
      kind: 'unreadable',
      reason: 'refused',
    });
  });

  test('come from the resolvers alone in recursive mode', async () => {
    tree.resolver.set(NAME, 'A', ['192.0.2.9']);
    const client = dnsClient();
    const { lookupAddresses } = recursiveResolver({ client, resolvers: [tree.resolver] });
    expect(await lookupAddresses(NAME, within())).toMatchObject({
      addresses: ['192.0.2.9'],
      by: { authoritative: false },
    });
    client.close();
  });
});

describe('the CAA records of a name', () => {
  test('are those at the end of its chain, not those above it', async () => {
    both((server) => {
      server.set('acme.com', 'CAA', ['0 issue "other.test"']);
      server.set(NAME, 'CNAME', ['lb.acme.com']);
      server.set('lb.acme.com', 'CAA', ['0 issue "ca.test; validationmethods=http-01"', '128 tbs "x"']);
    });
    const { lookupCaa } = tree.subject();
    expect(await lookupCaa(NAME, within())).toMatchObject({
      kind: 'found',
      chain: ['lb.acme.com'],
      records: [
        { critical: false, tag: 'issue', value: 'ca.test; validationmethods=http-01' },
        { critical: true, tag: 'tbs', value: 'x' },
      ],
    });
    expect(await lookupCaa('no.acme.com', within())).toMatchObject({ kind: 'absent', reason: 'nxdomain' });
    both((server) => server.fail('bad.acme.com', 'servfail'));
    expect(await lookupCaa('bad.acme.com', within())).toMatchObject({ kind: 'unreadable', reason: 'servfail' });
  });
});
