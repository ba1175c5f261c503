import { describe, expect, it } from 'vitest';
import { parseRateLimits } from './parse-rate-limits.ts';

describe('written rate limits', () => {
  it('name an operation or *, the most requests, and the window', () => {
    expect(parseRateLimits('*=6000/1m,domains.createDomain=60/1m')).toEqual({
      ok: true,
      limits: { '*': { limit: 6000, windowMs: 60_000 }, 'domains.createDomain': { limit: 60, windowMs: 60_000 } },
    });
    expect(parseRateLimits(' a.b=0/1s , c.d=1/2h,e.f=3/1d ')).toEqual({
      ok: true,
      limits: {
        'a.b': { limit: 0, windowMs: 1000 },
        'c.d': { limit: 1, windowMs: 7_200_000 },
        'e.f': { limit: 3, windowMs: 86_400_000 },
      },
    });
  });

  it.each(['', '  '])('may be nothing at all (%j)', (text) => {
    expect(parseRateLimits(text)).toEqual({ ok: true, limits: {} });
  });

  it.each([
    '*',
    '*=6000',
    '*=6000/m',
    '*=6000/1',
    '*=6000/1w',
    '*=-1/1m',
    '*=1.5/1m',
    '*=1/0m',
    'domains=1/1m',
    '*.getDomain=1/1m',
    '*=1/1m,',
    ',*=1/1m',
    '*=1/1m;a.b=1/1m',
    '__proto__=1/1m',
  ])('are not %j, and the message shows how to write one', (text) => {
    expect(parseRateLimits(text)).toMatchObject({ ok: false, message: expect.stringContaining('*=6000/1m') });
  });

  it('limit nothing twice', () => {
    expect(parseRateLimits('*=1/1m,*=2/1m')).toEqual({ ok: false, message: '"*" is limited twice' });
  });
});
