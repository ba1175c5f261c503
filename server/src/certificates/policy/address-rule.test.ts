import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AddressPolicy, addressPolicy, type JudgedAddress, toleratedAddresses } from './address-rule.ts';

const NOW = 1_800_000_000_000;
const DAY_MS = 86_400_000;

describe('which addresses have to answer', () => {
  test.each<[AddressPolicy, string, number | null, AddressPolicy]>([
    ['any', 'a name that no CA failed to validate', null, 'any'],
    ['any', 'a name that a CA has just failed to validate', NOW, 'all'],
    ['any', 'the last millisecond of the day after that', NOW - DAY_MS + 1, 'all'],
    ['any', 'the time from then on', NOW - DAY_MS, 'any'],
    ['any', 'a failure that another node has written, whose clock is ahead', NOW + 1000, 'all'],
    ['any', 'a failure that a clock has written which was wrong', NOW + 2 * DAY_MS, 'any'],
    ['all', 'every name', null, 'all'],
    ['all', 'a name that a CA failed to validate long ago', 0, 'all'],
  ])('with `%s`, for %s', (configured, _, failedAt, expected) => {
    expect(addressPolicy(configured, failedAt, NOW)).toBe(expected);
  });
});

const KINDS = {
  ours: { outcome: 'ours', responded: true, noRoute: false },
  another: { outcome: 'another', responded: true, noRoute: false },
  garbled: { outcome: 'unreachable', responded: true, noRoute: false },
  dead: { outcome: 'unreachable', responded: false, noRoute: false },
  'no route': { outcome: 'unreachable', responded: false, noRoute: true },
  'not public': { outcome: 'not_public', responded: false, noRoute: false },
} as const;
type Kind = keyof typeof KINDS;

/** Each argument is the family of an address and its kind, such as `4 ours`. */
function addressesOf(...about: string[]): JudgedAddress[] {
  return about.map((one, index) => {
    const [family, ...kind] = one.split(' ');
    return { address: `${family === '6' ? '2001:db8::' : '192.0.2.'}${index + 1}`, ...KINDS[kind.join(' ') as Kind] };
  });
}

describe('an address that does not answer', () => {
  test.each<[string[], number[], number[]]>([
    // The addresses; which of them are tolerated with `any`, and with `all`.
    [['4 ours'], [], []],
    [['4 ours', '4 ours'], [], []],
    [['4 dead'], [], []],
    [['4 dead', '4 dead'], [], []],
    [['4 ours', '4 dead'], [1], []],
    [['4 dead', '4 ours', '4 dead'], [0, 2], []],
    [['6 ours', '6 dead'], [1], []],
    [['4 ours', '6 dead'], [], []],
    [['6 ours', '4 dead'], [], []],
    [['4 ours', '6 dead', '6 ours'], [1], []],
    [['4 dead', '4 ours', '6 dead'], [0], []],
    [['4 ours', '4 garbled'], [], []],
    [['4 ours', '4 another'], [], []],
    [['4 ours', '4 not public'], [], []],
    [['4 another', '4 dead'], [], []],
    [['4 ours', '4 another', '4 dead'], [2], []],
    [['4 ours', '6 no route'], [1], [1]],
    [['4 ours', '4 no route'], [1], [1]],
    [['6 no route'], [], []],
    [['4 dead', '6 no route'], [], []],
  ])('%j: tolerated are %j, where all have to answer %j', (about, any, all) => {
    const addresses = addressesOf(...about);
    const at = (policy: AddressPolicy) => toleratedAddresses(addresses, policy).map((one) => addresses.indexOf(one));
    expect([at('any'), at('all')]).toEqual([any, all]);
  });

  const anyAddress = fc.record({
    address: fc.oneof(fc.ipV4(), fc.ipV6()),
    kind: fc.constantFrom(...(Object.keys(KINDS) as Kind[])),
  });
  const anyAddresses = fc
    .uniqueArray(anyAddress, { selector: ({ address }) => address, maxLength: 8 })
    .map((list) => list.map(({ address, kind }): JudgedAddress => ({ address, ...KINDS[kind] })));
  const isIpv6 = ({ address }: JudgedAddress) => address.includes(':');

  test('of any set of addresses: none that answered is tolerated, none without one of ours in its family, unless this machine has no route there', () => {
    fc.assert(
      fc.property(anyAddresses, (addresses) => {
        const ours = addresses.filter(({ outcome }) => outcome === 'ours');
        for (const one of toleratedAddresses(addresses, 'any')) {
          expect(one).toMatchObject({ outcome: 'unreachable', responded: false });
          expect(ours.some((other) => one.noRoute || isIpv6(other) === isIpv6(one))).toBe(true);
        }
      }),
    );
  });

  test('of any set of addresses: `all` tolerates nothing that `any` does not, and the order of the addresses does not matter', () => {
    fc.assert(
      fc.property(anyAddresses, (addresses) => {
        const any = toleratedAddresses(addresses, 'any');
        for (const one of toleratedAddresses(addresses, 'all')) expect(any).toContain(one);
        const reversed = toleratedAddresses(addresses.toReversed(), 'any');
        expect(new Set(reversed)).toEqual(new Set(any));
      }),
    );
  });
});
