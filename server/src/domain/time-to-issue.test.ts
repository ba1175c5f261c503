import fc from 'fast-check';
import { expect, test } from 'vitest';
import { timeToIssue } from './time-to-issue.ts';

const HOUR_MS = 3_600_000;
const LIMIT = { limit: 300, windowMs: 3 * HOUR_MS };

test.each([
  ['no name takes no time', 0, 240, 1, 0],
  ['240 names may be ordered at once', 240, 0, 1, 0],
  ['the next name waits for the next window', 241, 0, 1, 3],
  ['a budget that is spent is free again after its window', 1, 240, 1, 3],
  ['renewals may have spent more than new names may', 1, 285, 1, 3],
  ['1,000 names take 12 hours at one CA', 1000, 0, 1, 12],
  ['1,000 names take 6 hours at two', 1000, 0, 2, 6],
  ['10,000 names take about 125 hours at one CA', 10_000, 0, 1, 123],
  ['10,000 names take no more than 126 where its budget is spent', 10_000, 240, 1, 126],
  ['10,000 names take half of that at two CAs', 10_000, 0, 2, 60],
  ['2,000 of 10,000 names take a fifth, where the others brought their certificates', 2000, 0, 1, 24],
])('%s', (_, waiting, spent, cas, expected) => {
  expect(timeToIssue(waiting, spent, { ...LIMIT, cas }) / HOUR_MS).toBe(expected);
});

test('a CA that takes one order in a window takes one new name', () => {
  expect(timeToIssue(3, 0, { limit: 1, windowMs: HOUR_MS, cas: 1 })).toBe(2 * HOUR_MS);
});

test('no order of a sliding window, made as soon as it may be, is later', () => {
  const spent = fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 30 });
  fc.assert(
    fc.property(fc.nat(60), spent, fc.integer({ min: 1, max: 12 }), (waiting, ages, limit) => {
      const perWindow = Math.max(1, Math.floor(limit * 0.8));
      const orders = ages.map((age) => -age).sort((a, b) => a - b);
      let last = 0;
      for (let name = 0; name < waiting; name++) {
        const blocking = orders.at(-perWindow);
        last = Math.max(last, blocking === undefined ? 0 : blocking + 100);
        orders.push(last);
      }
      const counted = ages.filter((age) => age < 100).length;
      const bound = timeToIssue(waiting, counted, { limit, windowMs: 100, cas: 1 });
      expect(bound).toBeGreaterThanOrEqual(last);
    }),
  );
});
