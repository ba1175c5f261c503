import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { createLog } from '../../base/log.ts';
import { type RequestCount, StoreUnavailable } from '../../store/store.ts';
import { type NodesLimiter, nodesLimiter } from './nodes-limiter.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ten = { limit: 10, windowMs: MINUTE };

const open: NodesLimiter[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((limiter) => limiter.stop()));
});

/** Adds up like the store. */
function adder() {
  const totals = new Map<string, number>();
  return (counts: RequestCount[]) =>
    counts.map(({ requests, ...window }) => {
      const key = JSON.stringify(Object.values(window));
      const total = (totals.get(key) ?? 0) + requests;
      totals.set(key, total);
      return total;
    });
}

/** Nodes on a store, with a clock that is set by hand. They flush when they are told to. */
function cluster() {
  const clock = { ms: 10 * HOUR, now: () => clock.ms };
  const add = adder();
  const sent: RequestCount[][] = [];
  const logged: string[] = [];
  const shared = {
    clock,
    /** Every list of counts that the store was given. */
    sent,
    logged,
    away: false,
    node(options: { intervalMs?: number; capacity?: number } = {}) {
      const log = createLog('info', { write: (line: string) => void logged.push(JSON.parse(line).msg) });
      const limiter = nodesLimiter({ store: { addRequests }, clock, log, intervalMs: HOUR, ...options });
      open.push(limiter);
      return limiter;
    },
  };
  async function addRequests(counts: RequestCount[]): Promise<number[]> {
    if (shared.away) throw new StoreUnavailable('away');
    sent.push(counts);
    return add(counts);
  }
  return shared;
}

/** Takes as often as said; how many were allowed. */
function take(limiter: NodesLimiter, times: number, limit = ten, subject = 'ws_1'): number {
  return Array.from({ length: times }, () => limiter.take(subject, 'a.b', limit)).filter(({ allowed }) => allowed)
    .length;
}

describe('limiters that share a store', () => {
  it('count the requests that others have allowed once both have flushed, and report the rest of the total', async () => {
    const { node } = cluster();
    const [a, b] = [node(), node()];
    expect(take(a, 6)).toBe(6);
    await a.flush();
    expect(take(b, 1)).toBe(1);
    await b.flush();
    expect(b.take('ws_1', 'a.b', ten)).toMatchObject({ allowed: true, remaining: 2 });
    expect(take(b, 9)).toBe(2);
    await b.flush();
    expect(take(a, 1)).toBe(1);
    await a.flush();
    expect(a.take('ws_1', 'a.b', ten)).toMatchObject({ allowed: false, remaining: 0, resetSeconds: 60 });
  });

  it('send only changed counts: no refused request, and no count twice', async () => {
    const { node, sent, clock } = cluster();
    const limiter = node();
    await limiter.flush();
    take(limiter, 15);
    take(limiter, 1, { limit: 0, windowMs: MINUTE }, 'ws_2');
    await limiter.flush();
    await limiter.flush();
    const window = { operation: 'a.b', windowMs: MINUTE, windowEndsAt: clock.ms + MINUTE };
    expect(sent).toEqual([[{ subject: 'ws_1', ...window, requests: 10 }]]);
  });

  it('start every window at 0, and send nothing of an ended one', async () => {
    const { node, sent, clock } = cluster();
    const limiter = node();
    expect(take(limiter, 11)).toBe(10);
    clock.ms += MINUTE;
    await limiter.flush();
    expect(sent).toEqual([]);
    expect(take(limiter, 11)).toBe(10);
    await limiter.flush();
    expect(sent.flat().map(({ windowEndsAt }) => windowEndsAt)).toEqual([clock.ms + MINUTE]);
    clock.ms += HOUR;
    await limiter.flush();
    expect(limiter.size()).toBe(0);
  });

  it('decide by the last totals while the store is down, and add up their counts once it is back', async () => {
    const shared = cluster();
    const [a, b] = [shared.node(), shared.node()];
    take(a, 4);
    await a.flush();
    take(b, 1);
    await b.flush();
    shared.away = true;
    expect(take(b, 2)).toBe(2);
    for (let i = 0; i < 3; i += 1) await b.flush();
    // The other node has spent four requests, this one three of its own.
    expect(take(b, 9)).toBe(3);
    expect(shared.logged).toEqual(['rate limits cannot be shared; each node limits its own requests']);
    shared.away = false;
    await b.flush();
    expect(shared.sent.at(-1)).toMatchObject([{ requests: 5 }]);
    expect(shared.logged.at(-1)).toBe('rate limits are shared between nodes again');
    expect(take(a, 1)).toBe(1);
    await a.flush();
    expect(take(a, 1)).toBe(0);
  });

  it('lose no counts when the store loses its own', async () => {
    const { clock } = cluster();
    const limiter = nodesLimiter({ store: { addRequests: async () => [1] }, clock, intervalMs: HOUR });
    open.push(limiter);
    take(limiter, 10);
    await limiter.flush();
    expect(take(limiter, 1, { ...ten, limit: 11 })).toBe(1);
    await limiter.flush();
    expect(take(limiter, 1)).toBe(0);
  });

  it('flush one at a time; counts made meanwhile go with the next', async () => {
    const { clock } = cluster();
    const add = adder();
    const sent: number[] = [];
    let answer = () => {};
    const addRequests = async (counts: RequestCount[]) => {
      sent.push(...counts.map(({ requests }) => requests));
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return add(counts);
    };
    const limiter = nodesLimiter({ store: { addRequests }, clock, intervalMs: HOUR });
    take(limiter, 3);
    const flushed = limiter.flush();
    take(limiter, 2);
    expect(limiter.flush()).toBe(flushed);
    expect(sent).toEqual([3]);
    answer();
    await flushed;
    expect(limiter.peek('ws_1', 'a.b', ten).remaining).toBe(4);
    const again = limiter.flush();
    answer();
    await again;
    expect(sent).toEqual([3, 2]);
    expect(take(limiter, 10)).toBe(5);
    const stopped = limiter.stop();
    await turn();
    answer();
    await stopped;
    expect(sent).toEqual([3, 2, 5]);
  });

  it('send at most a thousand counts at once', async () => {
    const { node, sent } = cluster();
    const limiter = node();
    for (let i = 0; i < 2500; i += 1) take(limiter, 1, ten, `ws_${i}`);
    await limiter.flush();
    expect(sent.map((counts) => counts.length)).toEqual([1000, 1000, 500]);
    expect(new Set(sent.flat().map(({ subject }) => subject)).size).toBe(2500);
  });

  it('hold a bounded number of counts, however long the store is away', async () => {
    const shared = cluster();
    shared.away = true;
    const limiter = shared.node({ capacity: 100 });
    for (let i = 0; i < 1000; i += 1) {
      take(limiter, 1, ten, `ws_${i}`);
      await limiter.flush();
    }
    expect(limiter.size()).toBeLessThanOrEqual(100);
  });

  it('flush by themselves until they are stopped, and once more then, unless the store is away', async () => {
    const shared = cluster();
    const limiter = shared.node({ intervalMs: 1 });
    take(limiter, 2);
    while (shared.sent.length === 0) await turn();
    take(limiter, 3);
    await limiter.stop();
    expect(shared.sent.flat().reduce((sum, { requests }) => sum + requests, 0)).toBe(5);
    const sent = shared.sent.length;
    take(limiter, 1);
    const cut = shared.node();
    take(cut, 1);
    shared.away = true;
    await cut.flush();
    shared.away = false;
    await cut.stop();
    expect(shared.sent).toHaveLength(sent);
  });
});

const INTERVAL_MS = 250;
const DURATION_MS = 1500;

interface SimulatedNode {
  /** When it flushes for the first time. */
  phaseMs: number;
  /** How long a flush takes to the store, and back. */
  thereMs: number;
  backMs: number;
  /** Between its requests, again and again; several come in one millisecond where it is 0. */
  gapsMs: number[];
}

interface Outcome {
  asked: number;
  allowed: number;
  /** Most requests that one node let through from one flush to the answer of the next. */
  busiest: number;
}

/** Runs the nodes millisecond by millisecond. */
async function simulate(nodes: SimulatedNode[], limit: number): Promise<Outcome> {
  const clock = { ms: 0, now: () => clock.ms };
  const add = adder();
  const due: { at: number; run(): void }[] = [];
  const after = (ms: number) => new Promise<void>((resolve) => due.push({ at: clock.ms + ms, run: resolve }));
  const running = nodes.map(({ thereMs, backMs, phaseMs, gapsMs }) => {
    const addRequests = async (counts: RequestCount[]) => {
      await after(thereMs);
      const totals = add(counts);
      await after(backMs);
      return totals;
    };
    const limiter = nodesLimiter({ store: { addRequests }, clock, intervalMs: HOUR });
    const spanMs = INTERVAL_MS + thereMs + backMs;
    return { limiter, phaseMs, gapsMs, spanMs, asked: 0, nextAt: gapsMs[0] ?? 0, allowedAt: [] as number[] };
  });
  for (; clock.ms < DURATION_MS; clock.ms += 1) {
    for (;;) {
      const now = due.filter(({ at }) => at <= clock.ms);
      if (now.length === 0) break;
      for (const event of now) {
        due.splice(due.indexOf(event), 1);
        event.run();
      }
      await turn();
    }
    for (const node of running) {
      if ((clock.ms - node.phaseMs) % INTERVAL_MS === 0) {
        void node.limiter.flush();
        await turn();
      }
      for (; node.nextAt <= clock.ms; node.asked += 1) {
        const { allowed } = node.limiter.take('ws_1', 'a.b', { limit, windowMs: MINUTE });
        if (allowed) node.allowedAt.push(clock.ms);
        // Only a few requests come in one millisecond, or time would not go on.
        node.nextAt += Math.max(node.gapsMs[node.asked % node.gapsMs.length] ?? 1, node.asked % 4 === 0 ? 1 : 0);
      }
    }
  }
  return {
    asked: running.reduce((sum, { asked }) => sum + asked, 0),
    allowed: running.reduce((sum, { allowedAt }) => sum + allowedAt.length, 0),
    busiest: Math.max(...running.map(({ allowedAt, spanMs }) => mostWithin(allowedAt, spanMs))),
  };
}

/** Most of these times, in order, that lie in a span of this length. */
function mostWithin(times: number[], spanMs: number): number {
  let most = 0;
  let first = 0;
  for (const [last, time] of times.entries()) {
    while (time - (times[first] ?? 0) > spanMs) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

describe('four limiters that share a store', () => {
  it('let through no fewer requests than the limit, and at most as many more as documented, whenever they come', async () => {
    const node = fc.record({
      phaseMs: fc.nat({ max: INTERVAL_MS - 1 }),
      thereMs: fc.nat({ max: 100 }),
      backMs: fc.nat({ max: 100 }),
      gapsMs: fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 20 }),
    });
    const runs = fc.record({
      limit: fc.nat({ max: 2000 }),
      nodes: fc.array(node, { minLength: 4, maxLength: 4 }),
    });
    let most = 0;
    await fc.assert(
      fc.asyncProperty(runs, async ({ limit, nodes }) => {
        const { asked, allowed, busiest } = await simulate(nodes, limit);
        expect(allowed).toBeGreaterThanOrEqual(Math.min(limit, asked));
        expect(allowed - limit).toBeLessThanOrEqual((nodes.length - 1) * Math.min(limit, busiest));
        most = Math.max(most, allowed - limit);
      }),
    );
    // Otherwise the test would not reach the bound.
    expect(most).toBeGreaterThan(0);
  });

  it('come as close to the bound as possible when all get equal load', async () => {
    const busy = { phaseMs: 0, thereMs: 0, backMs: 0, gapsMs: [1] };
    const { allowed, busiest } = await simulate([busy, busy, busy, busy], 1001);
    expect(busiest).toBeLessThanOrEqual(INTERVAL_MS + 1);
    expect(allowed - 1001).toBeGreaterThan(2.9 * INTERVAL_MS);
    expect(allowed - 1001).toBeLessThanOrEqual(3 * busiest);
  });
});
