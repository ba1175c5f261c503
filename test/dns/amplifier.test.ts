import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ADDRESS_QUERIES_A_MINUTE } from '../../server/src/dns/nameserver-addresses.ts';
import type { Resolver } from '../../server/src/dns/resolver.ts';
import type { Domain } from '../../server/src/domain/domain.ts';
import type { Depth } from '../../server/src/verification/observation/observe.ts';
import { observe } from '../../server/src/verification/observation/observe.ts';
import { type DnsTree, startDnsTree } from '../support/dns-tree.ts';
import { aDomain, anApp, anEnvironment, aProject } from '../support/entities.ts';

/**
 * A zone that makes Nameplate ask about nameservers of others (NXNSAttack): each referral names fifty new ones. That
 * they have no address is worst: each is asked for anew, over IPv4 and IPv6.
 */
const environment = anEnvironment(anApp(aProject({ workspaceId: 'ws_1' })));
const HOSTILE = '127.0.0.6';

let tree: DnsTree;
let named: number;

beforeEach(async () => {
  tree = await startDnsTree();
  named = 0;
  await tree.serve(HOSTILE, ({ name, type }) => {
    const [label = '', ...zone] = name.split('.');
    // A lower zone at each label, whose nameservers are the victim's.
    const at = type === 'SOA' || label.startsWith('_') ? name : ['shop', ...zone].join('.');
    const authorities = Array.from({ length: 50 }, () => ({
      type: 'NS' as const,
      name: at,
      ttl: 60,
      data: `ns${named++}.victim.test`,
    }));
    return { authorities };
  });
});
afterEach(() => tree.close());

function hostile(index: number): Domain {
  const zone = `hostile${index}.com`;
  tree.delegate(zone, { [`ns.${zone}`]: HOSTILE });
  return aDomain(environment, { name: `shop.${zone}`, kind: 'subdomain' });
}

/** Queries about the victim so far, at the resolver and at the registry. */
function aboutVictim(): number {
  return [tree.resolver, tree.com].flatMap((server) => server.log()).filter(({ name }) => name.endsWith('victim.test'))
    .length;
}

function check(resolver: Resolver, domain: Domain, depth: Depth) {
  return observe(resolver, domain, null, { depth, signal: AbortSignal.timeout(10_000), random: Math.random });
}

describe('a zone that names fifty new nameservers in each referral costs their owner six queries', () => {
  const depths: Depth[] = ['routine', 'recheck', 'thorough', 'deciding', 'diagnosis', 'name'];
  test.each(depths)('at most in a check of the kind %s', async (depth) => {
    await check(tree.subject({ random: Math.random }), hostile(1), depth);
    expect(named).toBeGreaterThan(50);
    expect(aboutVictim()).toBeGreaterThan(0);
    expect(aboutVictim()).toBeLessThanOrEqual(6);
  });

  test('at most where the resolver fails, and each of its retries counts', async () => {
    tree.resolver.fail('victim.test', 'servfail');
    await check(tree.subject({ random: Math.random }), hostile(1), 'deciding');
    expect(aboutVictim()).toBeLessThanOrEqual(6);
  });

  test('at most for the addresses of a name, and for its CAA records', async () => {
    const { name } = hostile(1);
    const { lookupAddresses, lookupCaa } = tree.subject({ random: Math.random });
    const { signal } = new AbortController();
    await lookupAddresses(name, { signal });
    expect(aboutVictim()).toBeLessThanOrEqual(6);
    await lookupCaa(name, { signal });
    expect(aboutVictim()).toBeLessThanOrEqual(12);
  });
});

test('a hundred such zones together cost the owner a limited number of queries a minute', async () => {
  let now = 1_800_000_000_000;
  const resolver = tree.subject({ random: Math.random, clock: { now: () => now } });
  const domains = Array.from({ length: 100 }, (_, index) => hostile(index));
  await Promise.all(domains.map((domain) => check(resolver, domain, 'thorough')));
  expect(aboutVictim()).toBe(ADDRESS_QUERIES_A_MINUTE);
  now += 60_000;
  await Promise.all(domains.map((domain) => check(resolver, domain, 'thorough')));
  expect(aboutVictim()).toBe(2 * ADDRESS_QUERIES_A_MINUTE);
});

test('such zones keep no nameserver from being found again that was found before', async () => {
  let now = 1_800_000_000_000;
  const resolver = tree.subject({ random: Math.random, clock: { now: () => now } });
  tree.delegate('honest.com', { 'dns.victim.test': null });
  tree.resolve('dns.victim.test', tree.ns1.address);
  const honest = aDomain(environment, { name: 'www.honest.com', kind: 'subdomain' });
  await check(resolver, honest, 'thorough');
  now += 3_600_001;
  await Promise.all(Array.from({ length: 100 }, (_, index) => check(resolver, hostile(index), 'thorough')));
  const observation = await check(resolver, honest, 'thorough');
  expect(observation.routing.zone).toMatchObject({ nameservers: [{ addresses: [tree.ns1.address] }], failure: null });
});

test('a zone with six nameservers of other zones is read in full, and their IPv6 addresses by the second check', async () => {
  const names = Array.from({ length: 6 }, (_, index) => `ns${index}.provider.test`);
  tree.com.delegate('acme.com', names);
  for (const name of names) {
    tree.resolver.set(name, 'A', [tree.ns1.address]);
    tree.resolver.set(name, 'AAAA', ['::1']);
  }
  const resolver = tree.subject({ allowedNetworks: ['127.0.0.0/8', '::1/128'] });
  const domain = aDomain(environment, { name: 'www.acme.com', kind: 'subdomain' });
  const [first, second] = [await check(resolver, domain, 'thorough'), await check(resolver, domain, 'thorough')];
  const addressesIn = (observation: typeof first) =>
    observation.routing.zone.nameservers.map(({ addresses }) => addresses.join(' '));
  expect(addressesIn(first)).toEqual(Array(6).fill(tree.ns1.address));
  expect(addressesIn(second)).toEqual(Array(6).fill(`${tree.ns1.address} ::1`));
});
