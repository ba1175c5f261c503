import type { RenewalWindow } from '../../domain/certificate-state.ts';
import type { SuggestedRenewal } from '../issuer.ts';
import type { Urgency } from './budget.ts';

/** When certificates are renewed. Pure: times and randomness are arguments; `random` is in [0, 1). */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** However often the CA wants to be asked (RFC 9773 section 4.3.2). */
const ASK_MS = { least: MINUTE_MS, most: DAY_MS };

interface Validity {
  notBefore: number;
  notAfter: number;
}

interface Issued extends Validity {
  issuedAt: number;
  renewal: RenewalWindow;
}

/**
 * The window where no CA suggests one: it begins with a third of the lifetime left, and is as long as a tenth of that. The CA is asked for its own
 * within an hour; `asks` false: never.
 */
export function lifetimeWindow(
  { notBefore, notAfter }: Validity,
  now: number,
  random: number,
  asks: boolean,
): RenewalWindow {
  const third = (notAfter - notBefore) / 3;
  const startsAt = Math.round(notAfter - third);
  return {
    source: 'lifetime',
    startsAt,
    endsAt: Math.round(startsAt + third / 10),
    renewAt: Math.round(startsAt + (third / 10) * random),
    askAgainAt: asks ? Math.round(now + HOUR_MS * random) : null,
    explanationUrl: null,
  };
}

/**
 * The window that the CA suggests, and a moment in it (RFC 9773 section 4.2), which is drawn anew only where the window has moved. The moment is never later
 * than the emergency begins; nor is it in the certificate's first hours, or a CA that wants everything renewed at once, always, would keep us
 * ordering.
 */
export function suggestedWindow(
  issued: Issued,
  { startsAt, endsAt, explanationUrl, retryAfterMs }: SuggestedRenewal,
  now: number,
  random: number,
): RenewalWindow {
  const askAgainAt = now + Math.min(Math.max(retryAfterMs, ASK_MS.least), ASK_MS.most);
  const { renewal, issuedAt, notBefore, notAfter } = issued;
  // Not a window (section 4.2): as if the CA had said nothing.
  if (!(endsAt > startsAt)) return { ...renewal, askAgainAt };
  const known = renewal.source === 'ari' && renewal.startsAt === startsAt && renewal.endsAt === endsAt;
  const drawn = known ? renewal.renewAt : Math.round(startsAt + (endsAt - startsAt) * random);
  const earliest = issuedAt + Math.min(6 * HOUR_MS, (notAfter - notBefore) / 10);
  const renewAt = Math.min(Math.max(drawn, earliest), emergencyAt(issued));
  return { source: 'ari', startsAt, endsAt, renewAt, askAgainAt, explanationUrl };
}

/** The window as it was, where the CA could not be asked. */
export function unaskedWindow(renewal: RenewalWindow, now: number, random: number): RenewalWindow {
  return { ...renewal, askAgainAt: Math.round(now + HOUR_MS * (1 + random)) };
}

/** Whether its time has come, by the window or for an emergency. */
export function isToBeRenewed(issued: Issued, now: number): boolean {
  return now >= issued.renewal.renewAt || now >= emergencyAt(issued);
}

/** Whether the CA is to be asked for its window. What lies further ahead than any CA may say was written by a clock that has been set back since. */
export function isToBeAsked({ askAgainAt }: RenewalWindow, now: number): boolean {
  return askAgainAt !== null && (askAgainAt <= now || askAgainAt > now + 2 * ASK_MS.most);
}

/** When something is to be done about a certificate in use: at least daily it is looked at, so that no clock that was wrong once hides it for long. */
export function nextLookAt({ renewAt, askAgainAt }: RenewalWindow, now: number): number {
  return Math.min(renewAt, askAgainAt ?? Number.POSITIVE_INFINITY, now + DAY_MS);
}

/**
 * From then on a certificate's end is near: with a tenth of its lifetime left, at least a day, but not more than a quarter of it. Its renewal waits for
 * less, may spend more, and asks the next CA whatever the one before said.
 */
export function emergencyAt({ notBefore, notAfter }: Validity): number {
  return Math.round(notAfter - emergencyMs({ notBefore, notAfter }));
}

function emergencyMs({ notBefore, notAfter }: Validity): number {
  const lifetime = notAfter - notBefore;
  return Math.min(Math.max(lifetime / 10, DAY_MS), lifetime / 4);
}

/** How urgent an order is. */
export function urgencyOf(inUse: Validity | null, now: number): Urgency {
  if (inUse === null) return 'new';
  return now >= emergencyAt(inUse) ? 'emergency' : 'renewal';
}

/** When a certificate whose time is not short comes to be in an emergency, so that nothing puts its next look off beyond that. */
export function calmUntil(inUse: Validity | null, now: number): number {
  const at = inUse === null ? now : emergencyAt(inUse);
  return at > now ? at : Number.POSITIVE_INFINITY;
}

/** The longest wait between attempts that a certificate in its emergency can afford: an hour, or a tenth of what is left then. */
export function longestEmergencyWaitMs(inUse: Validity): number {
  return Math.min(HOUR_MS, emergencyMs(inUse) / 10);
}

/** Whether the CA exempts an order of the certificate's successor from its limits: it announced the renewal, and this is its time. */
export function isAnnounced({ source, startsAt, endsAt }: RenewalWindow, now: number): boolean {
  return source === 'ari' && startsAt <= now && now < endsAt;
}
