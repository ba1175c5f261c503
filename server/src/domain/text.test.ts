import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { duration, joinList, quote, truncate, visible } from './text.ts';

describe('an untrusted text', () => {
  test.each([
    ['plain', '"plain"'],
    ['with "quotes" and \\', '"with \\"quotes\\" and \\\\"'],
    ['a\nb\u0000c', '"a\\u{a}b\\u{0}c"'],
    ['\u202egnp.exe', '"\\u{202e}gnp.exe"'],
    ['zero\u200bwidth', '"zero\\u{200b}width"'],
    ['ünïcode ✓', '"ünïcode ✓"'],
    ['\u0301x', '"\\u{301}x"'],
    ['', '""'],
  ])('%j is quoted as %s', (text, expected) => {
    expect(quote(text)).toBe(expected);
  });

  test('is cut after 100 characters, with an ellipsis', () => {
    expect(quote('x'.repeat(100))).toBe(`"${'x'.repeat(100)}"`);
    expect(quote('x'.repeat(101))).toBe(`"${'x'.repeat(100)}…"`);
    expect(quote('x'.repeat(1_000_000))).toBe(`"${'x'.repeat(100)}…"`);
    expect(quote('x'.repeat(1000), 300)).toBe(`"${'x'.repeat(300)}…"`);
  });

  test('is shown without quotation marks where it is a value, with the same characters escaped', () => {
    expect(visible('a "b" \\ ünïcode \u202egnp\u0000')).toBe('a "b" \\ ünïcode \\u{202e}gnp\\u{0}');
  });

  test('never contains a control, format or bidirectional character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(quote(text) + visible(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u);
      }),
    );
  });
});

describe('a truncated text', () => {
  test('of 512 characters stays as it is; of 513 is cut at a word, with an ellipsis', () => {
    const words = 'word '.repeat(102);
    expect(truncate(`${words}ab`)).toBe(`${words}ab`);
    const cut = truncate(`${words}abc`);
    expect(cut).toBe(`${words.trimEnd()}…`);
  });

  test('has at most 512 characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2000, size: 'max' }), (text) => {
        expect([...truncate(text)].length).toBeLessThanOrEqual(512);
      }),
    );
  });
});

test.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a and b'],
  [['a', 'b', 'c'], 'a, b and c'],
  [['a', 'b', 'c', 'd', 'e'], 'a, b, c and 2 more'],
])('the list %j reads "%s"', (items, expected) => {
  expect(joinList(items)).toBe(expected);
});

test.each([
  [86_400_000, '24 hours'],
  [3_600_000, '1 hour'],
  [90_000, '90 seconds'],
  [60_000, '1 minute'],
  [1500, '1500 milliseconds'],
])('%i ms is %s', (ms, expected) => {
  expect(duration(ms)).toBe(expected);
});
