import { describe, expect, it } from 'vitest';
import { ATTEMPTS, countAttempts, network } from './failure-limit.ts';

describe('failed attempts to authenticate', () => {
  it('block an address at the limit, until the window ends, and no other address', () => {
    let now = 0;
    const attempts = countAttempts({ now: () => now });
    for (let i = 1; i < ATTEMPTS.limit; i += 1) attempts.failed('192.0.2.1');
    expect(attempts.blockedSeconds('192.0.2.1')).toBeNull();
    attempts.failed('192.0.2.1');
    now = 20_000;
    expect(attempts.blockedSeconds('192.0.2.1')).toBe(40);
    expect(attempts.blockedSeconds('192.0.2.2')).toBeNull();
    now = ATTEMPTS.windowMs;
    expect(attempts.blockedSeconds('192.0.2.1')).toBeNull();
  });

  it('from all of an IPv6 /64 are counted together, since one party has that many addresses', () => {
    const attempts = countAttempts({ now: () => 0 });
    for (let i = 0; i < ATTEMPTS.limit; i += 1) attempts.failed(`2001:db8:1:2::${i.toString(16)}`);
    expect(attempts.blockedSeconds('2001:db8:1:2:ffff::1')).toBe(60);
    expect(attempts.blockedSeconds('2001:db8:1:3::1')).toBeNull();
  });
});

describe('an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::1', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['::', '0:0:0:0'],
    ['x'.repeat(10_000), 'unknown'],
  ])('%s is counted as %s', (address, counted) => {
    expect(network(address)).toBe(counted);
  });
});
