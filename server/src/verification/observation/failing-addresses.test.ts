import { expect, test } from 'vitest';
import { FAILURES_AN_HOUR, failingAddresses } from './failing-addresses.ts';

const HOUR_MS = 3_600_000;
const VICTIM = '203.0.113.7';

/** Looks once a second for so many hours; the number of looks that were made in each. */
function looksIn(hours: number, subject = failingAddresses()): number[] {
  return Array.from({ length: hours }, (_, hour) => {
    let looks = 0;
    for (let now = hour * HOUR_MS; now < (hour + 1) * HOUR_MS; now += 1000) {
      if (!subject.mayLook(VICTIM, now)) continue;
      subject.record(VICTIM, false, now);
      looks += 1;
    }
    return looks;
  });
}

test('an address that never reaches us is looked at twice as often as the limit in the first hour, and then as often', () => {
  expect(looksIn(4)).toEqual([2 * FAILURES_AN_HOUR, FAILURES_AN_HOUR, FAILURES_AN_HOUR, FAILURES_AN_HOUR]);
});

test('an address that reaches us has no limit from then on, and others do not count for it', () => {
  const subject = failingAddresses();
  looksIn(1, subject);
  const now = HOUR_MS - 1;
  expect([subject.mayLook(VICTIM, now), subject.mayLook('203.0.113.8', now)]).toEqual([false, true]);
  subject.record(VICTIM, true, now);
  for (let i = 0; i < FAILURES_AN_HOUR; i += 1) {
    expect(subject.mayLook(VICTIM, now)).toBe(true);
    subject.record(VICTIM, false, now);
  }
  expect(subject.mayLook(VICTIM, now)).toBe(false);
});
