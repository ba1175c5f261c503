import { expect, test } from 'vitest';
import type { UsageCounts, UsageWrite } from '../store/store.ts';
import type { HourUsage } from './usage-counter.ts';
import { createUsageWriter } from './usage-writer.ts';

const NONE: UsageCounts = { requests: 0, bytesIn: 0, bytesOut: 0, edgeErrors: 0, originErrors: 0 };

/** A writer on a store that numbers domains by the digits of their id, and whose next `failures` writes fail. */
async function writing({ mostKept = 1000, unknown = '' } = {}) {
  let counted: HourUsage[] = [];
  const written: UsageWrite[] = [];
  const warned: unknown[] = [];
  const state = { failures: 0 };
  const writer = createUsageWriter({
    store: {
      numberUsageDomains: async (ids) => ids.map((id) => (id === unknown ? null : Number(id.slice(1)))),
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
  const count = (hour: number, ...ids: string[]) => {
    counted.push({ hour, domains: new Map(ids.map((id) => [id, { ...NONE, requests: 1 }])) });
  };
  // The first flush is that of the start.
  await writer.flush();
  return { writer, written, warned, state, count };
}

const requestsOf = (write: UsageWrite | undefined) => write?.counts.map(({ requests }) => requests);

test('all names are written in one write, in order, and nothing is written where nothing was counted', async () => {
  const { writer, written, count } = await writing();
  count(0, 'd3', 'd1');
  count(0, 'd1', 'd20');
  await writer.flush();
  await writer.flush();
  expect(written).toHaveLength(1);
  expect(written[0]).toMatchObject({ writer: 'one', sequence: 1, hour: 0, domains: [1, 3, 20] });
  expect(requestsOf(written[0])).toEqual([2, 1, 1]);
  await writer.stop();
});

test('a write that failed is repeated as it was, before what was counted since', async () => {
  const { writer, written, state, count } = await writing();
  count(0, 'd1');
  state.failures = 2;
  await expect(writer.flush()).rejects.toThrow('down');
  count(0, 'd1', 'd2');
  await expect(writer.flush()).rejects.toThrow('down');
  await writer.flush();
  expect(written.map(({ sequence }) => sequence)).toEqual([1, 1, 1, 2]);
  expect(written[1]).toEqual(written[0]);
  expect(written[2]).toEqual(written[0]);
  expect(requestsOf(written[3])).toEqual([1, 1]);
  await writer.stop();
});

test('many names are written in several writes', async () => {
  const { writer, written, count } = await writing({ mostKept: 10_000 });
  count(0, ...Array.from({ length: 4500 }, (_, i) => `d${i}`));
  await writer.flush();
  expect(written.map(({ domains }) => domains.length)).toEqual([2000, 2000, 500]);
  await writer.stop();
});

test('what waits for the store is bounded, and the log says what is lost', async () => {
  const { writer, written, warned, state, count } = await writing({ mostKept: 2 });
  state.failures = 1;
  count(0, 'd1');
  await expect(writer.flush()).rejects.toThrow('down');
  count(0, 'd1', 'd2', 'd3');
  count(1, 'd1');
  await writer.flush();
  expect(warned).toEqual([{ requests: 2 }]);
  expect(written.map(({ domains }) => domains)).toEqual([[1], [1], [1, 2]]);
  await writer.stop();
});

test('the usage of a domain that was deleted before it had any is dropped', async () => {
  const { writer, written, count } = await writing({ unknown: 'd2' });
  count(0, 'd1', 'd2');
  await writer.flush();
  await writer.flush();
  expect(written.map(({ domains }) => domains)).toEqual([[1]]);
  await writer.stop();
});

test('a stop writes what threads counted last', async () => {
  const { writer, written, count } = await writing();
  await writer.flush();
  count(0, 'd1');
  writer.add([{ hour: 0, domains: new Map([['d2', { ...NONE, requests: 7 }]]) }]);
  await writer.stop();
  expect(requestsOf(written[0])).toEqual([1, 7]);
});
