import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { withinTime, withTimeLimit } from './time-limit.ts';

const aborted = (signal: AbortSignal) => new Promise<string>((resolve) => (signal.onabort = () => resolve('aborted')));

it('aborts work that takes longer', async () => {
  expect(await withTimeLimit(1, new AbortController().signal, aborted)).toBe('aborted');
});

it('aborts work when the signal does, also one that did before', async () => {
  const controller = new AbortController();
  const work = withTimeLimit(60_000, controller.signal, aborted);
  controller.abort();
  expect(await work).toBe('aborted');
  expect(await withTimeLimit(60_000, controller.signal, async ({ aborted }) => aborted)).toBe(true);
});

it('leaves nothing at the signal, whether the work ends or fails', async () => {
  const { signal } = new AbortController();
  await withTimeLimit(60_000, signal, async () => {});
  await expect(withTimeLimit(60_000, signal, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('waits for work no longer than the limit, whatever the work does', async () => {
  const never = new Promise<string>(() => {});
  expect(await withinTime(1, never, () => 'late')).toBe('late');
  expect(await withinTime(60_000, Promise.resolve('done'), () => 'late')).toBe('done');
  await expect(withinTime(60_000, Promise.reject(new Error('failed')), () => 'late')).rejects.toThrow('failed');
});
