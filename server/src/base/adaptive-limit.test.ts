import { expect, it } from 'vitest';
import { type AdaptiveLimit, adaptiveLimit } from './adaptive-limit.ts';

function after(max: number, latenesses: number[]): AdaptiveLimit {
  const limit = adaptiveLimit(max);
  for (const ms of latenesses) limit.adjust(ms);
  return limit;
}

const times = (count: number, ms: number): number[] => Array(count).fill(ms);

it('reaches the maximum while the event loop is on time', () => {
  expect(after(2000, times(200, 1)).available(0)).toBe(2000);
  expect(after(2000, times(500, 10)).available(1500)).toBe(500);
  expect(after(30, []).available(0)).toBe(30);
});

it('decreases by a factor while the event loop is late, down to a minimum', () => {
  expect(after(2000, [...times(200, 1), 11]).available(0)).toBe(1400);
  expect(after(2000, [...times(200, 1), 11, 11]).available(0)).toBe(980);
  expect(after(2000, [...times(200, 1), ...times(100, 500)]).available(0)).toBe(10);
  expect(after(5, times(100, 500)).available(0)).toBe(5);
});

it('increases by steps again', () => {
  expect(after(2000, [...times(100, 500), 1, 1, 1]).available(0)).toBe(40);
});
