import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Problem } from './errors.ts';
import { createLoadShedder } from './load-shedding.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** A load shedder whose event loop is as late as the test says. */
function setUp() {
  let now = 0;
  const shedder = createLoadShedder({ inFlight: 2, eventLoopDelayMs: 1000 }, () => now);
  /** Takes the next sample, this late. */
  const sample = (lateMs: number) => {
    now += 250 + lateMs;
    vi.advanceTimersByTime(250);
  };
  return { shedder, sample };
}

describe('a load shedder', () => {
  it('admits nothing at its limit of requests in flight, and again as soon as one has ended', async () => {
    const { shedder } = setUp();
    void shedder.run(() => new Promise(() => {}));
    shedder.admit();
    for (const ends of ['resolve', 'reject'] as const) {
      const work = Promise.withResolvers<void>();
      const result = shedder.run(() => work.promise);
      expect(() => shedder.admit()).toThrow(Problem);
      work[ends]();
      await Promise.allSettled([result]);
      shedder.admit();
    }
  });

  it('admits nothing while the event loop is late twice in a row, and again as soon as it is on time', () => {
    const { shedder, sample } = setUp();
    sample(1001);
    shedder.admit();
    sample(1001);
    expect(() => shedder.admit()).toThrow(expect.objectContaining({ status: 429, headers: { 'Retry-After': '1' } }));
    sample(1000);
    shedder.admit();
  });
});
