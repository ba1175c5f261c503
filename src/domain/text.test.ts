import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bounded, duration, listed, shown, shownUpTo } from './text.ts';

describe("a stranger's text", () => {
  test.each([
    ['plain', '"plain"'],
    ['with "quotes" and \\', '"with \\"quotes\\" and \\\\"'],
    ['a\nb\u0000c', '"a\\u{a}b\\u{0}c"'],
    ['\u202egnp.exe', '"\\u{202e}gnp.exe"'],
    ['zero\u200bwidth', '"zero\\u{200b}width"'],
    ['ünïcode ✓', '"ünïcode ✓"'],
    ['\u0301x', '"\\u{301}x"'],
    ['', '""'],
  ])('%j is shown as %s', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  test('is cut after 100 characters, and says so', () => {
    expect(shown('x'.repeat(100))).toBe(`"${'x'.repeat(100)}"`);
    expect(shown('x'.repeat(101))).toBe(`"${'x'.repeat(100)}…"`);
    expect(shown('x'.repeat(1_000_000))).toBe(`"${'x'.repeat(100)}…"`);
    expect(shownUpTo(300, 'x'.repeat(1000))).toBe(`"${'x'.repeat(300)}…"`);
  });

  test('never shows a control, format or bidirectional character, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(shown(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u);
      }),
    );
  });
});

describe('a bounded text', () => {
  test('of 512 characters stays as it is; of 513 is cut at a word, with an ellipsis', () => {
    const words = 'word '.repeat(102);
    expect(bounded(`${words}ab`)).toBe(`${words}ab`);
    const cut = bounded(`${words}abc`);
    expect(cut).toBe(`${words.trimEnd()}…`);
  });

  test('has at most 512 characters, counted as characters, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2000, size: 'max' }), (text) => {
        expect([...bounded(text)].length).toBeLessThanOrEqual(512);
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
  expect(listed(items)).toBe(expected);
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
