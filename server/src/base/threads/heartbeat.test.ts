import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { nextMissed, watchHeartbeat } from './heartbeat.ts';

/** Heartbeats after which the thread hangs, if it answers as given and then no more; at most 1000. */
function beatsUntilHung(...answers: boolean[]): number | null {
  let missed: number | null = 0;
  for (let beats = 1; beats <= 1000; beats += 1) {
    missed = nextMissed(missed, answers[beats - 1] ?? false);
    if (missed === null) return beats;
  }
  return null;
}

it('a thread hangs when it has missed twelve heartbeats in a row', () => {
  expect(beatsUntilHung()).toBe(12);
  expect(beatsUntilHung(true)).toBe(13);
  expect(beatsUntilHung(...Array(11).fill(false), true)).toBe(24);
  expect(beatsUntilHung(...Array(1000).fill(true))).toBeNull();
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A thread that answers when the test says so, and when it was terminated, ms after it was ready. */
function setUp() {
  const { promise: ready, resolve: isReady } = Promise.withResolvers<void>();
  const { promise: exited, resolve: hasExited } = Promise.withResolvers<unknown>();
  const answers: (() => void)[] = [];
  const terminated: [atMs: number, reason: string | undefined][] = [];
  let readyAt = 0;
  watchHeartbeat({
    ready,
    exited,
    ping: () => new Promise((resolve) => void answers.push(resolve)),
    terminate(reason) {
      terminated.push([Date.now() - readyAt, reason?.message]);
      hasExited(reason);
    },
  } as Parameters<typeof watchHeartbeat>[0]);
  return {
    terminated,
    answer: () => answers.splice(0).forEach((resolve) => void resolve()),
    async becomeReady() {
      readyAt = Date.now();
      isReady();
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}

it('a thread that does not answer is terminated after a minute, once', async () => {
  const { terminated, becomeReady } = setUp();
  await vi.advanceTimersByTimeAsync(600_000);
  await becomeReady();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(terminated).toEqual([[65_000, 'the thread has not answered for 60 seconds']]);
});

it('a thread that answers late, again and again, goes on', async () => {
  const { terminated, becomeReady, answer } = setUp();
  await becomeReady();
  for (let i = 0; i < 20; i += 1) {
    await vi.advanceTimersByTimeAsync(55_000);
    answer();
  }
  expect(terminated).toEqual([]);
});

it('a thread does not count as hanging while the whole process is suspended, however long', async () => {
  const { terminated, becomeReady, answer } = setUp();
  await becomeReady();
  await vi.advanceTimersByTimeAsync(5000);
  for (let i = 0; i < 20; i += 1) {
    // Then the timers of the process fire once, and the thread answers.
    vi.setSystemTime(Date.now() + 3_600_000);
    await vi.advanceTimersToNextTimerAsync();
    answer();
    await vi.advanceTimersByTimeAsync(5000);
  }
  expect(terminated).toEqual([]);
});
