import { expect, it } from 'vitest';
import { semaphore } from './verifier.ts';

it('runs so many tasks at a time, the others in order, and continues after one that fails', async () => {
  const run = semaphore(2);
  const started: number[] = [];
  const ends = [1, 2, 3, 4].map(() => Promise.withResolvers<string>());
  const all = ends.map((end, i) =>
    run(() => {
      started.push(i);
      return end.promise;
    }),
  );
  const settled = Promise.allSettled(all);
  expect(started).toEqual([0, 1]);
  ends[1]?.reject(new Error('it failed'));
  await expect(all[1]).rejects.toThrow('it failed');
  expect(started).toEqual([0, 1, 2]);
  ends[0]?.resolve('a');
  expect(await all[0]).toBe('a');
  expect(started).toEqual([0, 1, 2, 3]);
  ends[2]?.resolve('b');
  ends[3]?.resolve('c');
  await settled;
  expect(await run(async () => 'd')).toBe('d');
});
