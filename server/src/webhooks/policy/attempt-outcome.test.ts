import { expect, test } from 'vitest';
import { outcomeOfStatus, retryAfterMsOf } from './attempt-outcome.ts';

test.each([
  [200, 'delivered'],
  [202, 'delivered'],
  [204, 'delivered'],
  [299, 'delivered'],
  [300, 'redirect'],
  [302, 'redirect'],
  [308, 'redirect'],
  [400, 'status'],
  [404, 'status'],
  // A wrong route of a proxy gives the same status: it is no reason to give up an event or a webhook.
  [410, 'status'],
  [500, 'status'],
  [999, 'status'],
] as const)('%i is %s', (status, outcome) => {
  expect(outcomeOfStatus(status)).toBe(outcome);
});

test('Retry-After is seconds or a date, and only counts with 429 and 503', () => {
  const now = Date.UTC(2026, 10, 22, 12);
  expect(retryAfterMsOf(429, '120', now)).toBe(120_000);
  expect(retryAfterMsOf(503, 'Sun, 22 Nov 2026 12:00:30 GMT', now)).toBe(30_000);
  expect(retryAfterMsOf(503, 'Sun, 22 Nov 2026 11:00:30 GMT', now)).toBeNull();
  expect(retryAfterMsOf(503, 'soon', now)).toBeNull();
  expect(retryAfterMsOf(503, undefined, now)).toBeNull();
  expect(retryAfterMsOf(500, '120', now)).toBeNull();
});
