import type { SiteCounts } from '../../client/client.ts';
import { MOVING, REASONS } from './moving-text.ts';
import { lasting } from './time.tsx';

/** The next step of a move. */
export type MoveStep = 'bring' | 'wait' | 'switch' | 'done';

export function nextStep({
  total,
  readyToSwitch,
  live,
}: Pick<SiteCounts, 'total' | 'readyToSwitch' | 'live'>): MoveStep {
  if (total === 0) return 'bring';
  if (live >= total) return 'done';
  return readyToSwitch >= total ? 'switch' : 'wait';
}

/** The human-readable text of a reason. */
export function reasonText(reason: string): string {
  return (Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined) ?? reason.replaceAll('_', ' ');
}

/** How long the last order has to wait, in a sentence; null where no name waits for the limits of a CA. */
export function timeLeft({
  waiting,
  timeLeftMs,
  pace,
}: Pick<SiteCounts, 'waiting' | 'timeLeftMs' | 'pace'>): string | null {
  if (waiting === 0 || timeLeftMs === undefined || pace === undefined) return null;
  const left = timeLeftMs === 0 ? MOVING.now : MOVING.atMost(lasting(timeLeftMs));
  const rate = MOVING.pace(pace.names.toLocaleString('en'), lasting(pace.windowMs), pace.cas);
  return MOVING.waiting(MOVING.waits(waiting), left, rate);
}
