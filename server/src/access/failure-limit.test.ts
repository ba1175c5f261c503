import { describe, expect, it } from 'vitest';
import { createFailureLimit, FAILURES } from './failure-limit.ts';

describe('failed authentications', () => {
  it('block an address at the limit, until the window ends, and no other address', () => {
    let now = 0;
    const limit = createFailureLimit({ now: () => now });
    for (let i = 1; i < FAILURES.limit; i += 1) limit.countFailure('192.0.2.1');
    expect(limit.retryAfterSeconds('192.0.2.1')).toBeNull();
    limit.countFailure('192.0.2.1');
    now = 20_000;
    expect(limit.retryAfterSeconds('192.0.2.1')).toBe(40);
    expect(limit.retryAfterSeconds('192.0.2.2')).toBeNull();
    now = FAILURES.windowMs;
    expect(limit.retryAfterSeconds('192.0.2.1')).toBeNull();
  });

  it('from an IPv6 /64 are counted together, since one client has that many addresses', () => {
    const limit = createFailureLimit({ now: () => 0 });
    for (let i = 0; i < FAILURES.limit; i += 1) limit.countFailure(`2001:db8:1:2::${i.toString(16)}`);
    expect(limit.retryAfterSeconds('2001:db8:1:2:ffff::1')).toBe(60);
    expect(limit.retryAfterSeconds('2001:db8:1:3::1')).toBeNull();
  });
});
