import { expect, it } from 'vitest';
import { apiThreadsOf, cachedBytesOf, hasBackgroundThread } from './thread-counts.ts';

it.skipIf(process.platform !== 'linux').each([
  [1, 0],
  [2, 1],
  [3, 1],
  [4, 2],
  [8, 4],
  [64, 4],
])('with %i cores, the API has %i threads unless another number is asked for', (cores, threads) => {
  expect(apiThreadsOf({ apiThreads: null }, cores)).toBe(threads);
  expect(apiThreadsOf({ apiThreads: 7 }, cores)).toBe(7);
  expect(apiThreadsOf({ apiThreads: 0 }, cores)).toBe(0);
});

it('checks and certificates have a thread of their own where requests would wait for them', () => {
  const has = (roles: ('api' | 'verifier' | 'certificates' | 'edge')[], apiThreads = 1) =>
    hasBackgroundThread({ apiThreads, roles });
  expect(has(['api', 'verifier'])).toBe(true);
  expect(has(['certificates', 'edge'])).toBe(true);
  expect(has(['verifier', 'certificates'])).toBe(false);
  expect(has(['api', 'edge'])).toBe(false);
  expect(has(['api', 'verifier', 'certificates', 'edge'], 0)).toBe(false);
});

it.skipIf(process.platform !== 'linux')('the memory for cached domains is divided among the threads of the API', () => {
  const MB = 1024 * 1024;
  expect([0, 1, 4].map((apiThreads) => cachedBytesOf({ apiThreads, cacheMb: 20 }))).toEqual([20 * MB, 20 * MB, 5 * MB]);
});
