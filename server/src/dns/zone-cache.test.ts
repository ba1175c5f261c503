import { expect, it } from 'vitest';
import type { ZoneObservation } from '../domain/observation.ts';
import { zoneCache } from './zone-cache.ts';

function zoneOf(apex: string, address = '192.0.2.1'): ZoneObservation {
  const nameservers = [{ name: 'ns1.provider.example', addresses: [address] }];
  return { apex, source: 'parent', nameservers, ownNameservers: null, failure: null };
}

it('zones with a nameserver in common keep it once, unless its addresses differ', () => {
  const cache = zoneCache(10, { now: () => 0 });
  const apexes = ['one.example', 'two.example'];
  for (const apex of apexes) cache.keep(apex, { zone: zoneOf(apex), ttl: 60 });
  cache.keep('other.example', { zone: zoneOf('other.example', '192.0.2.2'), ttl: 60 });
  const [one, two] = apexes.map((apex) => cache.get(apex)?.nameservers[0]);
  expect(one).toEqual(zoneOf('').nameservers[0]);
  expect(two).toBe(one);
  expect(cache.get('other.example')).toEqual(zoneOf('other.example', '192.0.2.2'));
});
