import { expect, test } from 'vitest';
import { addCount, chunkOf, countsOf, type HourUsage, newChunk, type UsageWrite } from '../store/store.ts';
import { createUsageWriter } from './usage-writer.ts';

/** Domains in different chunks. */
const [A, B, C] = [1, 1001, 2001];

/** One request for each of these domains. */
function usageOf(hour: number, ...numbers: number[]): HourUsage {
  const usage: HourUsage = { hour, chunks: new Map() };
  for (const number of numbers) {
    const chunk = usage.chunks.get(chunkOf(number)) ?? newChunk();
    usage.chunks.set(chunkOf(number), chunk);
    addCount(chunk, number, 'requests', 1);
  }
  return usage;
}

/** A writer on a store whose next `failures` writes fail. */
async function writing({ mostKept = 1000 } = {}) {
  let counted: HourUsage[] = [];
  const written: UsageWrite[] = [];
  const warned: unknown[] = [];
  const state = { failures: 0 };
  const writer = createUsageWriter({
    store: {
      async addUsage(write) {
        written.push(structuredClone(write));
        if (state.failures-- > 0) throw new Error('down');
      },
    },
    async take() {
      const taken = counted;
      counted = [];
      return taken;
    },
    writer: 'one',
    log: { warn: (fields: unknown) => void warned.push(fields) },
    flushMs: 1_000_000,
    mostKept,
  });
  const count = (hour: number, ...numbers: number[]) => void counted.push(usageOf(hour, ...numbers));
  // The first flush is that of the start.
  await writer.flush();
  return { writer, written, warned, state, count };
}

/** Requests of a domain in a write. */
function requestsIn(write: UsageWrite | undefined, number: number): number {
  const chunk = write?.chunks.get(chunkOf(number));
  return chunk === undefined ? 0 : countsOf(chunk, number).requests;
}

test('what all threads counted is added up in one write, and nothing is written where nothing was counted', async () => {
  const { writer, written, count } = await writing();
  count(0, A, C);
  count(0, A, B);
  await writer.flush();
  await writer.flush();
  expect(written).toHaveLength(1);
  expect(written[0]).toMatchObject({ writer: 'one', sequence: 1, hour: 0 });
  expect([A, B, C].map((number) => requestsIn(written[0], number))).toEqual([2, 1, 1]);
  await writer.stop();
});

test('a write that failed is repeated as it was, before what was counted since', async () => {
  const { writer, written, state, count } = await writing();
  count(0, A);
  state.failures = 2;
  await expect(writer.flush()).rejects.toThrow('down');
  count(0, A, B);
  await expect(writer.flush()).rejects.toThrow('down');
  await writer.flush();
  expect(written.map(({ sequence }) => sequence)).toEqual([1, 1, 1, 2]);
  expect(written[1]).toEqual(written[0]);
  expect(written[2]).toEqual(written[0]);
  expect([A, B].map((number) => requestsIn(written[3], number))).toEqual([1, 1]);
  await writer.stop();
});

test('very many names are written in several writes', async () => {
  const { writer, written, count } = await writing();
  count(0, ...Array.from({ length: 20 }, (_, i) => 1 + 1000 * i));
  await writer.flush();
  expect(written.map(({ chunks }) => chunks.size)).toEqual([16, 4]);
  await writer.stop();
});

test('what waits for the store is bounded, and the log says that usage is lost', async () => {
  const { writer, written, warned, state, count } = await writing({ mostKept: 2 });
  state.failures = 1;
  count(0, A);
  await expect(writer.flush()).rejects.toThrow('down');
  count(0, A, B, C);
  count(1, A);
  await writer.flush();
  expect(warned).toEqual([{ chunks: 2 }]);
  expect(written.map(({ chunks }) => chunks.size)).toEqual([1, 1, 2]);
  await writer.stop();
});

test('a stop writes what threads counted last', async () => {
  const { writer, written, count } = await writing();
  count(0, A);
  writer.add([usageOf(0, B), usageOf(0, B)]);
  await writer.stop();
  expect([A, B].map((number) => requestsIn(written[0], number))).toEqual([1, 2]);
});
