import { LONGEST_WAIT_MS } from '../../domain/certificate-state.ts';

/** When failed attempts are retried. Pure: times and randomness are arguments; `random` is in [0, 1). */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** After the first, second and third failure in a row; from then on daily. */
const STEPS_MS = [MINUTE_MS, 10 * MINUTE_MS, 100 * MINUTE_MS];

/** Share of a wait that is added at most, so that attempts that failed together are not retried together. */
const JITTER = 0.2;
/** Most that is added to a time that a CA gave. */
const CA_JITTER_MS = 10 * MINUTE_MS;

/**
 * How long a name waits after `failures` in a row, at least one. A longer `retryAfterMs` of the CA wins. `atMostMs`:
 * the longest back-off that the certificate can afford.
 */
export function backoffMs(
  failures: number,
  random: number,
  { retryAfterMs = null, atMostMs = DAY_MS }: { retryAfterMs?: number | null; atMostMs?: number } = {},
): number {
  return waitMs(Math.min(STEPS_MS[failures - 1] ?? DAY_MS, atMostMs), random, retryAfterMs);
}

/** How long a CA is left alone after `failures` in a row, at least one. A longer `retryAfterMs` of the CA wins. */
export function circuitBreakerMs(failures: number, random: number, retryAfterMs: number | null): number {
  return waitMs(Math.min(2 ** (failures - 1) * MINUTE_MS, 15 * MINUTE_MS), random, retryAfterMs);
}

function waitMs(ms: number, random: number, retryAfterMs: number | null): number {
  return Math.min(Math.max(jittered(ms, random), afterMs(retryAfterMs ?? 0, random)), LONGEST_WAIT_MS);
}

/**
 * How long until the next self-check of a name whose routing or CAA has been wrong for `sinceMs`: soon while its
 * records may be being edited, hourly later.
 */
export function recheckMs(sinceMs: number, random: number): number {
  if (sinceMs < HOUR_MS) return jittered(MINUTE_MS, random);
  return jittered(sinceMs < DAY_MS ? 10 * MINUTE_MS : HOUR_MS, random);
}

/** A wait until a known time, `ms` away, and a little longer: the names that wait for it do not all come at once. */
export function afterMs(ms: number, random: number): number {
  return Math.round(ms + Math.min(JITTER * ms, CA_JITTER_MS) * random);
}

function jittered(ms: number, random: number): number {
  return Math.round(ms * (1 + JITTER * random));
}
