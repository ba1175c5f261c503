import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { type Simulator, startSimulator } from '../dev/dns/simulator.ts';
import { authoritativeResolver } from './authoritative.ts';
import { dnsClient } from './client.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function playground(): Promise<{ simulator: Simulator; resolver: ReturnType<typeof authoritativeResolver> }> {
  const simulator = await startSimulator({ port: 0 });
  const client = dnsClient();
  closing.push(
    () => simulator.close(),
    () => client.close(),
  );
  const resolver = authoritativeResolver({
    client,
    resolvers: [{ address: simulator.address, port: simulator.port }],
    nameserverPort: simulator.port,
    allowedNetworks: ['127.0.0.0/8'],
    clock: systemClock,
  });
  return { simulator, resolver };
}

test('reads TXT records at the nameserver of the zone', async () => {
  const { simulator, resolver } = await playground();
  simulator.set('_service.api.acme.com', 'TXT', ['service-domain-verify=abc', 'other']);
  const signal = AbortSignal.timeout(10_000);
  expect(await resolver.lookupTxt('_service.api.acme.com', { signal })).toEqual({
    kind: 'found',
    chain: [],
    values: ['service-domain-verify=abc', 'other'],
    zone: 'acme.com',
    by: { server: 'ns1.simulator.test', address: '127.0.0.1', authoritative: true },
  });
  expect(await resolver.lookupTxt('_service.www.acme.com', { signal })).toMatchObject({
    kind: 'absent',
    reason: 'nxdomain',
  });
  expect(await resolver.lookupTxt('api.acme.com', { signal })).toMatchObject({ kind: 'absent', reason: 'nodata' });
});

test('reads where a name leads, no further than the target', async () => {
  const { simulator, resolver } = await playground();
  simulator.set('api.acme.com', 'CNAME', ['t1.cname.nameplate.test']);
  const signal = AbortSignal.timeout(10_000);
  expect(await resolver.lookupRoute('api.acme.com', 't1.cname.nameplate.test', { signal })).toMatchObject({
    kind: 'found',
    chain: ['t1.cname.nameplate.test'],
    addresses: [],
  });
});
