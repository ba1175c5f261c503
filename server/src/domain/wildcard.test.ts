import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Domain } from './domain.ts';
import { canonicalName } from './name.ts';
import { dnsRecords } from './records.ts';
import { anyNameOf, baseName, challengeRecordOf, isWildcard, wildcardOf } from './wildcard.ts';

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9]{0,20}[a-z0-9])?$/);
const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => [...labels, 'test'].join('.'));
const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

const domain = {
  kind: 'subdomain',
  service: 'service',
  target: 'k7q2m9x4.cname.example',
  token: 'Token',
  challengeZone: 'acme.example',
  sharedAddresses: null,
} as Domain;

describe('for every name', () => {
  test('the wildcard above serves the names one label below its base, and no others', () => {
    fc.assert(
      fc.property(name, label, (base, first) => {
        const wildcard = `*.${base}`;
        expect(wildcardOf(`${first}.${base}`)).toBe(wildcard);
        expect(wildcardOf(base)).not.toBe(wildcard);
        expect(wildcardOf(`a.${first}.${base}`)).not.toBe(wildcard);
      }),
    );
  });

  test('the name that a check asks for is one that the wildcard serves, and is a host name', () => {
    fc.assert(
      fc.property(name, fraction, (base, drawn) => {
        const asked = anyNameOf(`*.${base}`, () => drawn);
        expect(wildcardOf(asked)).toBe(`*.${base}`);
        expect(canonicalName(asked)).toBe(asked);
        expect(anyNameOf(base, () => drawn)).toBe(base);
      }),
    );
  });

  test('two looks ask for two names', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 2 ** 47 - 1 }), { minLength: 2, maxLength: 2 }), (drawn) => {
        const asked = drawn.map((each) => anyNameOf('*.acme.test', () => each / 2 ** 47));
        expect(new Set(asked).size).toBe(2);
      }),
    );
  });

  test('no record of a wildcard but its CNAME has a star in its name, and none but that is at a name it serves by itself', () => {
    fc.assert(
      fc.property(name, (base) => {
        const [routing, ...others] = dnsRecords({ ...domain, name: `*.${base}` });
        expect(routing.name).toBe(`*.${base}`);
        expect(others.map((record) => record.name)).toEqual([`_service.${base}`, `_acme-challenge.${base}`]);
      }),
    );
  });

  test('a wildcard keeps the zone for challenges that it was created with; any other domain has that of today', () => {
    fc.assert(
      fc.property(name, fc.option(name), (base, zone) => {
        const at = { name: `_acme-challenge.${base}` };
        const wildcard = challengeRecordOf({ ...domain, name: `*.${base}` }, zone);
        expect(wildcard).toEqual({ ...at, value: 'k7q2m9x4.acme.example' });
        const other = challengeRecordOf({ ...domain, name: base }, zone);
        expect(other).toEqual(zone === null ? null : { ...at, value: `k7q2m9x4.${zone}` });
      }),
    );
  });
});

test('a name that is too long for a challenge record has none', () => {
  const long = `${`${'a'.repeat(59)}.`.repeat(3)}${'b'.repeat(53)}.test`;
  expect(challengeRecordOf({ ...domain, name: long.slice(1) }, 'acme.example')?.name).toHaveLength(253);
  expect(challengeRecordOf({ ...domain, name: long }, 'acme.example')).toBeNull();
});

test('a host name directly below a top-level domain, and a name of one label, have no wildcard above', () => {
  expect([wildcardOf('acme.test'), wildcardOf('localhost')]).toEqual([null, null]);
});

test('only a whole first label is the star of a wildcard', () => {
  expect(['*.acme.test', 'a.*.test', '*acme.test', 'acme.test'].map(isWildcard)).toEqual([true, false, false, false]);
  expect(['*.acme.test', 'acme.test'].map(baseName)).toEqual(['acme.test', 'acme.test']);
});
