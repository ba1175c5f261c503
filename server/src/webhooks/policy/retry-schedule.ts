/** When a delivery that failed is attempted again. Pure: times and randomness are arguments; `random` is in [0, 1). */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** After the first, second, … failure; from then on `LONGEST_WAIT_MS`. */
const WAITS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
] as const;
/** A receiver that is back is reached within this time. */
const LONGEST_WAIT_MS = 4 * HOUR_MS;

/** Share of a wait that is added at most, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;

/** A webhook to which nothing at all was delivered for so long is disabled. */
const FAILING_MS = 72 * HOUR_MS;
/**
 * For so long a delivery is retried: a minute longer, so that a webhook that has failed since moments after an event
 * has failed for long enough when the event is given up.
 */
export const DELIVERY_WINDOW_MS = FAILING_MS + MINUTE_MS;
/**
 * A failing webhook has an attempt every `LONGEST_WAIT_MS` or so. After a longer pause the state of its receiver is
 * unknown.
 */
const QUIET_MS = 12 * HOUR_MS;

interface FailedDelivery {
  /** When the delivery was created. */
  createdAt: number;
  /** Number of attempts so far, the failed one included: at least one. */
  attempts: number;
  /** The delay that the receiver asked for. It counts where it is longer than the schedule's. */
  retryAfterMs: number | null;
}

/**
 * When the next attempt is due; null: the delivery is given up. The last attempt is made when the window ends. A
 * delivery that waited for longer, behind others or because nothing was running, has one attempt.
 */
export function nextAttemptAt(
  { createdAt, attempts, retryAfterMs }: FailedDelivery,
  now: number,
  random: number,
): number | null {
  const endsAt = createdAt + DELIVERY_WINDOW_MS;
  if (now >= endsAt) return null;
  const waitMs = (WAITS_MS[attempts - 1] ?? LONGEST_WAIT_MS) * (1 + JITTER * random);
  const askedMs = Math.min(retryAfterMs ?? 0, LONGEST_WAIT_MS);
  return Math.min(now + Math.round(Math.max(waitMs, askedMs)), endsAt);
}

/** The store decides by this about webhooks that fail (`DeliveryStore.saveDelivery`). */
export function failingRule(now: number): { disableIfFailingSince: number; startAgainIfQuietSince: number } {
  return { disableIfFailingSince: now - FAILING_MS, startAgainIfQuietSince: now - QUIET_MS };
}
