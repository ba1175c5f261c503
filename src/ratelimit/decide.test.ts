import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Counted, decide, limitFor } from './decide.ts';

const MINUTE = 60_000;

describe('a fixed window', () => {
  it('lets as many requests through as its limit says, in any order of times', () => {
    const run = fc.tuple(
      fc.integer({ min: 0, max: 20 }),
      fc.integer({ min: 1, max: 10_000 }),
      fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 200 }),
    );
    fc.assert(
      fc.property(run, ([limit, windowMs, steps]) => {
        const allowed = new Map<number, number>();
        let counted: Counted | undefined;
        let now = 1_000_000;
        for (const step of steps) {
          now += step;
          const decision = decide(counted, { limit, windowMs }, now);
          counted = decision.counted;
          const window = Math.floor(now / windowMs);
          const before = allowed.get(window) ?? 0;
          expect(decision.allowed).toBe(before < limit);
          if (decision.allowed) allowed.set(window, before + 1);
          expect(decision.remaining).toBe(limit - (allowed.get(window) ?? 0));
        }
      }),
    );
  });

  it('begins at whole multiples of its length since 1970', () => {
    const first = decide(undefined, { limit: 1, windowMs: MINUTE }, 10 * MINUTE + 59_999);
    expect(first).toMatchObject({ allowed: true, remaining: 0, resetSeconds: 1 });
    expect(decide(first.counted, { limit: 1, windowMs: MINUTE }, 10 * MINUTE + 59_999).allowed).toBe(false);
    expect(decide(first.counted, { limit: 1, windowMs: MINUTE }, 11 * MINUTE).allowed).toBe(true);
  });

  it('tells the seconds until it ends: whole ones, rounded up, at least 1', () => {
    const seconds = (now: number) => decide(undefined, { limit: 1, windowMs: MINUTE }, now).resetSeconds;
    expect(seconds(0)).toBe(60);
    expect(seconds(1)).toBe(60);
    expect(seconds(1000)).toBe(59);
    expect(seconds(59_999)).toBe(1);
    expect(decide(undefined, { limit: 1, windowMs: 10 }, 3).resetSeconds).toBe(1);
  });

  it('with the limit 0 lets nothing through', () => {
    expect(decide(undefined, { limit: 0, windowMs: MINUTE }, 5)).toMatchObject({ allowed: false, remaining: 0 });
  });

  it('keeps its count when the limit changes, and begins anew when its length changes', () => {
    const { counted } = decide(undefined, { limit: 1, windowMs: MINUTE }, 0);
    expect(decide(counted, { limit: 2, windowMs: MINUTE }, 1)).toMatchObject({ allowed: true, remaining: 0 });
    expect(decide(counted, { limit: 0, windowMs: MINUTE }, 1)).toMatchObject({ allowed: false, remaining: 0 });
    expect(decide(counted, { limit: 1, windowMs: 2 * MINUTE }, 1).allowed).toBe(true);
  });
});

describe('the limit of an operation', () => {
  const [own, all, ownDefault, allDefault] = [1, 2, 3, 4].map((limit) => ({ limit, windowMs: MINUTE })) as [
    Counted & { limit: number },
    Counted & { limit: number },
    Counted & { limit: number },
    Counted & { limit: number },
  ];
  const name = 'domains.getDomain';

  it("is the workspace's before the default, and its own before that of all operations", () => {
    const defaults = { [name]: ownDefault, '*': allDefault };
    expect(limitFor(name, { [name]: own, '*': all }, defaults)).toBe(own);
    expect(limitFor(name, { '*': all }, defaults)).toBe(all);
    expect(limitFor(name, {}, defaults)).toBe(ownDefault);
    expect(limitFor(name, {}, { '*': allDefault })).toBe(allDefault);
    expect(limitFor(name, { 'domains.createDomain': own }, {})).toBeUndefined();
  });

  it('is nothing that every object has', () => {
    expect(limitFor('constructor', {}, {})).toBeUndefined();
  });
});
