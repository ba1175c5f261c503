import { describe, expect, test } from 'vitest';
import { aCheckResult, aDomain, anApp, anEnvironment, aProject } from '../../../test/support/entities.ts';
import { everywhere, observation, twice, txt, validation } from '../../../test/support/observations.ts';
import { type CheckResult, digestOf, digestOfMistakes, toBoundedJson, unpackObservation } from './check-result.ts';
import type { Finding } from './finding.ts';

const domain = aDomain(anEnvironment(anApp(aProject({ workspaceId: 'ws_1' }))));
const result = (...findings: Partial<Finding>[]): CheckResult => aCheckResult(domain, ...findings);

describe('two results tell the same', () => {
  test('though other nameservers were asked, values came in another order, and caches are older', () => {
    const one = result({ seen: ['a', 'b'], nameservers: ['ns1.example.com'], message: 'ns1 says so.' });
    const other = result({ seen: ['b', 'a'], nameservers: ['ns2.example.com'], message: 'ns2 says so.' });
    const seen = { ownershipValidation: validation({ ttl: 7 }) };
    other.observation = observation(domain, 'example.com', seen);
    one.observation = observation(domain, 'example.com', { ownershipValidation: validation({ ttl: 300 }) });
    expect(digestOf(one)).toBe(digestOf(other));
  });

  test.for<[string, CheckResult]>([
    ['another code', result({ code: 'txt_missing' })],
    ['another severity', result({ severity: 'warning' })],
    ['the other record', result({ record: 'routing' })],
    ['another value', result({ seen: ['a'] })],
    ['one more finding', result({}, {})],
    ['none at all', result()],
    ['another zone', { ...result({}), observation: observation(domain, 'other.example') }],
    ['a nameserver without an address', delegatedTo({ name: 'ns1.example.com', addresses: [], problem: 'no_address' })],
    ['a bogus signature', { ...result({}), observation: observation(domain, 'example.com', bogus()) }],
  ])('but not with %s', ([, other]) => {
    expect(digestOf(other)).not.toBe(digestOf(result({})));
  });
});

describe('mistakes ask their owner for the same', () => {
  const digest = (...findings: Partial<Finding>[]) => digestOfMistakes(result(...findings).findings);
  const action = { kind: 'change', at: 'zone', zone: 'example.com', type: 'CNAME', value: 'right.test' } as const;

  test('though values came in another order, a provider rotates its addresses, and a sentence is another', () => {
    const one = digest({ seen: ['a.test.', 'b.test.', '192.0.2.1'], action, message: 'One.' });
    expect(digest({ seen: ['b.test.', '2001:db8::1', 'a.test.'], action, message: 'Other.' })).toBe(one);
  });

  test('but not with another code, record, name, value or action, and none at all is empty', () => {
    const others = [
      digest({}),
      digest({ code: 'txt_missing' }),
      digest({ record: 'routing' }),
      digest({ name: 'shop.test' }),
      digest({ seen: ['typo.test.'] }),
      digest({ action }),
      digest({}, {}),
      digest(),
    ];
    expect(new Set(others).size).toBe(others.length);
    expect(others.at(-1)).toBe('');
  });
});

function bogus() {
  return { ownershipValidation: validation({ status: 'bogus' }) };
}

function delegatedTo(...nameservers: CheckResult['observation']['ownership']['zone']['nameservers']): CheckResult {
  return { ...result({}), observation: observation(domain, 'example.com', { zone: { nameservers } }) };
}

describe('JSON of at most 8 KiB', () => {
  const size = (json: string) => Buffer.byteLength(json);

  test('has all of a result that fits', () => {
    const given = result({ seen: ['"ü"\u0000'] });
    const { findings, observation: seen } = toBoundedJson(given);
    expect({ findings: JSON.parse(findings), observation: unpackObservation(seen) }).toEqual(given);
  });

  test.for<[string, Parameters<typeof observation>[2]]>([
    ['looks that agree, and looks that differ', { ownership: [twice(txt('a')), [txt('a'), txt('b')], txt('a')] }],
    ['a record in a zone of its own', {}],
  ])('is read as it was: %s', ([what, seen]) => {
    const given = observation(domain, 'example.com', seen);
    if (what.startsWith('a record')) given.routing.zone = { ...given.routing.zone, apex: 'shop.example.com' };
    expect(unpackObservation(toBoundedJson({ findings: [], observation: given }).observation)).toEqual(given);
  });

  test.for([1, 100, 4000, 100_000])(
    'has the first findings, and never half of one (texts of %i characters)',
    (length) => {
      const long = Array.from({ length: 40 }, (_, i) => ({ name: `n${i}`, seen: Array(30).fill('ä'.repeat(length)) }));
      const { findings } = toBoundedJson(result(...long));
      expect(size(findings)).toBeLessThanOrEqual(8192);
      const names = (JSON.parse(findings) as Finding[]).map(({ name }) => name);
      expect(names).toEqual(long.slice(0, names.length).map(({ name }) => name));
      expect(names.length).toBeGreaterThan(0);
    },
  );

  test.for([100, 4000, 100_000])('names the record and its zone, whatever was seen (%i characters)', (length) => {
    const ownership = everywhere(txt(...Array(30).fill('\u0000'.repeat(length))));
    const given = { ...result(), observation: observation(domain, 'example.com', { ownership }) };
    const json = toBoundedJson(given).observation;
    expect(size(json)).toBeLessThanOrEqual(8192);
    expect(JSON.parse(json)).toMatchObject({ ownership: { zone: given.observation.ownership.zone } });
  });

  test('holds also where a zone has more nameservers than can be kept', () => {
    const ownNameservers = Array.from({ length: 99 }, (_, i) => `${i}.${'n'.repeat(60)}.${'s'.repeat(60)}.example`);
    const given = { ...result(), observation: observation(domain, 'example.com', { zone: { ownNameservers } }) };
    expect(size(toBoundedJson(given).observation)).toBeLessThanOrEqual(8192);
  });

  test('holds also where each record is in a zone of its own, whose nameservers have the longest names there are', () => {
    const label = '\\255'.repeat(62);
    const nameservers = Array.from({ length: 6 }, (_, i) => ({
      name: `${i}.${label}.${label}.${label}`,
      addresses: [],
    }));
    const given = { ...result(), observation: observation(domain, 'example.com', { zone: { nameservers } }) };
    const { ownership, routing } = given.observation;
    given.observation.ownership = { ...ownership, zone: { ...ownership.zone, apex: ownership.name } };
    given.observation.routing = { ...routing, zone: { ...routing.zone, nameservers: nameservers.toReversed() } };
    expect(size(toBoundedJson(given).observation)).toBeLessThanOrEqual(8192);
  });
});
