import type { MonitorMemory } from './monitoring.ts';
import { nextRecheckAt } from './schedule.ts';

/** When verified domains are re-checked. Pure: the time and the randomness are arguments. */

const HOUR_MS = 3_600_000;

/** Period of the re-checks of a healthy domain (`NAMEPLATE_MONITORING_INTERVAL`). */
export const MONITORING_INTERVAL_MS = 24 * HOUR_MS;

/** So long after a loss was told its owner may be at work on it. Later, abandoned names cost no more than others. */
const HOURLY_FOR_MS = 7 * 24 * HOUR_MS;

/** Ten minutes at the default interval: most mishaps of a DNS provider are over by then. */
const CONFIRM_MS = 10 * 60_000;
const CONFIRM_SHARE = CONFIRM_MS / MONITORING_INTERVAL_MS;

/** Until the first re-check of a domain, and until the next one while there is something to find out, in ms. */
export function soonMs(intervalMs: number): number {
  return Math.min(HOUR_MS, intervalMs);
}

/** When a domain is due after a re-check that left this memory. `random` is in [0, 1). */
export function followUpAt(
  before: MonitorMemory,
  after: MonitorMemory,
  now: number,
  intervalMs: number,
  random: number,
): number {
  const isNewLoss = after.suspected.some((loss) => !before.suspected.includes(loss));
  const confirmMs = Math.min(CONFIRM_MS, intervalMs * CONFIRM_SHARE);
  const toldRecently = after.driftedSince !== null && now - after.driftedSince < HOURLY_FOR_MS;
  const isUnsettled = toldRecently || after.suspected.length > 0 || after.goneSince !== null;
  const periodMs = isNewLoss ? confirmMs : isUnsettled ? soonMs(intervalMs) : intervalMs;
  return nextRecheckAt(now, periodMs, random);
}
