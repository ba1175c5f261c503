import { expiringAt, type Lifetime, type RenewalWindow } from '../../domain/certificate-state.ts';
import type { SuggestedRenewal } from '../issuer.ts';
import type { Urgency } from './budget.ts';

/** When certificates are renewed. Pure: times and randomness are arguments; `random` is in [0, 1). */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Bounds of the time between two ARI requests, whatever the CA asks for (RFC 9773 section 4.3.2). */
const ASK_MS = { least: MINUTE_MS, most: DAY_MS };

interface InUse extends Lifetime {
  issuedAt: number;
  renewal: RenewalWindow;
}

/**
 * The window that the CA suggests, with a random moment in it (RFC 9773 section 4.2). A new moment is drawn only when
 * the window moves. It is never later than the start of the emergency, and never in the certificate's first hours: a CA
 * whose windows are always in the past would make us order without end.
 */
export function suggestedWindow(
  inUse: InUse,
  { startsAt, endsAt, explanationUrl, retryAfterMs }: SuggestedRenewal,
  now: number,
  random: number,
): RenewalWindow {
  const askAgainAt = now + Math.min(Math.max(retryAfterMs, ASK_MS.least), ASK_MS.most);
  const { renewal, issuedAt, notBefore, notAfter } = inUse;
  // An invalid window counts as no suggestion (section 4.2).
  if (!(endsAt > startsAt)) return { ...renewal, askAgainAt };
  const isSame = renewal.source === 'ari' && renewal.startsAt === startsAt && renewal.endsAt === endsAt;
  const drawn = isSame ? renewal.renewAt : Math.round(startsAt + (endsAt - startsAt) * random);
  const earliest = issuedAt + Math.min(6 * HOUR_MS, (notAfter - notBefore) / 10);
  const renewAt = Math.min(Math.max(drawn, earliest), emergencyAt(inUse));
  return { source: 'ari', startsAt, endsAt, renewAt, askAgainAt, explanationUrl };
}

/** Plans the default window, where the CA gave no suggestion. */
export function unchangedWindow(renewal: RenewalWindow, now: number, random: number): RenewalWindow {
  return { ...renewal, askAgainAt: Math.round(now + HOUR_MS * (1 + random)) };
}

/** Whether a certificate is due for renewal, by its window or in an emergency. */
export function isRenewalDue(inUse: InUse, now: number): boolean {
  return now >= inUse.renewal.renewAt || now >= emergencyAt(inUse);
}

/**
 * Whether the CA is to be asked for its window. A time further ahead than any CA may set was written by a clock that
 * was wrong.
 */
export function isSuggestionDue({ askAgainAt }: RenewalWindow, now: number): boolean {
  return askAgainAt !== null && (askAgainAt <= now || askAgainAt > now + 2 * ASK_MS.most);
}

/**
 * When a certificate in use is next due: for renewal, for its CA's suggestion, and at least daily, in case a clock was
 * wrong.
 */
export function nextDueAt({ renewAt, askAgainAt }: RenewalWindow, now: number): number {
  return Math.min(renewAt, askAgainAt ?? Number.POSITIVE_INFINITY, now + DAY_MS);
}

/**
 * When the emergency starts. From then on a renewal waits for less, may use more of the budget, and asks the next CA
 * whatever the previous one answered.
 */
export function emergencyAt(inUse: Lifetime): number {
  return expiringAt(inUse);
}

export function urgencyOf(inUse: Lifetime | null, now: number): Urgency {
  if (inUse === null) return 'new';
  return now >= emergencyAt(inUse) ? 'emergency' : 'renewal';
}

/**
 * When the emergency of a certificate starts, as a bound for waits; infinite: it has started, or there is no
 * certificate.
 */
export function quietUntil(inUse: Lifetime | null, now: number): number {
  const at = inUse === null ? now : emergencyAt(inUse);
  return at > now ? at : Number.POSITIVE_INFINITY;
}

/**
 * The longest back-off that a certificate can afford: until its emergency starts, then an hour or a tenth of the
 * emergency; infinite without one.
 */
export function longestBackoffMs(inUse: Lifetime | null, now: number): number {
  if (inUse === null) return Number.POSITIVE_INFINITY;
  const calmMs = emergencyAt(inUse) - now;
  return calmMs > 0 ? calmMs : Math.min(HOUR_MS, (inUse.notAfter - emergencyAt(inUse)) / 10);
}

/** Whether the CA exempts an order for the renewal from its limits: now is within the window that it suggested. */
export function isExempt({ source, startsAt, endsAt }: RenewalWindow, now: number): boolean {
  return source === 'ari' && startsAt <= now && now < endsAt;
}
