import { expect, test } from 'vitest';
import { DELIVERY_WINDOW_MS, failingRule, nextAttemptAt } from './retry-schedule.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;

/** The times of all attempts of a delivery whose receiver never answers, in ms from its creation. */
function attemptsOf(random: number, retryAfterMs: number | null = null): number[] {
  const times: number[] = [];
  for (let at: number | null = 0; at !== null; ) {
    times.push(at);
    at = nextAttemptAt({ createdAt: 0, attempts: times.length, retryAfterMs }, at, random);
  }
  return times;
}

test('a delivery is retried after seconds, then minutes, then hours, and for the last time a minute after three days', () => {
  const times = attemptsOf(0);
  const hours = times.map((ms) => ms / HOUR_MS);
  expect(hours.slice(0, 8).map((at) => Math.round(at * 3600))).toEqual([0, 5, 35, 155, 755, 2555, 6155, 13_355]);
  const [last = 0, before = 0] = times.slice(-2).toReversed();
  expect(last).toBe(72 * HOUR_MS + 60 * SECOND_MS);
  expect(last - before).toBeLessThanOrEqual(4 * HOUR_MS);
  expect(hours).toHaveLength(26);
});

test('jitter adds a fifth at most, and the window stays three days', () => {
  const [, first, second] = attemptsOf(0.999);
  expect(first).toBeGreaterThan(5.99 * SECOND_MS);
  expect(first).toBeLessThanOrEqual(6 * SECOND_MS);
  expect(second).toBeLessThanOrEqual(42 * SECOND_MS);
  expect(attemptsOf(0.999).at(-1)).toBe(DELIVERY_WINDOW_MS);
});

test('a receiver that asks for a longer wait gets it, four hours at most; one that asks for a shorter wait does not', () => {
  expect(attemptsOf(0, 60 * SECOND_MS).slice(0, 4)).toEqual([0, 60_000, 120_000, 240_000]);
  expect(attemptsOf(0, 1000 * HOUR_MS)[1]).toBe(4 * HOUR_MS);
});

test('a delivery is given up by the first attempt that fails when the window has ended, to the millisecond', () => {
  const old = { createdAt: 0, attempts: 20, retryAfterMs: null };
  expect(nextAttemptAt(old, DELIVERY_WINDOW_MS, 0)).toBeNull();
  expect(nextAttemptAt(old, DELIVERY_WINDOW_MS - 1, 0)).toBe(DELIVERY_WINDOW_MS);
});

test('a webhook that fails from the minute of an event on has failed for three days when the event is given up', () => {
  for (const failingSince of [0, 1, 59_999, 60_000]) {
    expect(failingRule(DELIVERY_WINDOW_MS).disableIfFailingSince).toBeGreaterThanOrEqual(failingSince);
  }
  expect(failingRule(DELIVERY_WINDOW_MS).disableIfFailingSince).toBeLessThan(60_001);
});

test('failures are taken together as long as retries go on, whatever wait the receiver asks for', () => {
  const retries = [attemptsOf(0.999), attemptsOf(0.999, 1000 * HOUR_MS)];
  for (const times of retries) {
    times.slice(1).forEach((at, i) => {
      expect(failingRule(at).startAgainIfQuietSince).toBeLessThanOrEqual(times[i] ?? 0);
    });
  }
  expect(failingRule(24 * HOUR_MS).startAgainIfQuietSince).toBeGreaterThan(0);
});
