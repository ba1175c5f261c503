import { describe, expect, it } from 'vitest';
import { memoryLimiter } from './limiter.ts';

describe('the limiter in memory', () => {
  const rate = { limit: 1, windowMs: 60_000 };

  it('counts each workspace and each operation on its own', () => {
    const limiter = memoryLimiter({ now: () => 0 });
    expect(limiter.take('ws_1', 'a.b', rate).allowed).toBe(true);
    expect(limiter.take('ws_1', 'a.b', rate).allowed).toBe(false);
    expect(limiter.take('ws_1', 'a.c', rate).allowed).toBe(true);
    expect(limiter.take('ws_2', 'a.b', rate).allowed).toBe(true);
  });

  it('goes on counting a window in progress while it forgets those that ended', () => {
    let now = 0;
    const limiter = memoryLimiter({ now: () => now });
    limiter.take('ws_slow', 'a.b', { limit: 1, windowMs: 3_600_000 });
    for (let i = 0; i < 3000; i += 1) {
      now += 1000;
      limiter.take(`ws_${i}`, 'a.b', rate);
    }
    expect(limiter.take('ws_slow', 'a.b', { limit: 1, windowMs: 3_600_000 }).allowed).toBe(false);
    expect(limiter.take('ws_2999', 'a.b', rate).allowed).toBe(false);
    expect(limiter.windows()).toBeLessThanOrEqual(1001);
  });
});
