import { describe, expect, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { type QueryThrottle, queryThrottle } from './query-throttle.ts';

const FOREVER = new AbortController().signal;
const UNLIMITED = 1_000_000;

/** The result of a promise so far. */
async function stateOf(promise: Promise<boolean>): Promise<boolean | 'waiting'> {
  await new Promise(setImmediate);
  return Promise.race([promise, Promise.resolve<'waiting'>('waiting')]);
}

describe('queries in flight', () => {
  let throttle: QueryThrottle;
  const acquire = (address: string, signal = FOREVER) => throttle.acquire(address, signal);

  test('are limited for each server; the others wait in order until one is released', async () => {
    throttle = queryThrottle({ inFlight: 2, perSecond: UNLIMITED }, systemClock);
    expect(await Promise.all([acquire('192.0.2.1'), acquire('192.0.2.1')])).toEqual([true, true]);
    expect(throttle.isFull('192.0.2.1')).toBe(true);
    const third = acquire('192.0.2.1');
    const fourth = acquire('192.0.2.1');
    expect(await stateOf(third)).toBe('waiting');
    throttle.release('192.0.2.1');
    expect(await third).toBe(true);
    expect(await stateOf(fourth)).toBe('waiting');
    throttle.release('192.0.2.1');
    expect(await fourth).toBe(true);
  });

  test('at a full server do not delay those at another', async () => {
    throttle = queryThrottle({ inFlight: 1, perSecond: UNLIMITED }, systemClock);
    await acquire('192.0.2.1');
    expect(throttle.isFull('192.0.2.2')).toBe(false);
    expect(await acquire('192.0.2.2')).toBe(true);
  });

  test('that are aborted while waiting take no place', async () => {
    throttle = queryThrottle({ inFlight: 1, perSecond: UNLIMITED }, systemClock);
    const controller = new AbortController();
    await acquire('192.0.2.1');
    const aborted = acquire('192.0.2.1', controller.signal);
    const next = acquire('192.0.2.1');
    controller.abort();
    expect(await aborted).toBe(false);
    expect(await acquire('192.0.2.1', controller.signal)).toBe(false);
    throttle.release('192.0.2.1');
    expect(await next).toBe(true);
    throttle.release('192.0.2.1');
    expect(throttle.isFull('192.0.2.1')).toBe(false);
  });
});

describe('queries per second', () => {
  test('are limited for each server', async () => {
    let now = 1_000_000;
    const throttle = queryThrottle({ inFlight: UNLIMITED, perSecond: 100 }, { now: () => now });
    const controller = new AbortController();
    const acquire = async () => stateOf(throttle.acquire('192.0.2.1', controller.signal));
    let begun = 0;
    while ((await acquire()) === true) begun++;
    expect(begun).toBeGreaterThan(5);
    expect(begun).toBeLessThan(30);
    now += 1000;
    let later = 0;
    while ((await acquire()) === true) later++;
    expect(later).toBeLessThan(30);
    expect(await throttle.acquire('192.0.2.2', FOREVER)).toBe(true);
    controller.abort();
  });

  test('that are aborted while waiting free their place in flight', async () => {
    const throttle = queryThrottle({ inFlight: 2, perSecond: 0.001 }, systemClock);
    const controller = new AbortController();
    expect(await throttle.acquire('192.0.2.1', FOREVER)).toBe(true);
    const second = throttle.acquire('192.0.2.1', controller.signal);
    expect(await stateOf(second)).toBe('waiting');
    expect(throttle.isFull('192.0.2.1')).toBe(true);
    controller.abort();
    expect(await second).toBe(false);
    expect(throttle.isFull('192.0.2.1')).toBe(false);
  });

  test('do not wait for the time by which a clock was set back', async () => {
    let now = 1_000_000_000;
    const throttle = queryThrottle({ inFlight: 2, perSecond: 1000 }, { now: () => now });
    expect(await throttle.acquire('192.0.2.1', FOREVER)).toBe(true);
    now -= 3_600_000;
    expect(await throttle.acquire('192.0.2.1', AbortSignal.timeout(5000))).toBe(true);
  });
});
