import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { throttledWarn } from '../throttled-log.ts';

const EVERY_MS = 60_000;

/** Logs failures of upkeep (`UpkeepFailed`): each claim and save of deliveries may have one. */
export function upkeepLog(log: Pick<Log, 'warn'>, clock: Clock): (error: unknown) => void {
  const warn = throttledWarn(log, clock, EVERY_MS);
  return (error) => warn('upkeep of deliveries failed; the next claims and saves try it again', { err: error });
}
