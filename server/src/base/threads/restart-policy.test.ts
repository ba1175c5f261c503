import { expect, it } from 'vitest';
import { NO_RESTARTS, nextRestart, type Restarts } from './restart-policy.ts';

/** The delays until a thread that lived so long each time is started again, in ms; null: it is given up. */
function delaysAfter(...livesMs: number[]): (number | null)[] {
  let last: Restarts | null = NO_RESTARTS;
  return livesMs.map((livedMs) => {
    last = last === null ? null : nextRestart(last, livedMs);
    return last === null ? null : last.delayMs;
  });
}

it('a thread is replaced after a second, later each time that it dies again within ten seconds, after ten seconds at most', () => {
  expect(delaysAfter(10, 10, 10, 10, 10, 10, 10_000, 10)).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000, 1000, 2000]);
});

it('a thread that dies ten times in a row within ten seconds of its start is given up', () => {
  const nine = Array.from({ length: 9 }, () => 9999);
  expect(delaysAfter(...nine).every((delay) => delay !== null)).toBe(true);
  expect(delaysAfter(...nine, 9999).at(-1)).toBeNull();
  expect(delaysAfter(...nine, 10_000, ...nine).at(-1)).not.toBeNull();
});
