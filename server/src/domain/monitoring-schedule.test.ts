import { describe, expect, test } from 'vitest';
import { HEALTHY, type MonitorMemory } from './monitoring.ts';
import { followUpAt, MONITORING_INTERVAL_MS, soonMs } from './monitoring-schedule.ts';
import { nextRecheckAt } from './schedule.ts';

const NOW = 1_800_000_000_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const RANDOM = [0, 0.25, 0.5, 0.999];

const drifted: MonitorMemory = { ...HEALTHY, driftedSince: NOW - HOUR_MS };
const suspected: MonitorMemory = { ...HEALTHY, suspected: ['health'] };

/** Earliest and latest wait, in ms, for all random numbers. */
function waits(before: MonitorMemory, after: MonitorMemory, intervalMs = MONITORING_INTERVAL_MS) {
  const all = RANDOM.map((random) => followUpAt(before, after, NOW, intervalMs, random) - NOW);
  return { from: Math.min(...all), to: Math.max(...all) };
}

function expectWithin(periodMs: number, { from, to }: { from: number; to: number }): void {
  expect(from).toBeGreaterThanOrEqual(0.8 * periodMs);
  expect(to).toBeLessThan(periodMs);
}

describe('a re-check comes', () => {
  test('at random within the last fifth of its period, never after it', () => {
    const times = RANDOM.map((random) => nextRecheckAt(NOW, DAY_MS, random) - NOW);
    expect(times[0]).toBe(0.8 * DAY_MS);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBeLessThan(DAY_MS);
    expect(nextRecheckAt(NOW, 0, 0)).toBe(NOW + 1);
  });

  test('for the first time an hour after verification, sooner where the interval is shorter', () => {
    expect(soonMs(MONITORING_INTERVAL_MS)).toBe(HOUR_MS);
    expect(soonMs(5000)).toBe(5000);
  });

  test('after an interval while the domain is healthy', () => {
    expectWithin(DAY_MS, waits(HEALTHY, HEALTHY));
    expectWithin(DAY_MS, waits(drifted, HEALTHY));
    expectWithin(7 * DAY_MS, waits(HEALTHY, HEALTHY, 7 * DAY_MS));
  });

  test('ten minutes after a first look missed something; in the playground within the interval too', () => {
    expectWithin(10 * MINUTE_MS, waits(HEALTHY, suspected));
    const first = waits(HEALTHY, HEALTHY, 10_000);
    const second = waits(HEALTHY, suspected, 10_000);
    expect(first.to + second.to).toBeLessThan(10_000);
  });

  test('hourly while a loss is suspected and the zone cannot be read', () => {
    expectWithin(HOUR_MS, waits(suspected, suspected));
  });

  test('hourly for a week after a loss was told, then at the interval again', () => {
    expectWithin(HOUR_MS, waits(suspected, drifted));
    expectWithin(HOUR_MS, waits(drifted, { ...HEALTHY, driftedSince: NOW - 7 * DAY_MS + 1 }));
    expectWithin(DAY_MS, waits(drifted, { ...HEALTHY, driftedSince: NOW - 7 * DAY_MS }));
  });

  test('hourly while the days before a domain fails are counted', () => {
    const counted = { ...HEALTHY, driftedSince: NOW - 30 * DAY_MS, goneSince: NOW - DAY_MS, goneUntil: NOW };
    expectWithin(HOUR_MS, waits(counted, counted));
  });
});
