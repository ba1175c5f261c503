import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startSimulators } from '../../test/support/simulators.ts';
import { systemClock } from '../clock.ts';
import type { Simulator } from '../playground/dns/simulator.ts';
import { type AuthoritativeOptions, authoritativeResolver } from './authoritative.ts';
import { queryBudget } from './query-budget.ts';
import type { Resolver } from './resolver.ts';
import { dnsClient } from './transport/dns-client.ts';

const TXT = '_service.www.acme.com';
const TARGET = 't1.cname.test';

/** The resolver, and the nameservers of "com" and of acme.com. */
let resolver: Simulator;
let com: Simulator;
let ns1: Simulator;
let ns2: Simulator;
let close: () => unknown;

beforeEach(async () => {
  [resolver, com, ns1, ns2] = await startSimulators(['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'] as const);
  close = () => Promise.all([resolver.close(), com.close(), ns1.close(), ns2.close()]);
  resolver.setZone('com', ['a.registry.test']);
  resolver.set('a.registry.test', 'A', [com.address]);
  com.setZone('com', ['a.registry.test']);
  com.delegate('acme.com', ['ns1.acme.com', 'ns2.acme.com']);
  com.set('ns1.acme.com', 'A', [ns1.address]);
  com.set('ns2.acme.com', 'A', [ns2.address]);
});
afterEach(() => close());

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

function within(queries = 40) {
  return { signal: AbortSignal.timeout(10_000), budget: queryBudget(queries) };
}

describe('a zone', () => {
  test('has the nameservers that its parent names, with their glue', async () => {
    expect(await subject().findZone(TXT, within())).toEqual({
      apex: 'acme.com',
      source: 'parent',
      nameservers: [
        { name: 'ns1.acme.com', addresses: [ns1.address] },
        { name: 'ns2.acme.com', addresses: [ns2.address] },
      ],
      ownNameservers: null,
      failure: null,
    });
  });
});

describe('a look', () => {
  test('asks one nameserver of the zone', async () => {
    ns1.set(TXT, 'TXT', ['x']);
    expect(await subject().look({ name: TXT, type: 'TXT' }, within())).toMatchObject({
      zone: { apex: 'acme.com' },
      looks: [{ server: 'ns1.acme.com', address: ns1.address, answer: { kind: 'found', chain: [], values: ['x'] } }],
    });
  });

  test('takes one query once the zone is cached', async () => {
    const { look } = subject();
    await look({ name: TXT, type: 'TXT' }, within());
    expect(await look({ name: TXT, type: 'TXT' }, within(1))).toMatchObject({
      looks: [{ answer: { kind: 'absent', reason: 'nxdomain', chain: [] } }],
    });
  });

  test('does not follow the chain past the target', async () => {
    ns1.set('www.acme.com', 'CNAME', [TARGET]);
    expect(await subject().look({ name: 'www.acme.com', type: 'ADDRESS', stopAt: TARGET }, within())).toMatchObject({
      looks: [{ answer: { kind: 'found', chain: [TARGET], values: [] } }],
    });
  });
});
