import { expect, test } from 'vitest';
import { retryOwnFailureAt } from './own-failure.ts';
import { DELIVERY_WINDOW_MS } from './retry-schedule.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The times of all tries of a delivery that fails each time, in seconds from its creation: `most` of them. */
function triesOf(failure: 'busy' | 'secret' | 'error', most: number, random = 0): number[] {
  const times: number[] = [];
  for (let at: number | null = 0; at !== null && times.length < most; ) {
    times.push(at / SECOND_MS);
    at = retryOwnFailureAt(failure, 0, at, random);
  }
  return times;
}

test('a delivery that the program cannot send is tried less and less often, and given up after three days', () => {
  const times = triesOf('error', 1000);
  expect(times.slice(0, 6)).toEqual([0, 5, 10, 20, 40, 80]);
  const [last = 0, before = 0] = times.toReversed();
  expect(last).toBe(DELIVERY_WINDOW_MS / SECOND_MS);
  expect(last - before).toBeLessThanOrEqual((4 * HOUR_MS) / SECOND_MS);
  expect(times.length).toBeLessThan(40);
  expect(retryOwnFailureAt('error', 0, DELIVERY_WINDOW_MS + 1, 0)).toBeNull();
});

test('a delivery without a key is tried again within ten minutes of the key, and never given up', () => {
  const day = 24 * HOUR_MS;
  for (const age of [0, MINUTE_MS, HOUR_MS, day, 10 * day]) {
    const at = retryOwnFailureAt('secret', 0, age, 0) ?? Number.POSITIVE_INFINITY;
    expect(at - age).toBeGreaterThanOrEqual(5 * SECOND_MS);
    expect(at - age).toBeLessThanOrEqual(10 * MINUTE_MS);
  }
});

test('a delivery that found too many connections open is tried again after a second, whatever its age', () => {
  expect(triesOf('busy', 4)).toEqual([0, 1, 2, 3]);
  expect(retryOwnFailureAt('busy', 0, 10 * DELIVERY_WINDOW_MS, 0)).toBe(10 * DELIVERY_WINDOW_MS + SECOND_MS);
});

test('jitter adds a fifth at most', () => {
  expect(retryOwnFailureAt('secret', 0, 0, 0.999)).toBe(5999);
});
