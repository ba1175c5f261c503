import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CHECK_INTERVAL_MS, furthestDueAt, nextCheckAt } from './schedule.ts';

const END = 86_400_000;

test('checks come about once a minute: one period, give or take a tenth', () => {
  expect(CHECK_INTERVAL_MS).toBe(60_000);
  expect(nextCheckAt(0, END, CHECK_INTERVAL_MS, 0)).toBe(54_000);
  expect(nextCheckAt(0, END, CHECK_INTERVAL_MS, 0.5)).toBe(60_000);
  expect(nextCheckAt(0, END, CHECK_INTERVAL_MS, 1 - Number.EPSILON)).toBe(66_000);
});

test('the last check comes exactly at the end of the window', () => {
  expect(nextCheckAt(END - 1, END, CHECK_INTERVAL_MS, 0.5)).toBe(END);
  expect(nextCheckAt(END - 54_000, END, CHECK_INTERVAL_MS, 0)).toBe(END);
});

test('a last check lost to a crash becomes due again', () => {
  expect(nextCheckAt(END, END, CHECK_INTERVAL_MS, 0.5)).toBe(END + 60_000);
});

test('the next check is in the future and, before the end of the window, never past it', () => {
  const moment = fc.integer({ min: 0, max: 2 * END });
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(moment, moment, random, (now, windowEndsAt, r) => {
      const next = nextCheckAt(now, windowEndsAt, CHECK_INTERVAL_MS, r);
      expect(next).toBeGreaterThan(now);
      if (now < windowEndsAt) expect(next).toBeLessThanOrEqual(windowEndsAt);
      expect(next - now).toBeLessThanOrEqual(66_000);
    }),
  );
});

test('a scheduled time is plausible to its own clock, and to one three minutes behind', () => {
  const latest = nextCheckAt(0, END, CHECK_INTERVAL_MS, 1 - Number.EPSILON);
  expect(latest).toBeLessThan(furthestDueAt(-3 * 60_000, CHECK_INTERVAL_MS));
  expect(latest).toBeGreaterThan(furthestDueAt(-5 * 60_000, CHECK_INTERVAL_MS));
});
