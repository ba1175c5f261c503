import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';

const EVERY_MS = 60_000;

/** Logs failures of upkeep (`UpkeepFailed`), one a minute at most: each claim and save of deliveries may have one. */
export function upkeepLog(log: Pick<Log, 'warn'>, clock: Clock): (error: unknown) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (clock.now() - loggedAt < EVERY_MS) return;
    loggedAt = clock.now();
    log.warn({ err: error }, 'upkeep of deliveries failed; the next claims and saves try it again');
  };
}
