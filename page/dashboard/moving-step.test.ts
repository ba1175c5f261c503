import { describe, expect, it } from 'vitest';
import { en } from './languages/en.ts';
import { nextStep, timeLeft } from './moving-step.ts';
import { setDashboardTexts, TEXT, wordFor } from './text.ts';

setDashboardTexts(en);

const HOUR = 3_600_000;

describe('the board of a move', () => {
  it.each([
    ['some are not ready', { total: 10, readyToSwitch: 9, live: 0 }, 'wait'],
    ['all are ready', { total: 10, readyToSwitch: 10, live: 3 }, 'switch'],
    ['visitors reach all', { total: 10, readyToSwitch: 10, live: 10 }, 'done'],
  ])('says what comes next: %s', (_, counts, step) => {
    expect(nextStep(counts)).toBe(step);
  });

  const pace = { names: 240, windowMs: 3 * HOUR, cas: 1 };
  it.each([
    ['none waits', { waiting: 0, timeLeftMs: 0, pace }, null],
    ['the CA has no limit', { waiting: 3 }, null],
    [
      'all fit',
      { waiting: 3, timeLeftMs: 0, pace },
      '3 names wait for a certificate: all may be ordered now, at 240 new names per 3 hours.',
    ],
    [
      'many windows, two CAs',
      { waiting: 10_000, timeLeftMs: 62.4 * HOUR, pace: { ...pace, cas: 2 } },
      '10,000 names wait for a certificate: at most 3 days left, at 240 new names per 3 hours, at 2 CAs.',
    ],
    [
      'one name',
      { waiting: 1, timeLeftMs: 1, pace },
      '1 name waits for a certificate: at most 1 minute left, at 240 new names per 3 hours.',
    ],
  ])('says how long the last name waits at most: %s', (_, counts, sentence) => {
    expect(timeLeft(counts)).toBe(sentence);
  });

  it.each([
    ['budget_spent', 'It waits for the limits of the CA'],
    ['a_later_reason', 'a later reason'],
    ['constructor', 'constructor'],
  ])('has words for a reason, and for one of a later release: %s', (reason, words) => {
    expect(wordFor(TEXT.moving.reasons, reason)).toBe(words);
  });
});
