import { UNREADY } from '../../../words/reasons.ts';

/** The states of a certificate, and the reasons why it is not issued. */

/**
 * `wanted`: not attempted yet. `waiting_for_routing`: the name would fail the CA's validation, so there is no order.
 * `ordering`: an order is in flight. `issued`: a certificate is in use. `renewing`: one is in use, its successor is being
 * ordered. `failed`: the CA did not issue; the order is retried.
 */
export type CertificateState = 'wanted' | 'waiting_for_routing' | 'ordering' | 'issued' | 'renewing' | 'failed';

const ASKED_EVERY_MS = 10_000;

/**
 * When a certificate is attempted because somebody wants to know: at the end of these ten seconds, so that many requests
 * cost one preflight. Unix ms.
 */
export function askedTryAt(now: number): number {
  return Math.ceil(now / ASKED_EVERY_MS) * ASKED_EVERY_MS;
}

/** How a CA validates a name: RFC 8555 sections 8.3 and 8.4, RFC 8737. */
export type ChallengeType = 'http-01' | 'dns-01' | 'tls-alpn-01';

/** A reason why a certificate is not issued. */
export type CertificateReason =
  /** The name has no address. */
  | 'no_address'
  /** The name's records, or its CAA records, could not be read. */
  | 'dns_unreadable'
  /** The name resolves to an address that is not on the public Internet. */
  | 'address_not_public'
  /** An address of the name does not answer on port 80. */
  | 'unreachable'
  /** Another server answers at an address of the name, or redirects elsewhere. */
  | 'answered_by_another'
  /** A CAA record forbids the CA (RFC 8659). */
  | 'caa_forbids'
  /** A wildcard has no challenge record. */
  | 'no_challenge_record'
  /** The challenge record of a wildcard leads elsewhere. */
  | 'challenge_elsewhere'
  /** Our challenge is not found from the name, although our DNS servers answer it. */
  | 'challenge_not_seen'
  /** Our DNS servers do not answer, or answer without the challenge. */
  | 'dns_servers_failing'
  /** Our own budget at the CA is spent (docs/guides/certificates.md). */
  | 'budget_spent'
  /** The CA's rate limit was reached. */
  | 'ca_rate_limited'
  /** The CA does not answer, or answers with a server error. */
  | 'ca_unavailable'
  /** The CA does not accept our account. */
  | 'ca_account'
  /** The CA could not validate our challenge response. */
  | 'authorization_failed'
  /** The CA does not issue for this name. */
  | 'ca_refused'
  /** No process orders certificates. */
  | 'not_issued_here';

/** Reasons why no name of this installation is ordered. */
const NOT_THE_NAMES: readonly CertificateReason[] = ['ca_unavailable', 'ca_account', 'dns_servers_failing'];

/**
 * Since when a certificate has been waiting for this installation or its CA: its domain is verified, none is in use, and nothing about the name is in the way.
 * Null: it does not wait; or it waits for its owner, for DNS, or for a limit of its name; or the CA has refused it. Where limits are spent for all names, or
 * nobody orders certificates, those that were not attempted wait.
 */
export function waitingSince({
  state,
  problem,
  createdAt,
}: {
  state: CertificateState;
  problem: CertificateProblem | null;
  createdAt: number;
}): number | null {
  if (state !== 'wanted' && state !== 'failed') return null;
  if (problem === null) return createdAt;
  return NOT_THE_NAMES.includes(problem.reason) ? problem.at : null;
}

/** Whether the CA was not told of a challenge, so that an order in flight may go on with one of another type. */
export function isBeforeChallenge({ reason }: CertificateProblem): boolean {
  return UNREADY.has(reason) || reason === 'budget_spent';
}

/** Returns what is left of a problem when an order has begun. */
export function problemWhileOrdering(problem: CertificateProblem | null): CertificateProblem | null {
  return problem !== null && isBeforeChallenge(problem) ? null : problem;
}

export interface CertificateProblem {
  reason: CertificateReason;
  /** Says what happened, where, and what to do: for the customer or the operator, at most 512 characters, without secrets. */
  message: string;
  /** Since when the reason is this one. */
  at: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long a certificate that is due, and the last sign of a process that would order it, may be ago. Processes give one every minute. */
const UNATTENDED_MS = 5 * 60_000;

/**
 * The problem of a certificate that is due while no process orders certificates; null: there is one, or the certificate is not due. `lastIssuingAt`: when a
 * process last said that it does; null: never.
 */
export function unattendedProblem(
  { nextTryAt }: { nextTryAt: number },
  lastIssuingAt: number | null,
  now: number,
): CertificateProblem | null {
  const isAttended = lastIssuingAt !== null && Math.abs(now - lastIssuingAt) < UNATTENDED_MS;
  if (isAttended || now - nextTryAt < UNATTENDED_MS) return null;
  const message =
    'No process of this installation orders certificates: none with the role "certificates" is running. Unless this name has its certificates from elsewhere, the operator of this service needs to start one.';
  return { reason: 'not_issued_here', message, at: nextTryAt };
}

/** The longest time between two attempts, whatever a CA asks for. */
export const LONGEST_WAIT_MS = 8 * DAY_MS;

/** How long the ledger of orders is kept: no limit may have a longer window. */
export const LEDGER_RETENTION_MS = 30 * DAY_MS;

/**
 * The latest plausible time of the next attempt as of `now`. A later one was set by a clock that has been set back since;
 * it counts as due now. The clocks of machines that share a store differ by less.
 */
export function furthestTryAt(now: number): number {
  return now + LONGEST_WAIT_MS + DAY_MS;
}

/** The issuer of a certificate that the owner of the name brought. */
export const IMPORTED = 'imported';

/** The issuer of a certificate that was issued to the server that a name moves from: renewed as one of ours, by another account. */
export const MOVED = 'moved';

/** Whether others may have the key of a certificate of this issuer. It serves nobody but the domain that brought it. */
export function isBrought(issuer: string): boolean {
  return issuer === IMPORTED || issuer === MOVED;
}

/** An imported certificate counts as one that lasts from its import on, and no longer than this: it may be in use for most of a year. */
const LONGEST_IMPORTED_MS = 90 * DAY_MS;

/** The times of a certificate in use. */
export interface Lifetime {
  notBefore: number;
  notAfter: number;
  /** Both matter where it is imported. */
  issuer?: string;
  issuedAt?: number;
}

function lifetimeMs({ issuer, issuedAt, notBefore, notAfter }: Lifetime): number {
  if (issuer !== IMPORTED) return notAfter - notBefore;
  return Math.min(notAfter - (issuedAt ?? notBefore), LONGEST_IMPORTED_MS);
}

/** From when on a certificate in use counts as expiring: with a tenth of its lifetime left, at least a day, at most a quarter. */
export function expiringAt(inUse: Lifetime): number {
  const lifetime = lifetimeMs(inUse);
  return Math.round(inUse.notAfter - Math.min(Math.max(lifetime / 10, DAY_MS), lifetime / 4));
}

/**
 * When `certificate.expiring` is due. With half of its lifetime left for an imported certificate: its owner may bring another one before a managed
 * one takes its place.
 */
export function announcedAt(inUse: Lifetime): number {
  if (inUse.issuer !== IMPORTED) return expiringAt(inUse);
  return Math.round(inUse.notAfter - lifetimeMs(inUse) / 2);
}

/**
 * The window of renewal without a suggestion of the CA: it starts with a third of the lifetime left, and lasts a tenth of that third. In that of an imported
 * certificate, a managed one takes its place. That of a moved one lasts from `now` at the earliest until it expires soon: thousands may come at once, and
 * each renewal is a new order. `random` is in [0, 1). `usesAri`: the CA is asked for its suggestion within an hour.
 */
export function lifetimeWindow(inUse: Lifetime, now: number, random: number, usesAri: boolean): RenewalWindow {
  const third = lifetimeMs(inUse) / 3;
  const isMoved = inUse.issuer === MOVED;
  const startsAt = Math.round(isMoved ? Math.max(inUse.notAfter - third, now) : inUse.notAfter - third);
  const lastsMs = isMoved ? Math.max(0, expiringAt(inUse) - startsAt) : third / 10;
  return {
    source: 'lifetime',
    startsAt,
    endsAt: Math.round(startsAt + lastsMs),
    renewAt: Math.round(startsAt + lastsMs * random),
    askAgainAt: usesAri ? Math.round(now + HOUR_MS * random) : null,
    explanationUrl: null,
  };
}

/** The response at one address of the name to a request for our own challenge path. */
export interface SelfCheckAnswer {
  address: string;
  outcome: 'ours' | 'another' | 'unreachable' | 'not_public';
  /** Instead of our response: status and beginning of the body, where it redirected to, or the error. Safe to print. */
  seen: string | null;
}

export interface SelfCheck {
  at: number;
  answers: SelfCheckAnswer[];
}

/** One record of a CAA set (RFC 8659 section 4.1). */
export interface CaaRecord {
  /** A CA that does not understand the tag must not issue. */
  critical: boolean;
  /** `issue`, `issuewild`, …; lower case. */
  tag: string;
  value: string;
}

/**
 * Stands for the token of a TLS-ALPN-01 challenge (RFC 8737), which no connection names: a name has one at a time. Tokens of
 * HTTP-01 are longer.
 */
export const TLS_ALPN_TOKEN = 'tls-alpn-01';

/** Under this issuer, the store keeps the key that is to replace that of a CA account, until the CA has it. */
export function successorOf(issuer: string): string {
  return `${issuer}#successor`;
}

/** When a certificate is to be renewed. */
export interface RenewalWindow {
  /** Suggested by the CA (RFC 9773), or a third of the lifetime left. */
  source: 'ari' | 'lifetime';
  startsAt: number;
  endsAt: number;
  /** A random time in the window. */
  renewAt: number;
  /** When to ask the CA for the window again; null: never. */
  askAgainAt: number | null;
  explanationUrl: string | null;
}
