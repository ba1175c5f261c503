import { expect, it } from 'vitest';
import { inWords, lasting } from './time.tsx';

const HOUR = 3_600_000;

it.each([
  [-10_000, 'this minute'],
  [-90_000, '1 minute ago'],
  [-2 * HOUR, '2 hours ago'],
  [-24 * HOUR, 'yesterday'],
  [25 * HOUR, 'tomorrow'],
  [30 * 24 * HOUR, 'next month'],
])('a time that is %d ms away is said as a person would: %s', (distance, words) => {
  expect(inWords(distance, 0)).toBe(words);
});

it('a duration is never said to be shorter than it is', () => {
  expect([lasting(1), lasting(61 * 60_000), lasting(25 * HOUR)]).toEqual(['1 minute', '2 hours', '2 days']);
});
