import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type CountTable, createCountTable, joinCountTable } from './count-table.ts';

afterEach(() => void vi.restoreAllMocks());

const MINUTE = 60_000;
const window = { lengthMs: MINUTE, startsAt: 10 * MINUTE };

/**
 * Runs `interlude` before the n-th step that is taken on shared memory from now on. `end` returns its result; null if
 * there were fewer.
 */
function beforeStep<T>(n: number, interlude: () => T): { end(): T | null } {
  let steps = 0;
  let result: T | null = null;
  for (const step of ['load', 'store', 'compareExchange'] as const) {
    const original = Atomics[step] as (...args: unknown[]) => unknown;
    vi.spyOn(Atomics, step).mockImplementation(((...args: unknown[]) => {
      steps += 1;
      if (steps === n) result = interlude();
      return original(...args);
    }) as never);
  }
  return {
    end() {
      vi.restoreAllMocks();
      return result;
    },
  };
}

describe('counts that threads share', () => {
  it('are those of one counter per key and window, whichever thread counts', () => {
    const steps = fc.array(
      fc.record({
        thread: fc.nat(2),
        key: fc.constantFrom('ws_1 a.b', 'ws_1 a.c', 'ws_2 a.b'),
        lengthMs: fc.constantFrom(1000, MINUTE),
        elapsedMs: fc.nat(90_000),
        most: fc.nat(5),
        reads: fc.boolean(),
      }),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(steps, (all) => {
        const first = createCountTable(1024);
        const tables = [first, joinCountTable(first.shared), joinCountTable(first.shared)];
        const model = new Map<string, number>();
        let now = 0;
        for (const { thread, key, lengthMs, elapsedMs, most, reads } of all) {
          now += elapsedMs;
          const table = tables[thread] as CountTable;
          const at = { lengthMs, startsAt: now - (now % lengthMs) };
          const counted = JSON.stringify([key, at]);
          const before = model.get(counted) ?? 0;
          expect(reads ? table.read(key, at) : table.add(key, at, most)).toBe(before);
          if (!reads && before < most) model.set(counted, before + 1);
        }
      }),
    );
  });

  it('never exceed the limit, and miss none, when four threads count at once', async () => {
    const THREADS = 4;
    const KEYS = 200;
    const ADDS = 300;
    const MOST = 1000;
    const { shared } = createCountTable(1024);
    // All begin when the last one is there.
    const script = `
      import { parentPort, workerData } from 'node:worker_threads';
      import { joinCountTable } from '${new URL('./count-table.ts', import.meta.url)}';
      const { shared, gate } = workerData;
      const table = joinCountTable(shared);
      const arrived = new Int32Array(gate);
      if (Atomics.add(arrived, 0, 1) === ${THREADS - 1}) Atomics.notify(arrived, 0);
      for (let n; (n = Atomics.load(arrived, 0)) < ${THREADS}; ) Atomics.wait(arrived, 0, n);
      const allowed = new Array(${KEYS}).fill(0);
      for (let i = 0; i < ${ADDS}; i++)
        for (let key = 0; key < ${KEYS}; key++)
          if (table.add('ws_' + key, ${JSON.stringify(window)}, ${MOST}) < ${MOST}) allowed[key]++;
      parentPort.postMessage(allowed);
    `;
    const gate = new SharedArrayBuffer(4);
    const results = await Promise.all(
      Array.from({ length: THREADS }, async () => {
        const url = new URL(`data:text/javascript,${encodeURIComponent(script)}`);
        const worker = new Worker(url, { workerData: { shared, gate } });
        const [allowed] = await once(worker, 'message');
        return allowed as number[];
      }),
    );
    const table = joinCountTable(shared);
    for (let key = 0; key < KEYS; key += 1) {
      const allowed = results.reduce((sum, one) => sum + (one[key] ?? 0), 0);
      expect(allowed).toBe(Math.min(MOST, THREADS * ADDS));
      expect(table.read(`ws_${key}`, window)).toBe(allowed);
    }
  });

  it.each([
    ['the same key', 'ws_1', window],
    ['a key that has its slot later', 'ws_1', { lengthMs: MINUTE, startsAt: 13 * MINUTE }],
    ['any other key', 'ws_2', window],
  ])('are exact while a thread stops between any two steps, and another counts %s', (_, key, later) => {
    const MOST = 3;
    for (let stopAt = 1; stopAt <= 20; stopAt += 1) {
      const first = createCountTable(1);
      const second = joinCountTable(first.shared);
      const isSame = key === 'ws_1' && later === window;
      first.add('ws_0', { lengthMs: MINUTE, startsAt: 0 }, MOST);
      const meanwhile = beforeStep(stopAt, () => [second.add(key, later, MOST), second.add(key, later, MOST)]);
      const before = first.add('ws_1', window, MOST);
      const others = meanwhile.end();
      if (isSame) {
        expect([before, ...(others ?? [])].sort()).toEqual(others === null ? [0] : [0, 1, 2]);
        expect(second.read('ws_1', window)).toBe(others === null ? 1 : 3);
      } else {
        expect([before, others]).toEqual([0, others === null ? null : [0, 1]]);
      }
    }
  });

  it('find room for ever new windows, and keep those that have not ended', () => {
    const table = createCountTable(1024);
    const day = { lengthMs: 1440 * MINUTE, startsAt: 0 };
    for (let i = 0; i < 10; i += 1) table.add(`slow${i}`, day, 10);
    for (let minute = 0; minute < 1000; minute += 1) {
      const at = { lengthMs: MINUTE, startsAt: minute * MINUTE };
      for (let i = 0; i < 10; i += 1) expect(table.add(`ws_${i}`, at, 10)).toBe(0);
      for (let i = 0; i < 10; i += 1) expect(table.add(`ws_${i}`, at, 10)).toBe(1);
    }
    for (let i = 0; i < 10; i += 1) expect(table.read(`slow${i}`, day)).toBe(1);
  });

  it('of more keys than there is room for let the newest ones count', () => {
    const table = createCountTable(64);
    for (let i = 0; i < 10_000; i += 1) {
      expect(table.add(`ws_${i}`, window, 10)).toBe(0);
      expect(table.add(`ws_${i}`, window, 10)).toBe(1);
    }
  });
});
