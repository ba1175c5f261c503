import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from './log.ts';
import { repeat } from './repeat.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const logged: string[] = [];
const options = { everyMs: 1000, message: 'it failed', log: createLog('info', { write: (line) => logged.push(line) }) };

test('a run begins so long after the one before has ended, also after one that failed', async () => {
  let runs = 0;
  const repeated = repeat(async () => {
    runs += 1;
    await new Promise((resolve) => setTimeout(resolve, 5000));
    if (runs === 1) throw new Error('the store is down');
  }, options);
  await vi.advanceTimersByTimeAsync(5999);
  expect(runs).toBe(1);
  expect(logged.join()).toContain('it failed');
  await vi.advanceTimersByTimeAsync(1);
  expect(runs).toBe(2);
  await vi.advanceTimersByTimeAsync(5000);
  await repeated.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(runs).toBe(2);
});

test('a stop waits for the run in flight, after which there is none', async () => {
  let runs = 0;
  let ended = 0;
  const repeated = repeat(async () => {
    runs += 1;
    await new Promise((resolve) => setTimeout(resolve, 5000));
    ended += 1;
  }, options);
  const stopped = repeated.stop().then(() => ended);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await stopped).toBe(1);
  expect(runs).toBe(1);
});
