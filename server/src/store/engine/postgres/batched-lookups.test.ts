import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { batchedLookups } from './batched-lookups.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const millisecond = () => vi.advanceTimersByTimeAsync(1);

function recorded() {
  const batches: number[][] = [];
  const find = batchedLookups(async (keys: number[]) => {
    batches.push(keys);
    return keys.map((key) => (key === 0 ? null : key * 10));
  });
  return { batches, find };
}

it('what is asked for within a millisecond is looked up together, and each gets its own', async () => {
  const { batches, find } = recorded();
  const found = Promise.all([find(3), find(0), find(3), find(1)]);
  await millisecond();
  expect(await found).toEqual([30, null, 30, 10]);
  expect(batches).toEqual([[3, 0, 3, 1]]);
});

it('what is asked for later does not wait for what is being looked up', async () => {
  const hanging = Promise.withResolvers<number[]>();
  const find = batchedLookups((keys: number[]) => (keys[0] === 1 ? hanging.promise : Promise.resolve(keys)));
  const first = find(1);
  await millisecond();
  const second = find(2);
  await millisecond();
  expect(await second).toBe(2);
  hanging.resolve([1]);
  expect(await first).toBe(1);
});

it('at most 100 keys are looked up together', async () => {
  const { batches, find } = recorded();
  const keys = Array.from({ length: 250 }, (_, key) => key + 1);
  const found = Promise.all(keys.map(find));
  await millisecond();
  expect(await found).toEqual(keys.map((key) => key * 10));
  expect(batches.map(({ length }) => length)).toEqual([100, 100, 50]);
});

it('a look-up that fails fails for all who asked', async () => {
  const find = batchedLookups(async (): Promise<never[]> => {
    throw new Error('as it was told');
  });
  const settled = Promise.allSettled([find(1), find(2)]);
  await millisecond();
  const outcomes = await settled;
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
