import { describe, expect, it } from 'vitest';
import { lockQueue } from './lock-queue.ts';

/** Work that goes on until it is told to end. */
function work() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const state = { begun: false };
  const run = async () => {
    state.begun = true;
    await promise;
  };
  return { state, run, end: resolve };
}

const options = { timeoutMs: 60_000, maxWaiting: 100 };

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the queue of writes', () => {
  it('runs writes that share a key one after the other, in order, and others at once', async () => {
    const queue = lockQueue(options);
    const [a, b, c, d] = [work(), work(), work(), work()];
    const all = [queue([1n], a.run), queue([1n, 2n], b.run), queue([2n], c.run), queue([3n], d.run)];
    await settle();
    expect([a, b, c, d].map(({ state }) => state.begun)).toEqual([true, false, false, true]);
    a.end();
    await all[0];
    await settle();
    expect([b, c].map(({ state }) => state.begun)).toEqual([true, false]);
    b.end();
    await all[1];
    await settle();
    expect(c.state.begun).toBe(true);
    for (const each of [c, d]) each.end();
    await Promise.all(all);
  });

  it('continues after one that failed', async () => {
    const queue = lockQueue(options);
    await expect(queue([1n], async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await queue([1n], async () => 'done')).toBe('done');
  });
});
