import { describe, expect, it } from 'vitest';
import type { RateLimit } from '../../store/store.ts';
import { decide, limitFor, windowStart } from './decision.ts';

const MINUTE = 60_000;

describe('a fixed window', () => {
  it('begins at whole multiples of its length since 1970', () => {
    expect(windowStart(10 * MINUTE + 59_999, MINUTE)).toBe(10 * MINUTE);
    expect(windowStart(11 * MINUTE, MINUTE)).toBe(11 * MINUTE);
  });

  it('allows as many requests as its limit, and does not count refused ones', () => {
    const rate = { limit: 2, windowMs: MINUTE };
    expect(decide(0, rate, 0)).toMatchObject({ allowed: true, remaining: 1, requests: 1 });
    expect(decide(1, rate, 0)).toMatchObject({ allowed: true, remaining: 0, requests: 2 });
    expect(decide(2, rate, 0)).toMatchObject({ allowed: false, remaining: 0, requests: 2 });
  });

  it('gives whole seconds until it ends, rounded up, at least 1', () => {
    const seconds = (now: number) => decide(0, { limit: 1, windowMs: MINUTE }, now).resetSeconds;
    expect(seconds(0)).toBe(60);
    expect(seconds(1)).toBe(60);
    expect(seconds(1000)).toBe(59);
    expect(seconds(59_999)).toBe(1);
    expect(decide(0, { limit: 1, windowMs: 10 }, 3).resetSeconds).toBe(1);
  });

  it('with the limit 0 lets nothing through', () => {
    expect(decide(0, { limit: 0, windowMs: MINUTE }, 5)).toMatchObject({ allowed: false, remaining: 0 });
  });

  it('has no requests left when its limit was lowered below its count', () => {
    expect(decide(5, { limit: 3, windowMs: MINUTE }, 5)).toMatchObject({ allowed: false, remaining: 0, requests: 5 });
  });
});

describe('the limit of an operation', () => {
  const [own, all, ownDefault, allDefault] = [1, 2, 3, 4].map((limit) => ({ limit, windowMs: MINUTE })) as [
    RateLimit,
    RateLimit,
    RateLimit,
    RateLimit,
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
