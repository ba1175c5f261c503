import { DELIVERY_WINDOW_MS } from './retry-schedule.ts';

/**
 * Schedules deliveries that could not be attempted, by no fault of their receiver. Pure: times and randomness are
 * arguments; `random` is in [0, 1).
 */

/**
 * `busy`: too many connections are open. `secret`: the secret cannot be unsealed with the keys of this process.
 * `error`: a fault of the program. They count neither as attempts nor against the webhook.
 */
export type OwnFailure = 'busy' | 'secret' | 'error';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * The wait doubles the time that a delivery has been waiting, within these bounds. So an operator who repairs a key
 * need not wait for long.
 */
const WAITS_MS: Record<OwnFailure, { shortest: number; longest: number }> = {
  busy: { shortest: SECOND_MS, longest: SECOND_MS },
  secret: { shortest: 5 * SECOND_MS, longest: 10 * MINUTE_MS },
  error: { shortest: 5 * SECOND_MS, longest: 4 * HOUR_MS },
};

/** Share of a wait that is added at most, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;

/**
 * When a delivery that has been waiting since `createdAt` is tried again. Null: it is given up, so that a delivery that
 * the program cannot send does not block the later events of its domain for ever. A delivery that only lacks something
 * of this installation is not given up: it waits until the operator has repaired that.
 */
export function retryOwnFailureAt(failure: OwnFailure, createdAt: number, now: number, random: number): number | null {
  const { shortest, longest } = WAITS_MS[failure];
  const waitMs = Math.min(Math.max(now - createdAt, shortest), longest) * (1 + JITTER * random);
  const at = now + Math.round(waitMs);
  if (failure !== 'error') return at;
  const endsAt = createdAt + DELIVERY_WINDOW_MS;
  return now >= endsAt ? null : Math.min(at, endsAt);
}
