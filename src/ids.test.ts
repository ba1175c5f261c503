import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { idMaker, pooled } from './ids.ts';

function at(times: number[]): { now(): number } {
  let calls = 0;
  return { now: () => times[Math.min(calls++, times.length - 1)] ?? 0 };
}

test('an id is its prefix and 26 letters and digits, as the specification wants ids to be', () => {
  expect(idMaker({ now: () => 1_800_000_000_000 })('dom')).toMatch(/^dom_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
});

test.each([
  ['within one millisecond', [5]],
  ['when the clock stands still for longer than its counter lasts', Array(10_000).fill(5)],
  ['when the clock steps back by hours', [50_000_000, 50_000_001, 1000, 1001, 50_000_000]],
  ['as time passes', Array.from({ length: 10_000 }, (_, i) => i)],
])('ids are in the order of their making, and none comes twice: %s', (_, times) => {
  const newId = idMaker(at(times));
  const ids = Array.from({ length: 10_000 }, () => newId('dom'));
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

test('two makers with one clock make different ids', () => {
  const clock = { now: () => 5 };
  expect(idMaker(clock)('dom')).not.toBe(idMaker(clock)('dom'));
});

test('random bytes that are taken many at a time are never given twice, and as many as asked for', () => {
  const take = pooled(randomBytes);
  const lengths = Array.from({ length: 3000 }, (_, i) => 16 + (i % 40));
  const taken = [...lengths, 10_000].map((length) => Buffer.from(take(length)));
  expect(taken.map(({ length }) => length)).toEqual([...lengths, 10_000]);
  expect(new Set(taken.map((bytes) => bytes.toString('hex', 0, 16))).size).toBe(taken.length);
});
