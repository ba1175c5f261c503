import { describe, expect, it } from 'vitest';
import { createCountTable, joinCountTable } from './count-table.ts';
import { bothLimiters, memoryLimiter, processLimiter } from './limiter.ts';

const MINUTE = 60_000;
const ten = { limit: 10, windowMs: MINUTE };
const clock = { ms: 10 * MINUTE, now: () => clock.ms };

/** Two threads of one process. */
function twoThreads() {
  const table = createCountTable(1024);
  return [processLimiter(clock, table), processLimiter(clock, joinCountTable(table.shared))] as const;
}

describe('the limiters of the threads of a process', () => {
  it('see in a peek what the other counted, and count nothing', () => {
    const [a, b] = twoThreads();
    for (let i = 0; i < 9; i += 1) a.take('ws_1', 'a.b', ten);
    for (let i = 0; i < 3; i += 1) expect(b.peek('ws_1', 'a.b', ten).allowed).toBe(true);
    a.take('ws_1', 'a.b', ten);
    expect(b.peek('ws_1', 'a.b', ten).allowed).toBe(false);
  });
});

describe('two limiters in one', () => {
  it('allow what both allow, and count no request that either refuses', () => {
    const [ofProcess, elsewhere] = twoThreads();
    const ofNodes = memoryLimiter(clock);
    const both = bothLimiters(ofProcess, ofNodes);
    for (let i = 0; i < 4; i += 1) elsewhere.take('ws_1', 'a.b', ten);
    for (let i = 0; i < 3; i += 1) ofNodes.take('ws_1', 'a.b', ten);
    const decisions = Array.from({ length: 8 }, () => both.take('ws_1', 'a.b', ten));
    expect(decisions.map(({ allowed }) => allowed)).toEqual([...Array(6).fill(true), false, false]);
    expect(decisions.map(({ remaining }) => remaining)).toEqual([5, 4, 3, 2, 1, 0, 0, 0]);
    expect(ofNodes.peek('ws_1', 'a.b', ten).remaining).toBe(0);
    expect(ofNodes.take('ws_1', 'a.b', ten).remaining).toBe(0);

    for (let i = 0; i < 10; i += 1) ofNodes.take('ws_2', 'a.b', ten);
    expect(both.take('ws_2', 'a.b', ten).allowed).toBe(false);
    expect(ofProcess.peek('ws_2', 'a.b', ten).remaining).toBe(9);
  });
});
