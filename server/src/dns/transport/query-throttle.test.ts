import { describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../base/clock.ts';
import { type QueryThrottle, queryThrottle, type ThrottleLimits } from './query-throttle.ts';

const FOREVER = new AbortController().signal;
const UNLIMITED = 1_000_000;

/** The result of a promise so far. */
async function stateOf(promise: Promise<boolean>): Promise<boolean | 'waiting'> {
  await new Promise(setImmediate);
  return Promise.race([promise, Promise.resolve<'waiting'>('waiting')]);
}

let throttle: QueryThrottle;
/** Ends the oldest query in flight. */
let release: () => void;

function useThrottle(limits: ThrottleLimits, clock: Clock = systemClock): void {
  const ends: (() => void)[] = [];
  throttle = queryThrottle(limits, clock);
  release = () => ends.shift()?.();
  start = (server, signal = FOREVER) =>
    new Promise((resolve) => {
      const query = () => {
        resolve(true);
        return new Promise<void>((end) => ends.push(end));
      };
      throttle.run(server, signal, query).then((result) => result === null && resolve(false));
    });
}

/** True once a query is in flight, where it stays until it is released; false when it is aborted before. */
let start: (server: string, signal?: AbortSignal) => Promise<boolean>;

describe('queries in flight', () => {
  test('are limited for each server; the others wait in order until one is released', async () => {
    useThrottle({ inFlight: 2, perSecond: UNLIMITED });
    expect(await Promise.all([start('192.0.2.1'), start('192.0.2.1')])).toEqual([true, true]);
    expect(throttle.isFull('192.0.2.1')).toBe(true);
    const third = start('192.0.2.1');
    const fourth = start('192.0.2.1');
    expect(await stateOf(third)).toBe('waiting');
    release();
    expect(await third).toBe(true);
    expect(await stateOf(fourth)).toBe('waiting');
    release();
    expect(await fourth).toBe(true);
  });

  test('at a full server do not delay those at another', async () => {
    useThrottle({ inFlight: 1, perSecond: UNLIMITED });
    await start('192.0.2.1');
    expect(throttle.isFull('192.0.2.2')).toBe(false);
    expect(await start('192.0.2.2')).toBe(true);
  });

  test('that are aborted while waiting take no place', async () => {
    useThrottle({ inFlight: 1, perSecond: UNLIMITED });
    const controller = new AbortController();
    await start('192.0.2.1');
    const aborted = start('192.0.2.1', controller.signal);
    const next = start('192.0.2.1');
    controller.abort();
    expect(await aborted).toBe(false);
    expect(await start('192.0.2.1', controller.signal)).toBe(false);
    release();
    expect(await next).toBe(true);
    release();
    await new Promise(setImmediate);
    expect(throttle.isFull('192.0.2.1')).toBe(false);
  });
});

describe('queries per second', () => {
  test('are limited for each server', async () => {
    let now = 1_000_000;
    useThrottle({ inFlight: UNLIMITED, perSecond: 100 }, { now: () => now });
    const controller = new AbortController();
    const isStarted = async () => stateOf(start('192.0.2.1', controller.signal));
    let begun = 0;
    while ((await isStarted()) === true) begun++;
    expect(begun).toBeGreaterThan(5);
    expect(begun).toBeLessThan(30);
    now += 1000;
    let later = 0;
    while ((await isStarted()) === true) later++;
    expect(later).toBeLessThan(30);
    expect(await start('192.0.2.2')).toBe(true);
    controller.abort();
  });

  test('that are aborted while waiting free their place in flight', async () => {
    useThrottle({ inFlight: 2, perSecond: 0.001 });
    const controller = new AbortController();
    expect(await start('192.0.2.1')).toBe(true);
    const second = start('192.0.2.1', controller.signal);
    expect(await stateOf(second)).toBe('waiting');
    expect(throttle.isFull('192.0.2.1')).toBe(true);
    controller.abort();
    expect(await second).toBe(false);
    expect(throttle.isFull('192.0.2.1')).toBe(false);
  });

  test('do not wait for the time by which a clock was set back', async () => {
    let now = 1_000_000_000;
    useThrottle({ inFlight: 2, perSecond: 1000 }, { now: () => now });
    expect(await start('192.0.2.1')).toBe(true);
    now -= 3_600_000;
    expect(await start('192.0.2.1', AbortSignal.timeout(5000))).toBe(true);
  });
});
