import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { pause } from './retry.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a pause of more than a timer can measure is no shorter for that', async () => {
  const ended = vi.fn();
  void pause(2 ** 33).then(ended);
  await vi.advanceTimersByTimeAsync(24 * 86_400_000);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(86_400_000);
  expect(ended).toHaveBeenCalled();
});

it('a pause ends at once with its signal, whose reason it throws', async () => {
  const stop = new AbortController();
  const pausing = pause(60_000, stop.signal);
  stop.abort(new Error('enough'));
  await expect(pausing).rejects.toThrow('enough');
  await expect(pause(60_000, stop.signal)).rejects.toThrow('enough');
});
