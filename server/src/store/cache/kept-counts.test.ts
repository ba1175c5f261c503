import { expect, it } from 'vitest';
import { keepCounts } from './kept-counts.ts';

/** `total`: what it counts; its `calls` resolve when they are told to. */
function stub() {
  const clock = { time: 1000, now: () => clock.time };
  const calls: (() => void)[] = [];
  let total = 0;
  const counting = (_workspaceId: string, _ids?: Set<string>) =>
    new Promise<{ total: number }>((resolve, reject) => {
      calls.push(() => (total < 0 ? reject(new Error('down')) : resolve({ total })));
    });
  const count = keepCounts(counting, clock);
  async function counted(next: number, workspaceId = 'ws_1', ids?: Set<string>) {
    const before = calls.length;
    total = next;
    const counts = count(workspaceId, ids);
    for (const call of calls.slice(before)) call();
    const { total: shown, countedAt } = await counts;
    return [shown, countedAt, calls.length - before];
  }
  return { clock, calls, count, counted };
}

it('counts of up to 10,000 domains are as of now, and of more at most a minute old', async () => {
  const { clock, counted } = stub();
  expect(await counted(10_000)).toEqual([10_000, 1000, 1]);
  expect(await counted(10_001)).toEqual([10_001, 1000, 1]);
  clock.time += 59_999;
  expect(await counted(20_000)).toEqual([10_001, 1000, 0]);
  expect(await counted(20_000, 'ws_2')).toEqual([20_000, 60_999, 1]);
  clock.time += 1;
  expect(await counted(20_000)).toEqual([20_000, 61_000, 1]);
});

it('counts of other ids are other counts, in whatever order the ids come', async () => {
  const { counted } = stub();
  expect(await counted(20_000, 'ws_1', new Set(['a', 'b']))).toEqual([20_000, 1000, 1]);
  expect(await counted(30_000, 'ws_1', new Set(['b', 'a']))).toEqual([20_000, 1000, 0]);
  expect(await counted(30_000, 'ws_1', new Set(['a']))).toEqual([30_000, 1000, 1]);
  expect(await counted(40_000)).toEqual([40_000, 1000, 1]);
});

it('calls at the same time are one count, and one that fails is not kept', async () => {
  const { calls, count, counted } = stub();
  const both = [count('ws_1'), count('ws_1')];
  expect(calls).toHaveLength(1);
  calls[0]?.();
  expect(await Promise.all(both)).toMatchObject([{ total: 0 }, { total: 0 }]);
  await expect(counted(-1)).rejects.toThrow('down');
  expect(await counted(5)).toMatchObject([5, 1000, 1]);
});
