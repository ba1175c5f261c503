import { expect, it } from 'vitest';
import { turns } from './semaphore.ts';

it('lets so many go on at a time, the others in order, and goes on after one that failed', async () => {
  const take = turns(2);
  const begun: number[] = [];
  const ends = [1, 2, 3, 4].map(() => Promise.withResolvers<string>());
  const all = ends.map((end, i) =>
    take(() => {
      begun.push(i);
      return end.promise;
    }),
  );
  const settled = Promise.allSettled(all);
  expect(begun).toEqual([0, 1]);
  ends[1]?.reject(new Error('it failed'));
  await expect(all[1]).rejects.toThrow('it failed');
  expect(begun).toEqual([0, 1, 2]);
  ends[0]?.resolve('a');
  expect(await all[0]).toBe('a');
  expect(begun).toEqual([0, 1, 2, 3]);
  ends[2]?.resolve('b');
  ends[3]?.resolve('c');
  await settled;
  expect(await take(async () => 'd')).toBe('d');
});
