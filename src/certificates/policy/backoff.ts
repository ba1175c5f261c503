import { LONGEST_WAIT_MS } from '../../domain/certificate-state.ts';

/** When what did not succeed is tried again. Pure: times and randomness are arguments; `random` is in [0, 1). */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** After the first, second and third failure in a row; from then on daily. */
const STEPS_MS = [MINUTE_MS, 10 * MINUTE_MS, 100 * MINUTE_MS];

/** So much of a wait is added at most, so that what failed together does not come back together. */
const JITTER = 0.2;
/** To a time that a CA has said, no more than that is added. */
const CA_JITTER_MS = 10 * MINUTE_MS;

/**
 * How long a name waits after so many failures in a row, at least one. `retryAfterMs`: what the CA asked for, which counts where it is longer.
 * `atMostMs`: the longest wait that can be afforded otherwise.
 */
export function backoffMs(
  failures: number,
  random: number,
  { retryAfterMs = null, atMostMs = DAY_MS }: { retryAfterMs?: number | null; atMostMs?: number } = {},
): number {
  const step = Math.min(STEPS_MS[failures - 1] ?? DAY_MS, atMostMs);
  return Math.min(Math.max(jittered(step, random), afterMs(retryAfterMs ?? 0, random)), LONGEST_WAIT_MS);
}

/**
 * How long until a name is looked at again that has been waiting for its routing since so long: soon while somebody may be busy with its records, hourly in
 * the end.
 */
export function waitingMs(sinceMs: number, random: number): number {
  if (sinceMs < HOUR_MS) return jittered(MINUTE_MS, random);
  return jittered(sinceMs < DAY_MS ? 10 * MINUTE_MS : HOUR_MS, random);
}

/** Of a CA that was in trouble so many times in a row, at least one. What the CA asked for counts where it is longer. */
export function pauseMs(troubles: number, random: number, retryAfterMs: number | null): number {
  const wait = Math.min(2 ** (troubles - 1) * MINUTE_MS, 15 * MINUTE_MS);
  return Math.min(Math.max(jittered(wait, random), afterMs(retryAfterMs ?? 0, random)), LONGEST_WAIT_MS);
}

/** How long it is until somebody else says that something is possible again, or little longer: all who wait for it do not come at once. */
export function afterMs(ms: number, random: number): number {
  return Math.round(ms + Math.min(JITTER * ms, CA_JITTER_MS) * random);
}

/** Not sooner than `ms`, and a little later. */
function jittered(ms: number, random: number): number {
  return Math.round(ms * (1 + JITTER * random));
}
