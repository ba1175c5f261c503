import { afterEach, expect, test } from 'vitest';
import { createLog } from '../base/log.ts';
import { createMetrics } from '../roles/metrics.ts';
import { OUTWAIT_MS, startGuardedClock } from './guarded-clock.ts';

const NOW = 1_800_000_000_000;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 86_400_000;

const started: { stop(): Promise<void> }[] = [];
afterEach(() => Promise.all(started.splice(0).map((each) => each.stop())));

/** A guarded clock, and the two clocks of its machine. `offMs`: of the database's clock, on PostgreSQL. */
async function guard({ dueAt = null as number | null, offMs = null as number | null } = {}) {
  const machine = { wall: NOW, elapsed: 5 * SECOND, offMs };
  const metrics = createMetrics({ ofProcess: false });
  const store = {
    serverTime: async () => (machine.offMs === null ? null : machine.wall + machine.offMs + 0.6),
    earliestDueAt: async () => dueAt,
  };
  const clock = startGuardedClock({
    ...{ clock: { now: () => machine.wall }, elapsedMs: () => machine.elapsed },
    ...{ store, log: createLog('silent'), metrics },
  });
  started.push(clock);
  const wasTrusted = clock.isTrusted();
  await clock.ready;
  const jumps = async () => (await metrics.clockJumps.get()).values[0]?.value;
  const offset = async () => (await metrics.clockOffset.get()).values[0]?.value;
  return {
    ...{ machine, clock, wasTrusted, jumps, offset },
    pass(ms: number) {
      machine.wall += ms;
      machine.elapsed += ms;
    },
    /** Only the wall clock, as a step of NTP or a machine that was suspended. */
    jump(ms: number) {
      machine.wall += ms;
    },
  };
}

test('a clock is trusted once it was compared, however much time passes, and while it is off by seconds', async () => {
  const { clock, wasTrusted, pass, jump, jumps } = await guard({ dueAt: NOW - MINUTE });
  expect(wasTrusted).toBe(false);
  expect(clock.isTrusted()).toBe(true);
  pass(40 * DAY);
  jump(30 * SECOND);
  expect(clock.isTrusted()).toBe(true);
  expect(await jumps()).toBe(0);
});

test.each([DAY, -DAY, 61 * SECOND])('a jump of %i ms is counted and outwaited, and so is the one back', async (ms) => {
  const { clock, jump, pass, jumps } = await guard();
  jump(ms);
  expect(clock.isTrusted()).toBe(false);
  pass(10 * SECOND);
  jump(-ms);
  expect(clock.isTrusted()).toBe(false);
  pass(OUTWAIT_MS - 1);
  expect(clock.isTrusted()).toBe(false);
  pass(1);
  expect(clock.isTrusted()).toBe(true);
  expect(await jumps()).toBe(2);
});

test('small jumps add up', async () => {
  const { clock, jump } = await guard();
  for (let i = 0; i < 3; i++) {
    expect(clock.isTrusted()).toBe(true);
    jump(25 * SECOND);
  }
  expect(clock.isTrusted()).toBe(false);
});

test.each([DAY, 6 * MINUTE, -6 * MINUTE])(
  'a start at which the earliest check is late by %i ms is outwaited: the clock may be wrong',
  async (lateMs) => {
    const { clock, pass } = await guard({ dueAt: NOW - lateMs });
    expect(clock.isTrusted()).toBe(false);
    pass(OUTWAIT_MS);
    expect(clock.isTrusted()).toBe(true);
  },
);

test.each([DAY, -DAY])(
  'a clock that is off from that of the database by %i ms is corrected, and not trusted',
  async (ms) => {
    const { clock, pass, offset } = await guard({ offMs: -ms });
    expect(clock.now()).toBe(NOW - ms + 1);
    expect(await offset()).toBeCloseTo(ms / 1000, 1);
    expect(clock.isTrusted()).toBe(false);
    pass(OUTWAIT_MS - 1);
    expect(clock.isTrusted()).toBe(false);
  },
);

test('a clock that is off from that of the database by seconds is left as it is', async () => {
  const { clock } = await guard({ offMs: 50 * SECOND });
  expect(clock.now()).toBe(NOW);
  expect(clock.isTrusted()).toBe(true);
});

test('after a jump the clock of the database is asked at once', async () => {
  const { clock, jump, machine } = await guard({ offMs: 0 });
  jump(DAY);
  machine.offMs = -DAY;
  expect(clock.isTrusted()).toBe(false);
  await expect.poll(() => clock.now()).toBeLessThan(NOW + SECOND);
});
