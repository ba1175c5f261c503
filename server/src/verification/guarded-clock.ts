import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { repeat } from '../base/repeat.ts';
import { CHECK_INTERVAL_MS, furthestDueAt } from '../domain/schedule.ts';
import type { Store } from '../store/store.ts';
import type { CheckMetrics } from './check-metrics.ts';

/** A clock that is compared with others (docs/internals/decisions/0054-clock.md). */
export interface GuardedClock extends Clock {
  /** Goes by the database server's clock where the two differ by more than a minute. */
  now(): number;
  /** Whether it may decide what cannot be undone: the end of a window, and deletions of old rows. */
  isTrusted(): boolean;
}

interface GuardedClockOptions {
  clock: Clock;
  store: Pick<Store, 'serverTime' | 'earliestDueAt'>;
  log: Log;
  /** Absent: another guarded clock of the process counts and logs. */
  metrics?: Pick<CheckMetrics, 'clockJumps' | 'clockOffset'>;
  /** A monotonic clock. */
  elapsedMs?: () => number;
}

const TOLERANCE_MS = 60_000;
const EVERY_MS = 60_000;
const READ_EVERY_MS = 1000;
/** How long the clocks have to agree before this one is trusted again. */
export const OUTWAIT_MS = 3_600_000;
/** While any verifier runs, no check is due for longer, or later, than this. */
const IMPLAUSIBLE_MS = furthestDueAt(0, CHECK_INTERVAL_MS);

/** `ready` resolves after the first comparison; before it nothing is trusted. `stop` resolves when nothing is in flight. */
export function startGuardedClock(
  options: GuardedClockOptions,
): GuardedClock & { ready: Promise<void>; stop(): Promise<void> } {
  const { clock, store, log, metrics, elapsedMs = () => performance.now() } = options;
  const ready = Promise.withResolvers<void>();
  let isCompared = false;
  let trustedFrom = Number.NEGATIVE_INFINITY;
  let offsetMs = clock.now() - elapsedMs();
  /** How far this clock is ahead of the database server's. */
  let aheadMs = 0;
  const isOff = () => Math.abs(aheadMs) > TOLERANCE_MS;

  function outwait(level: 'info' | 'error', ms: number, what: string): void {
    trustedFrom = elapsedMs() + OUTWAIT_MS;
    const message = `${what}: for an hour no domain fails at the end of its window, and nothing is pruned`;
    if (metrics !== undefined) log[level]({ seconds: Math.round(ms / 1000) }, message);
  }

  function now(): number {
    const read = clock.now();
    const jumpMs = read - elapsedMs() - offsetMs;
    if (Math.abs(jumpMs) > TOLERANCE_MS) {
      offsetMs += jumpMs;
      metrics?.clockJumps.inc();
      outwait('error', jumpMs, 'the clock jumped');
      void compare().catch(() => {});
    }
    return isOff() ? read - aheadMs : read;
  }

  async function compare(): Promise<void> {
    const server = await store.serverTime();
    if (server !== null) aheadMs = Math.round(clock.now() - server);
    metrics?.clockOffset.set(aheadMs / 1000);
    if (isOff()) outwait('error', aheadMs, "the clock differs from that of the database's server, by which checks go");
    if (isCompared) return;
    const dueAt = await store.earliestDueAt();
    const lateMs = dueAt === null ? 0 : now() - dueAt;
    // The clock is wrong, or no verifier was running.
    if (Math.abs(lateMs) > IMPLAUSIBLE_MS) outwait('info', lateMs, 'no check was claimed for some time');
    isCompared = true;
  }

  const message = 'the clock could not be compared with others; trying again in a minute';
  const reading = setInterval(now, READ_EVERY_MS);
  const comparing = repeat(() => compare().finally(ready.resolve), { everyMs: EVERY_MS, message, log });
  return {
    now,
    isTrusted() {
      now();
      return isCompared && elapsedMs() >= trustedFrom;
    },
    ready: ready.promise,
    async stop() {
      clearInterval(reading);
      await comparing.stop();
    },
  };
}
