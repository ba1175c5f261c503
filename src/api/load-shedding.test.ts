import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Problem } from './errors.ts';
import { measureLoad } from './load-shedding.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** A load whose event loop is as late as the test says. */
function world() {
  let now = 0;
  const load = measureLoad({ inProgress: 2, latenessMs: 1000 }, () => now);
  /** The next sample, taken so much too late. */
  const sample = (lateMs: number) => {
    now += 250 + lateMs;
    vi.advanceTimersByTime(250);
  };
  return { load, sample };
}

describe('load', () => {
  it('admits nothing while as much as may be is in progress, and again as soon as something is done', () => {
    const { load } = world();
    load.begin();
    load.admit();
    load.begin();
    expect(() => load.admit()).toThrow(Problem);
    load.end();
    load.admit();
  });

  it('admits nothing while the event loop is late time after time, and again as soon as it is on time', () => {
    const { load, sample } = world();
    sample(1001);
    load.admit();
    sample(1001);
    expect(() => load.admit()).toThrow(expect.objectContaining({ status: 429, headers: { 'Retry-After': '1' } }));
    sample(1000);
    load.admit();
  });
});
