import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { element, explicit, integer, octetString, oid, readElements, readInside, sequence, TAGS, time } from './der.ts';

const hex = (octets: Buffer) => octets.toString('hex');

describe('DER', () => {
  test.each([
    ['1.2.840.10045.4.3.2', '06082a8648ce3d040302'],
    ['2.5.29.17', '0603551d11'],
    ['1.3.6.1.5.5.7.3.1', '06082b06010505070301'],
  ])('object identifier %s', (dotted, written) => {
    expect(hex(oid(dotted))).toBe(written);
  });

  test.each([
    [[0], '020100'],
    [[0, 0, 1], '020101'],
    [[0x7f], '02017f'],
    [[0x80], '02020080'],
    [[0x87, 0x65, 0x43, 0x21], '02050087654321'],
  ])('number %j is as short as it can be, and never negative', (octets, written) => {
    expect(hex(integer(octets))).toBe(written);
  });

  test.each([
    ['2026-11-21T01:02:03.999Z', TAGS.utcTime, '261121010203Z'],
    ['2049-12-31T23:59:59Z', TAGS.utcTime, '491231235959Z'],
    ['2050-01-01T00:00:00Z', TAGS.generalizedTime, '20500101000000Z'],
  ])('time %s', (moment, tag, written) => {
    expect(time(Date.parse(moment))).toEqual(element(tag, Buffer.from(written)));
  });

  test.each([0, 1, 127, 128, 255, 256, 65_535, 65_536, 100_000])(
    'a content of %i octets is read as it was written',
    (length) => {
      const content = Buffer.alloc(length, 7);
      const written = octetString(content);
      expect(readElements(written)).toEqual([{ tag: 0x04, content, whole: written }]);
    },
  );

  test('nested elements', () => {
    const written = sequence(explicit(3, sequence(integer([1]), integer([2]))), integer([3]));
    const [first, second] = readInside(written);
    expect(second?.whole).toEqual(integer([3]));
    expect(readInside(first?.content ?? Buffer.alloc(0)).map(({ content }) => hex(content))).toEqual(['01', '02']);
  });

  test('anything else, and only that, is refused', () => {
    const octets = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc
        .tuple(fc.uint8Array({ maxLength: 300 }), fc.nat(300))
        .map(([content, cut]) => element(0x30, content).subarray(0, cut)),
    );
    fc.assert(
      fc.property(octets, (some) => {
        try {
          const lengths = readElements(some).map(({ whole }) => whole.length);
          expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(some.length);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});
