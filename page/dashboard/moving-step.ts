import type { SiteCounts } from '../../client/client.ts';
import { TEXT } from './text.ts';
import { lasting } from './time.tsx';

/** The next step of a move. */
export type MoveStep = 'wait' | 'switch' | 'done';

export function nextStep({
  total,
  readyToSwitch,
  live,
}: Pick<SiteCounts, 'total' | 'readyToSwitch' | 'live'>): MoveStep {
  if (live >= total) return 'done';
  return readyToSwitch >= total ? 'switch' : 'wait';
}

/** How long the last order has to wait, in a sentence; null where no name waits for the limits of a CA. */
export function timeLeft({
  waiting,
  timeLeftMs,
  pace,
}: Pick<SiteCounts, 'waiting' | 'timeLeftMs' | 'pace'>): string | null {
  if (waiting === 0 || timeLeftMs === undefined || pace === undefined) return null;
  const left = timeLeftMs === 0 ? TEXT.moving.now : TEXT.moving.atMost(lasting(timeLeftMs));
  const rate = TEXT.moving.pace(pace.names, lasting(pace.windowMs), pace.cas);
  return TEXT.moving.waiting(TEXT.moving.waits(waiting), left, rate);
}
