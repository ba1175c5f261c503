import { describe, expect, test } from 'vitest';
import { lifetimeWindow } from '../../domain/certificate-state.ts';
import {
  emergencyAt,
  isExempt,
  longestBackoffMs,
  nextDueAt,
  quietUntil,
  suggestedWindow,
  unchangedWindow,
  urgencyOf,
} from './renewal.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = 1_800_000_000_000;

/** A certificate of so many days, issued now. */
function issued(days: number) {
  const validity = { notBefore: NOW, notAfter: NOW + days * DAY };
  return { ...validity, issuedAt: NOW, renewal: lifetimeWindow(validity, NOW, 0.5, true) };
}

function suggestion(startsAt: number, endsAt: number, retryAfterMs = 6 * HOUR) {
  return { startsAt, endsAt, retryAfterMs, explanationUrl: null };
}

describe('without a suggestion', () => {
  test.each([90, 64, 45, 6, 1])('a certificate of %i days is renewed with a third of its lifetime left', (days) => {
    const third = (days * DAY) / 3;
    for (const random of [0, 0.5, 0.999]) {
      const { renewAt, source, startsAt } = lifetimeWindow(issued(days), NOW, random, true);
      expect(source).toBe('lifetime');
      expect(startsAt).toBe(NOW + 2 * third);
      expect(renewAt).toBeGreaterThanOrEqual(startsAt);
      expect(renewAt).toBeLessThan(startsAt + third / 10);
    }
  });

  test('the CA is asked for one within the hour, unless it gives none', () => {
    expect(lifetimeWindow(issued(90), NOW, 0.5, true).askAgainAt).toBe(NOW + HOUR / 2);
    expect(lifetimeWindow(issued(90), NOW, 0.5, false).askAgainAt).toBe(null);
  });
});

describe("within the CA's window", () => {
  const start = NOW + 50 * DAY;
  const end = NOW + 52 * DAY;

  test('the moment is drawn evenly', () => {
    expect(suggestedWindow(issued(90), suggestion(start, end), NOW, 0).renewAt).toBe(start);
    expect(suggestedWindow(issued(90), suggestion(start, end), NOW, 0.5).renewAt).toBe(NOW + 51 * DAY);
    expect(suggestedWindow(issued(90), suggestion(start, end), NOW, 0.999).renewAt).toBeLessThan(end);
  });

  test('the moment is drawn once, and anew where the window moves', () => {
    const certificate = issued(90);
    const renewal = suggestedWindow(certificate, suggestion(start, end), NOW, 0.25);
    const again = suggestedWindow({ ...certificate, renewal }, suggestion(start, end), NOW + DAY, 0.75);
    expect(again).toEqual({ ...renewal, askAgainAt: NOW + DAY + 6 * HOUR });
    const moved = suggestedWindow({ ...certificate, renewal }, suggestion(start - DAY, end), NOW + DAY, 0.75);
    expect(moved.renewAt).toBe(start - DAY + 0.75 * 3 * DAY);
  });

  test('a window that has passed is now', () => {
    const now = NOW + 30 * DAY;
    const { renewAt } = suggestedWindow(issued(90), suggestion(now - 2 * DAY, now - DAY), now, 0.5);
    expect(renewAt).toBeLessThan(now);
  });

  test.each([
    [90, 6 * HOUR],
    [45, 6 * HOUR],
    [1, (24 * HOUR) / 10],
  ])('but a certificate of %i days is not replaced before it is %i ms old', (days, ms) => {
    expect(suggestedWindow(issued(days), suggestion(NOW - 2 * DAY, NOW - DAY), NOW, 0.5).renewAt).toBe(NOW + ms);
  });

  test('however late it is, the emergency comes first', () => {
    const certificate = issued(90);
    const late = suggestion(NOW + 85 * DAY, NOW + 95 * DAY);
    expect(suggestedWindow(certificate, late, NOW, 0.9).renewAt).toBe(emergencyAt(certificate));
  });

  test.each([
    ['ends before it begins', end, start],
    ['is none', Number.NaN, Number.NaN],
  ])('what %s changes nothing', (_, startsAt, endsAt) => {
    const certificate = issued(90);
    const renewal = suggestedWindow(certificate, suggestion(startsAt, endsAt), NOW, 0.5);
    expect(renewal).toEqual({ ...certificate.renewal, askAgainAt: NOW + 6 * HOUR });
  });

  test.each([
    [1000, MINUTE],
    [6 * HOUR, 6 * HOUR],
    [30 * DAY, DAY],
  ])('asked again after %i ms, the CA is asked after %i ms', (retryAfterMs, ms) => {
    expect(suggestedWindow(issued(90), suggestion(start, end, retryAfterMs), NOW, 0.5).askAgainAt).toBe(NOW + ms);
  });

  test('a CA that could not be asked is asked after an hour or two, and the window stays', () => {
    const { renewal } = issued(90);
    expect(unchangedWindow(renewal, NOW, 0.5)).toEqual({ ...renewal, askAgainAt: NOW + 1.5 * HOUR });
  });
});

test('something is done about a certificate when it is to be renewed or its CA to be asked, and it is looked at daily', () => {
  const { renewal } = issued(90);
  expect(nextDueAt({ ...renewal, renewAt: NOW + HOUR, askAgainAt: NOW + 2 * HOUR }, NOW)).toBe(NOW + HOUR);
  expect(nextDueAt({ ...renewal, renewAt: NOW + 3 * HOUR, askAgainAt: NOW + 2 * HOUR }, NOW)).toBe(NOW + 2 * HOUR);
  expect(nextDueAt({ ...renewal, askAgainAt: null }, NOW)).toBe(NOW + DAY);
});

describe('an emergency', () => {
  test.each([
    [90, 9],
    [64, 6.4],
    [45, 4.5],
    [10, 1],
    [6, 1],
    [3, 0.75],
    [1, 0.25],
  ])('of a certificate of %d days begins %d days before its end', (days, left) => {
    expect(emergencyAt(issued(days))).toBe(NOW + (days - left) * DAY);
  });

  test('differs from an ordinary renewal, and from a name without a certificate', () => {
    expect(urgencyOf(null, NOW)).toBe('new');
    expect(urgencyOf(issued(90), NOW + 80 * DAY)).toBe('renewal');
    expect(urgencyOf(issued(90), NOW + 81 * DAY)).toBe('emergency');
    expect(urgencyOf(issued(90), NOW + 91 * DAY)).toBe('emergency');
  });

  test('is not slept through', () => {
    expect(quietUntil(issued(90), NOW)).toBe(NOW + 81 * DAY);
    expect(quietUntil(issued(90), NOW + 81 * DAY)).toBe(Number.POSITIVE_INFINITY);
    expect(quietUntil(null, NOW)).toBe(Number.POSITIVE_INFINITY);
  });

  test('bounds the back-off: until it starts, and to an hour or a tenth of its length from then on', () => {
    expect(longestBackoffMs(null, NOW)).toBe(Number.POSITIVE_INFINITY);
    expect(longestBackoffMs(issued(90), NOW)).toBe(81 * DAY);
    expect(longestBackoffMs(issued(90), NOW + 81 * DAY)).toBe(HOUR);
    expect(longestBackoffMs(issued(1), NOW + 0.75 * DAY)).toBe(0.6 * HOUR);
  });
});

test('a renewal counts as announced within the window of the CA only', () => {
  const { renewal } = issued(90);
  const ari = { ...renewal, source: 'ari' as const, startsAt: NOW, endsAt: NOW + DAY };
  expect([NOW - 1, NOW, NOW + DAY - 1, NOW + DAY].map((now) => isExempt(ari, now))).toEqual([false, true, true, false]);
  expect(isExempt({ ...ari, source: 'lifetime' }, NOW)).toBe(false);
});
