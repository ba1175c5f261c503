import { type Domain, WINDOW_MS } from './domain.ts';
import type { Observation } from './observation.ts';
import { CHECK_INTERVAL_MS, shortestPeriodMs } from './schedule.ts';
import { type Claim, failure, obstacle, superseded } from './verification-error.ts';

/** What consecutive checks have to remember. */
export interface CheckMemory {
  /** Checks in a row that could not read a record that decides something; counted up to `UNREADABLE_CHECKS`. */
  unreadableInARow: number;
  /** Since when every check has found that a claimant fulfils the takeover rule; null while the last one did not. */
  provenSince: number | null;
}

/** What a check found when it began. */
export interface Checked {
  domain: Domain;
  memory: CheckMemory;
  /** Another workspace's verified domain of the same name. */
  incumbent: Domain | null;
  /** When the check was claimed: from the end of the window on it is the last one. */
  claimedAt: number;
}

/** What is to be saved. `after` is `domain` itself when a reader would see no change. */
export interface Transition {
  after: Domain;
  memory: CheckMemory;
  /** The incumbent after a takeover; absent without one. */
  loser?: Domain;
}

/** From this many unreadable checks in a row on, the customer is told. */
export const UNREADABLE_CHECKS = 3;

/** How verification is timed; only the playground and tests change it. */
export interface Timing {
  windowMs: number;
  checkIntervalMs: number;
}

const TIMING: Timing = { windowMs: WINDOW_MS, checkIntervalMs: CHECK_INTERVAL_MS };

/** End of the verification window; a check that is claimed from this millisecond on is the last one. */
export function windowEndsAt(domain: Pick<Domain, 'windowStartedAt'>, windowMs = WINDOW_MS): number {
  return domain.windowStartedAt + windowMs;
}

/**
 * The rule of verification (spec: States and transitions; docs/verification.md): what a completed check makes of a domain.
 * Whoever saves it makes sure that `checked` still holds at that moment. A domain that is `verified` or `failed` stays as it is.
 */
export function transition(checked: Checked, seen: Observation, now: number, timing = TIMING): Transition {
  const { domain, incumbent } = checked;
  if (domain.status === 'verified' || domain.status === 'failed') return { after: domain, memory: checked.memory };

  const memory = remember(checked, seen, now);
  const seenDomain: Domain = {
    ...domain,
    routingVerifiedAt: flag(domain.routingVerifiedAt, seen.routing.kind, now),
    ownershipVerifiedAt: flag(domain.ownershipVerifiedAt, seen.ownership.kind, now),
  };

  const holds = incumbent === null ? proves(domain, seen) : hasProvenLongEnough(memory, now, timing);
  if (holds) {
    const after = changed({ ...seenDomain, status: 'verified', verifiedAt: now, verificationError: null }, now);
    return incumbent === null ? { after, memory } : { after, memory, loser: supersede(incumbent, now) };
  }
  if (checked.claimedAt >= windowEndsAt(domain, timing.windowMs)) {
    const verificationError = failure(domain, seen, timing.windowMs, claimOf(checked, seen));
    return { after: changed({ ...seenDomain, status: 'failed', verificationError }, now), memory };
  }
  const verificationError = obstacleNow(checked, seen, memory);
  const after: Domain = { ...seenDomain, status: 'verifying', verificationError };
  return { after: sameToReaders(domain, after) ? domain : changed(after, now), memory };
}

/**
 * A retry asked for by the customer. While checks go on it changes nothing: a check at once is all there is to it, and what a check
 * in flight sees still counts. From `failed` it begins a new window; flags and error stay until there is a new result. Null when there
 * is nothing to retry: the domain is verified.
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

/** Whether the records that were read prove the domain, when nobody else holds its name. */
function proves(domain: Domain, { routing, ownership }: Observation): boolean {
  // An apex cannot be verified through its routing record (spec: record rule 2).
  if (domain.kind === 'apex') return ownership.kind === 'matched';
  return routing.kind === 'matched' || (ownership.kind === 'matched' && routing.kind === 'hidden');
}

/** Whether a claimant's proof outweighs the incumbent's: a TXT left behind by a former owner must not take live traffic. */
function outweighs(domain: Domain, incumbent: Domain, seen: Observation): boolean {
  const { routing, ownership } = seen;
  const proven =
    ownership.kind === 'matched' && (domain.kind === 'apex' || routing.kind === 'matched' || routing.kind === 'hidden');
  return proven && !isOlderClaim(domain, incumbent) && incumbentIsGone(seen);
}

/** A token made before the incumbent was verified may have been left behind in the zone. */
function isOlderClaim(domain: Domain, incumbent: Domain): boolean {
  return domain.createdAt <= (incumbent.verifiedAt ?? Number.POSITIVE_INFINITY);
}

/** Both of the incumbent's records were read, and neither is there any more. */
function incumbentIsGone({ incumbent }: Observation): boolean {
  if (incumbent === undefined) return false;
  const { ownership, routing } = incumbent;
  const ownershipGone = ownership.kind === 'absent' || ownership.kind === 'wrong';
  const routingGone = routing.kind === 'absent' || routing.kind === 'elsewhere' || routing.kind === 'hidden';
  return ownershipGone && routingGone;
}

function remember({ domain, memory, incumbent }: Checked, seen: Observation, now: number): CheckMemory {
  const proven = incumbent !== null && outweighs(domain, incumbent, seen);
  const unreadable = isUnreadable(domain, seen);
  return {
    unreadableInARow: unreadable ? Math.min(memory.unreadableInARow + 1, UNREADABLE_CHECKS) : 0,
    // A time to come is one of a clock that was set back since.
    provenSince: proven ? Math.min(memory.provenSince ?? now, now) : null,
  };
}

/**
 * A claimant must prove itself in two checks in a row, at least the shortest period of the schedule apart: a slip in the zone that lasts
 * for a second must not move live traffic, however often checks are asked for.
 */
function hasProvenLongEnough({ provenSince }: CheckMemory, now: number, { checkIntervalMs }: Timing): boolean {
  return provenSince !== null && now - provenSince >= shortestPeriodMs(checkIntervalMs);
}

/** Whether a record that decides something could not be read. The routing record of an apex decides nothing. */
function isUnreadable({ kind }: Domain, { routing, ownership }: Observation): boolean {
  return ownership.kind === 'unreadable' || (kind === 'subdomain' && routing.kind === 'unreadable');
}

/** The error to show while verification goes on. What could not be read is told after three checks in a row. */
function obstacleNow(checked: Checked, seen: Observation, memory: CheckMemory): string | null {
  const claim = claimOf(checked, seen);
  const { domain } = checked;
  if (!isUnreadable(domain, seen) || memory.unreadableInARow >= UNREADABLE_CHECKS) return obstacle(domain, seen, claim);
  return obstacle(domain, seen, claim, { tellUnreadable: false }) ?? domain.verificationError;
}

function claimOf({ domain, incumbent }: Checked, seen: Observation): Claim | undefined {
  if (incumbent === null) return undefined;
  return {
    proven: proves(domain, seen),
    olderClaim: isOlderClaim(domain, incumbent),
    gone: incumbentIsGone(seen),
  };
}

function supersede(incumbent: Domain, now: number): Domain {
  return changed(
    {
      ...incumbent,
      status: 'failed',
      verificationError: superseded(incumbent),
      routingVerifiedAt: null,
      ownershipVerifiedAt: null,
      verifiedAt: null,
    },
    now,
  );
}

/** Flags say what the last readable check saw. */
function flag(
  before: number | null,
  seen: Observation['routing']['kind'] | Observation['ownership']['kind'],
  now: number,
): number | null {
  if (seen === 'matched') return before ?? now;
  if (seen === 'unreadable' || seen === 'disagree') return before;
  return null;
}

function sameToReaders(a: Domain, b: Domain): boolean {
  return (
    a.status === b.status &&
    a.verificationError === b.verificationError &&
    (a.routingVerifiedAt === null) === (b.routingVerifiedAt === null) &&
    (a.ownershipVerifiedAt === null) === (b.ownershipVerifiedAt === null)
  );
}

function changed(domain: Domain, now: number): Domain {
  return { ...domain, updatedAt: now, revision: domain.revision + 1 };
}
