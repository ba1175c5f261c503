import { type Domain, WINDOW_MS } from './domain.ts';
import type { Finding } from './finding.ts';
import { isOwnLimit, type Reading, type RecordReading } from './reading.ts';
import { ownershipName } from './records.ts';
import { CHECK_INTERVAL_MS, shortestPeriodMs } from './schedule.ts';
import { isProvenByRouting } from './shared-target.ts';
import {
  describeTakeover,
  describeUnreadable,
  failureOf,
  mistakesOf,
  type TakeoverClaim,
  verificationErrorOf,
} from './verification-error.ts';

/** One check passes this on to the next. */
export interface CheckMemory {
  /** Consecutive checks that could not read a deciding record; counted up to `UNREADABLE_CHECKS`. */
  unreadableInARow: number;
  /** Since when every check has found the takeover rule fulfilled; null while the last one did not. */
  provenSince: number | null;
  ownershipDoubt: RecordDoubt;
  routingDoubt: RecordDoubt;
  /** The first answers, shortened (`verification/observation/observe.ts`): a check that reads the same again asks no more. Null: unknown. */
  fingerprint: string | null;
}

/**
 * `disputed`: the nameservers disagreed. `one_server`, `one_server_twice`: the record matched, but one nameserver of several answered alone, in one
 * check or in two and more in a row.
 */
export type RecordDoubt = 'disputed' | 'one_server' | 'one_server_twice' | null;

/** Before the first check. */
export const NO_MEMORY: CheckMemory = {
  unreadableInARow: 0,
  provenSince: null,
  ownershipDoubt: null,
  routingDoubt: null,
  fingerprint: null,
};

export function sameMemory(a: CheckMemory, b: CheckMemory): boolean {
  return (
    a.unreadableInARow === b.unreadableInARow &&
    a.provenSince === b.provenSince &&
    a.ownershipDoubt === b.ownershipDoubt &&
    a.routingDoubt === b.routingDoubt &&
    a.fingerprint === b.fingerprint
  );
}

/** The state at the beginning of a check. */
interface CheckStart {
  domain: Domain;
  memory: CheckMemory;
  /** Another workspace's verified domain of the same name. */
  incumbent: Domain | null;
  /** When the check was claimed. From the end of the window on it is the last one. */
  claimedAt: number;
  /** Whether the domain has a route already, although it is not verified (`isPreparedBy`). */
  isPrepared?: boolean;
}

/** The result to save. `after` is `domain` itself when a reader would see no change. */
interface Transition {
  after: Domain;
  memory: CheckMemory;
  /** The incumbent after a takeover; absent without one. */
  loser?: Domain;
  /** The domain becomes prepared: it gets its route and its certificate before it is verified. */
  prepares?: boolean;
  /** The message that tells the owner what to correct; absent: nothing new is known. */
  mistakes?: Finding[] | undefined;
}

/** Consecutive unreadable checks after which the customer is told. */
const UNREADABLE_CHECKS = 3;

/** Whether a record could not be read in the last checks, and the customer has not been told yet. */
export function countsUnreadable({ unreadableInARow }: CheckMemory): boolean {
  return unreadableInARow > 0 && unreadableInARow < UNREADABLE_CHECKS;
}

/** Only the playground and tests change it. */
interface Timing {
  windowMs: number;
  checkIntervalMs: number;
}

const TIMING: Timing = { windowMs: WINDOW_MS, checkIntervalMs: CHECK_INTERVAL_MS };

/** End of the verification window, Unix ms; a check claimed at or after it is the last one. */
export function windowEndsAt(domain: Pick<Domain, 'windowStartedAt'>, windowMs = WINDOW_MS): number {
  return domain.windowStartedAt + windowMs;
}

/**
 * The verification rule (spec: States and transitions; docs/guides/verification.md): the state of a domain after a check. The
 * caller saves it only if `start` still holds at that moment. A domain that is `verified` or `failed` does not change.
 * `findings`: what the check found wrong, for `verificationError`; `as_before`: nothing new.
 */
export function transition(
  start: CheckStart,
  reading: Reading,
  findings: readonly Finding[] | 'as_before',
  now: number,
  timing = TIMING,
): Transition {
  const { domain, incumbent } = start;
  if (domain.status === 'verified' || domain.status === 'failed') return { after: domain, memory: start.memory };

  const memory = nextMemory(start, reading, now);
  const observed: Domain = {
    ...domain,
    routingVerifiedAt: flag(domain.routingVerifiedAt, reading.routing, now),
    ownershipVerifiedAt: flag(domain.ownershipVerifiedAt, reading.ownership, now),
    challengeVerifiedAt: challengeFlag(domain, reading, now),
  };

  const verified = incumbent === null ? proves(domain, reading) : hasProvenLongEnough(memory, now, timing);
  if (verified) {
    const after = changed({ ...observed, status: 'verified', verifiedAt: now, verificationError: null }, now);
    return incumbent === null ? { after, memory } : { after, memory, loser: loseName(incumbent, now) };
  }
  const mistakes = mistakesIn(domain, reading, findings, memory);
  if (start.claimedAt >= windowEndsAt(domain, timing.windowMs)) {
    const claim = incumbent === null ? undefined : claimOf({ domain, incumbent }, reading);
    const told = { claim, unread: unreadByLimit(domain, reading) };
    const verificationError = failureOf(findings === 'as_before' ? [] : findings, timing.windowMs, told);
    return { after: changed({ ...observed, status: 'failed', verificationError }, now), memory, mistakes };
  }
  const verificationError =
    findings === 'as_before' ? domain.verificationError : currentError(domain, reading, findings, memory);
  const after: Domain = { ...observed, status: 'verifying', verificationError };
  const prepares = !start.isPrepared && isPreparedBy(reading, incumbent);
  return {
    after: sameToReaders(domain, after) && !prepares ? domain : changed(after, now),
    memory,
    mistakes,
    ...(prepares && { prepares }),
  };
}

/**
 * Whether a waiting domain may have its certificate before the switch: its owner has proved it and lets us order over DNS, and nobody holds the name. It
 * stays prepared until it is verified, its window ends, it is deleted, or another domain has the newer proof.
 */
export function isPreparedBy({ ownership, challenge }: Reading, incumbent: Domain | null): boolean {
  return incumbent === null && ownership.kind === 'matched' && challenge?.kind === 'matched';
}

/** Undefined where a record could not be read: that is told only when it lasts, and what is known of it stays. */
function mistakesIn(
  domain: Domain,
  reading: Reading,
  findings: readonly Finding[] | 'as_before',
  { unreadableInARow }: CheckMemory,
): Finding[] | undefined {
  const reportUnreadable = unreadableInARow >= UNREADABLE_CHECKS;
  if (findings === 'as_before' || (isUnreadable(domain, reading) && !reportUnreadable)) return undefined;
  return mistakesOf(findings, { reportUnreadable });
}

/** Whether a transition needs answers that nobody can forge: it verifies, prepares or fails a domain, finds one of its records, or counts for a takeover. */
export function isDecision(domain: Domain, { after, memory, prepares = false }: Transition): boolean {
  const isFinal = after.status !== domain.status && (after.status === 'verified' || after.status === 'failed');
  const findsRouting = domain.routingVerifiedAt === null && after.routingVerifiedAt !== null;
  const findsOwnership = domain.ownershipVerifiedAt === null && after.ownershipVerifiedAt !== null;
  return isFinal || prepares || findsRouting || findsOwnership || memory.provenSince !== null;
}

/**
 * The domain after a retry by the customer; null when it is verified already. From `failed` a new window begins; flags
 * and error stay until there is a new result. While checks run it does not change, so that a check in flight still counts.
 */
export function retry(domain: Domain, now: number): Domain | null {
  switch (domain.status) {
    case 'pending':
    case 'verifying':
      return domain;
    case 'failed':
      return changed({ ...domain, status: 'pending', windowStartedAt: now }, now);
    case 'verified':
      return null;
    default:
      return domain.status satisfies never;
  }
}

/**
 * Whether another attachment of its name in the workspace may take its place, unless it was verified before. Whoever has
 * just proved that the name is theirs keeps it until the window ends.
 */
export function isReplaceable({ status, ownershipVerifiedAt }: Domain): boolean {
  return status === 'failed' || (status !== 'verified' && ownershipVerifiedAt === null);
}

/**
 * A deleted domain as it comes back. `verifiedAt` and `createdAt` are those from before: what the domain may claim, and who may take it over, is decided as if it had
 * been there all the time. One that is not verified begins a new window, since its own may be over.
 */
export function restored(domain: Domain, now: number): Domain {
  const { status } = domain;
  if (status === 'verified') return changed(domain, now);
  return changed({ ...domain, status: status === 'failed' ? 'pending' : status, windowStartedAt: now }, now);
}

/** Whether the records prove the domain, provided that nobody else holds its name. */
function proves(domain: Domain, { routing, ownership }: Reading): boolean {
  // An apex cannot be verified through a routing record of its own (spec: record rule 2).
  if (routing.kind === 'matched' && isProvenByRouting(domain)) return true;
  return domain.kind === 'apex'
    ? ownership.kind === 'matched'
    : ownership.kind === 'matched' && routing.kind === 'hidden';
}

/** The takeover rule. A TXT record left behind by a former owner must not take live traffic. */
function outweighs(domain: Domain, incumbent: Domain, reading: Reading): boolean {
  const { routing, ownership } = reading;
  const proven =
    ownership.kind === 'matched' && (domain.kind === 'apex' || routing.kind === 'matched' || routing.kind === 'hidden');
  return proven && !isOlderClaim(domain, incumbent) && incumbentIsGone(incumbent, reading);
}

/** A token made before the incumbent was verified may have been left behind in the zone. */
function isOlderClaim(domain: Domain, incumbent: Domain): boolean {
  return domain.createdAt <= (incumbent.verifiedAt ?? Number.POSITIVE_INFINITY);
}

/** Whether both of the incumbent's records were read, and neither is there any more. */
function incumbentIsGone({ target }: Domain, { incumbent }: Reading): boolean {
  if (incumbent === undefined) return false;
  const { ownership, routing } = incumbent;
  if (routing.kind === 'conflicting' && [...routing.chain, ...routing.beside].includes(target)) return false;
  const ownershipGone = ownership.kind === 'absent' || ownership.kind === 'wrong';
  const routingGone = ['absent', 'elsewhere', 'hidden', 'conflicting'].includes(routing.kind);
  return ownershipGone && routingGone;
}

function nextMemory({ domain, memory, incumbent }: CheckStart, reading: Reading, now: number): CheckMemory {
  const proven = incumbent !== null && outweighs(domain, incumbent, reading);
  const unreadable = isUnreadable(domain, reading);
  return {
    unreadableInARow: unreadable ? Math.min(memory.unreadableInARow + 1, UNREADABLE_CHECKS) : 0,
    // A time in the future comes from a clock that was set back since.
    provenSince: proven ? Math.min(memory.provenSince ?? now, now) : null,
    ownershipDoubt: doubtOf(memory.ownershipDoubt, reading.ownership),
    routingDoubt: doubtOf(memory.routingDoubt, reading.routing),
    fingerprint: memory.fingerprint,
  };
}

/** The next check has to know this about a record. */
function doubtOf(before: RecordDoubt, reading: RecordReading): RecordDoubt {
  if (reading.kind === 'disagree') return 'disputed';
  if (reading.kind === 'matched') return reading.byOneServer ? 'one_server_twice' : null;
  if (reading.kind !== 'unconfirmed' || reading.reason !== 'one_server') return null;
  return before === 'one_server' || before === 'one_server_twice' ? 'one_server_twice' : 'one_server';
}

/**
 * A claimant must prove itself in two consecutive checks, at least the shortest period of the schedule apart: a mistake
 * in the zone that lasts for a second must not move live traffic, however often checks are requested.
 */
function hasProvenLongEnough({ provenSince }: CheckMemory, now: number, { checkIntervalMs }: Timing): boolean {
  return provenSince !== null && now - provenSince >= shortestPeriodMs(checkIntervalMs);
}

/** Whether a deciding record could not be read. */
function isUnreadable(domain: Domain, { routing, ownership }: Reading): boolean {
  return ownership.kind === 'unreadable' || (isProvenByRouting(domain) && routing.kind === 'unreadable');
}

/** Why a deciding record could not be read, where the cause is a limit of ours: no finding tells it. */
function unreadByLimit(domain: Domain, { routing, ownership }: Reading): string | undefined {
  const limited = (reading: RecordReading, name: string) =>
    reading.kind === 'unreadable' && isOwnLimit(reading.reason)
      ? describeUnreadable(name, { reason: reading.reason, chain: [] })
      : undefined;
  return limited(ownership, ownershipName(domain)) ?? limited(routing, domain.name);
}

/** The error to show during verification: the first mistake. One unreadable check keeps the previous error. */
function currentError(
  domain: Domain,
  reading: Reading,
  findings: readonly Finding[],
  { unreadableInARow }: CheckMemory,
): string | null {
  const reportUnreadable = unreadableInARow >= UNREADABLE_CHECKS;
  const error = verificationErrorOf(findings, { reportUnreadable });
  const keepsPrevious = isUnreadable(domain, reading) && !reportUnreadable;
  return keepsPrevious ? (error ?? domain.verificationError) : error;
}

/** How a claimant stands against the incumbent. */
export function claimOf({ domain, incumbent }: { domain: Domain; incumbent: Domain }, reading: Reading): TakeoverClaim {
  return {
    proven: proves(domain, reading),
    olderClaim: isOlderClaim(domain, incumbent),
    incumbentGone: incumbentIsGone(incumbent, reading),
  };
}

function loseName(incumbent: Domain, now: number): Domain {
  return changed(
    {
      ...incumbent,
      status: 'failed',
      verificationError: describeTakeover(incumbent),
      routingVerifiedAt: null,
      ownershipVerifiedAt: null,
      challengeVerifiedAt: null,
      verifiedAt: null,
    },
    now,
  );
}

/** A flag keeps the result of the last check that could read the record to the end. */
export function flag(before: number | null, { kind }: RecordReading, now: number): number | null {
  if (kind === 'matched') return before ?? now;
  if (kind === 'unreadable' || kind === 'disagree' || kind === 'unconfirmed') return before;
  return null;
}

/** The flag of the challenge record, which nobody may have looked at. */
export function challengeFlag(domain: Domain, { challenge }: Pick<Reading, 'challenge'>, now: number): number | null {
  return challenge === undefined ? domain.challengeVerifiedAt : flag(domain.challengeVerifiedAt, challenge, now);
}

/** Whether the API shows the same of both. */
export function sameToReaders(a: Domain, b: Domain): boolean {
  return (
    a.status === b.status &&
    a.verificationError === b.verificationError &&
    (a.routingVerifiedAt === null) === (b.routingVerifiedAt === null) &&
    (a.ownershipVerifiedAt === null) === (b.ownershipVerifiedAt === null) &&
    (a.challengeVerifiedAt === null) === (b.challengeVerifiedAt === null)
  );
}

/** The domain after a change that readers see. */
export function changed(domain: Domain, now: number): Domain {
  return { ...domain, updatedAt: now, revision: domain.revision + 1 };
}
