import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryLimiter } from './limiter.ts';

const MINUTE = 60_000;
const once = { limit: 1, windowMs: MINUTE };

/** A limiter whose clock is set by hand. */
function at(start: number, capacity?: number) {
  const clock = { ms: start, now: () => clock.ms };
  return { clock, limiter: memoryLimiter(clock, capacity) };
}

describe('the limiter in memory', () => {
  it('allows exactly as many requests in every window as the limit, whenever they come', () => {
    const runs = fc.record({
      limit: fc.integer({ min: 0, max: 20 }),
      windowMs: fc.integer({ min: 1, max: 10_000 }),
      start: fc.nat(),
      steps: fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 200 }),
    });
    fc.assert(
      fc.property(runs, ({ limit, windowMs, start, steps }) => {
        const { clock, limiter } = at(start);
        const allowed = new Map<number, number>();
        for (const step of steps) {
          clock.ms += step;
          const window = Math.floor(clock.ms / windowMs);
          const before = allowed.get(window) ?? 0;
          const decision = limiter.take('ws_1', 'a.b', { limit, windowMs });
          expect(decision.allowed).toBe(before < limit);
          if (decision.allowed) allowed.set(window, before + 1);
          expect(decision.remaining).toBe(limit - (allowed.get(window) ?? 0));
        }
      }),
    );
  });

  it('blocks no subject for longer than a window, wherever the clock was set to', () => {
    const runs = fc.record({
      windowMs: fc.integer({ min: 1, max: 10_000 }),
      times: fc.array(fc.nat({ max: 1_000_000 }), { minLength: 1, maxLength: 50 }),
    });
    fc.assert(
      fc.property(runs, ({ windowMs, times }) => {
        const { clock, limiter } = at(0);
        const rate = { limit: 1, windowMs };
        for (const time of times) {
          clock.ms = time;
          limiter.take('ws_1', 'a.b', rate);
          const refused = limiter.take('ws_1', 'a.b', rate);
          expect(refused.allowed).toBe(false);
          expect((refused.resetSeconds - 1) * 1000).toBeLessThan(windowMs);
          clock.ms = time + windowMs;
          expect(limiter.take('ws_1', 'a.b', rate).allowed).toBe(true);
        }
      }),
    );
  });

  it('keeps its count when the limit changes, and has another for windows of another length', () => {
    const { limiter } = at(0);
    limiter.take('ws_1', 'a.b', once);
    expect(limiter.take('ws_1', 'a.b', { limit: 2, windowMs: MINUTE })).toMatchObject({ allowed: true, remaining: 0 });
    expect(limiter.take('ws_1', 'a.b', { limit: 0, windowMs: MINUTE }).allowed).toBe(false);
    expect(limiter.take('ws_1', 'a.b', { limit: 1, windowMs: 2 * MINUTE }).allowed).toBe(true);
  });

  it('counts nothing in a peek', () => {
    const { limiter } = at(0);
    for (let i = 0; i < 3; i += 1) expect(limiter.peek('ws_1', 'a.b', once).allowed).toBe(true);
    expect(limiter.size()).toBe(0);
    limiter.take('ws_1', 'a.b', once);
    expect(limiter.peek('ws_1', 'a.b', once).allowed).toBe(false);
  });

  it('keeps counting the current window while it deletes ended ones', () => {
    const { clock, limiter } = at(0);
    const slow = { limit: 1, windowMs: 60 * MINUTE };
    limiter.take('ws_slow', 'a.b', slow);
    for (let i = 0; i < 50; i += 1) {
      for (let workspace = 0; workspace < 100; workspace += 1) limiter.take(`ws_${workspace}`, 'a.b', once);
      clock.ms += MINUTE;
    }
    expect(limiter.take('ws_slow', 'a.b', slow).allowed).toBe(false);
    limiter.take('ws_1', 'a.b', once);
    expect(limiter.size()).toBe(2);
  });

  it('holds a bounded number of counts under a million workspaces, and evicts the least recently used', () => {
    const { limiter } = at(0);
    for (let i = 0; i < 1_000_000; i += 1) limiter.take(`ws_${i}`, 'domains.getDomain', once);
    expect(limiter.size()).toBeLessThanOrEqual(200_000);
    expect(limiter.take('ws_999999', 'domains.getDomain', once).allowed).toBe(false);
    expect(limiter.take('ws_900001', 'domains.getDomain', once).allowed).toBe(false);
    expect(limiter.take('ws_0', 'domains.getDomain', once).allowed).toBe(true);
  });
});
