import { expect, test } from 'vitest';
import { LONGEST_WAIT_MS } from '../../domain/certificate-state.ts';
import { afterMs, backoffMs, circuitBreakerMs, recheckMs } from './backoff.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test.each([
  [1, MINUTE],
  [2, 10 * MINUTE],
  [3, 100 * MINUTE],
  [4, DAY],
  [5, DAY],
  [1000, DAY],
])('after %i failures in a row a name waits %i ms, and up to a fifth more', (failures, ms) => {
  expect(backoffMs(failures, 0)).toBe(ms);
  expect(backoffMs(failures, 0.999)).toBeGreaterThan(1.19 * ms);
  expect(backoffMs(failures, 0.999)).toBeLessThan(1.2 * ms);
});

test.each([
  ['where it is longer', 1, 3 * HOUR, 3 * HOUR],
  ['not where it is shorter', 3, 5 * MINUTE, 100 * MINUTE],
])('what the CA asks for counts %s', (_, failures, retryAfterMs, ms) => {
  expect(backoffMs(failures, 0, { retryAfterMs })).toBe(ms);
});

test('a name that cannot afford to wait for long is tried sooner, but not sooner than the CA asks for', () => {
  expect(backoffMs(7, 0, { atMostMs: HOUR })).toBe(HOUR);
  expect(backoffMs(1, 0, { atMostMs: HOUR })).toBe(MINUTE);
  expect(backoffMs(7, 0, { atMostMs: HOUR, retryAfterMs: 2 * HOUR })).toBe(2 * HOUR);
});

test('the wait that the CA asks for is kept, and ten minutes more at most', () => {
  for (const [ms, most] of [
    [HOUR, 10 * MINUTE],
    [10 * MINUTE, 2 * MINUTE],
    [DAY, 10 * MINUTE],
  ] as const) {
    expect(afterMs(ms, 0)).toBe(ms);
    expect(afterMs(ms, 0.999)).toBeLessThan(ms + most);
    expect(backoffMs(1, 0.999, { retryAfterMs: ms })).toBe(afterMs(ms, 0.999));
    expect(circuitBreakerMs(1, 0.999, ms)).toBe(afterMs(ms, 0.999));
  }
});

test('whatever a CA asks for, there is an end to every wait', () => {
  expect(backoffMs(1, 0.999, { retryAfterMs: 1000 * DAY })).toBe(LONGEST_WAIT_MS);
  expect(circuitBreakerMs(1, 0.999, 1000 * DAY)).toBe(LONGEST_WAIT_MS);
});

test.each([
  [0, MINUTE],
  [HOUR - 1, MINUTE],
  [HOUR, 10 * MINUTE],
  [DAY - 1, 10 * MINUTE],
  [DAY, HOUR],
  [365 * DAY, HOUR],
  // The clock was set back.
  [-DAY, MINUTE],
])('a name that has been waiting for its routing for %i ms is looked at again after %i ms', (since, ms) => {
  expect(recheckMs(since, 0)).toBe(ms);
  expect(recheckMs(since, 0.999)).toBeLessThan(1.2 * ms);
});

test('a CA in trouble rests for longer each time, up to a quarter of an hour, or as long as it asks for', () => {
  expect([1, 2, 3, 4, 5, 6, 100].map((troubles) => circuitBreakerMs(troubles, 0, null) / MINUTE)).toEqual([
    1, 2, 4, 8, 15, 15, 15,
  ]);
  expect(circuitBreakerMs(1, 0, 3 * HOUR)).toBe(3 * HOUR);
  expect(circuitBreakerMs(5, 0, 1000)).toBe(15 * MINUTE);
});
