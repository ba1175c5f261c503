import type { Domain } from './domain.ts';
import { describeDrift, describeRemoval } from './drift-error.ts';
import type { RecordReading, RecordRole } from './reading.ts';
import type { AddressReading, Recheck } from './recheck.ts';
import { isAnyShared, isProvenByRouting, isShared } from './shared-target.ts';
import { challengeFlag, changed, flag, sameToReaders } from './status.ts';

/** The rule for verified domains (docs/guides/verification.md, Monitoring). Pure: time and randomness are arguments. */

/** `tell`: what a verified domain has lost is reported. `enforce`: besides, a domain that is gone for seven days fails. */
export type MonitoringMode = 'tell' | 'enforce';

/** `health`: what the domain needs to be healthy. */
export type Loss = RecordRole | 'health';

/** One re-check passes this on to the next. */
export interface MonitorMemory {
  /** Losses that the last re-check saw for the first time. Only a loss that a second one sees too is told. */
  suspected: Loss[];
  /** Since when the domain is unhealthy and its owner is told so; null: healthy. */
  driftedSince: number | null;
  /** In mode `enforce`: the first and the last of the re-checks since which nothing leads to us; null: something does. */
  goneSince: number | null;
  goneUntil: number | null;
}

/** That of a domain that was verified just now. */
export const HEALTHY: MonitorMemory = { suspected: [], driftedSince: null, goneSince: null, goneUntil: null };

export function isSameMemory(a: MonitorMemory, b: MonitorMemory): boolean {
  return (
    a.suspected.join() === b.suspected.join() &&
    a.driftedSince === b.driftedSince &&
    a.goneSince === b.goneSince &&
    a.goneUntil === b.goneUntil
  );
}

/** The result of a re-check, to be saved. */
export interface Monitored {
  /** `domain` itself when a reader would see no change. */
  after: Domain;
  memory: MonitorMemory;
  outcome: RecheckOutcome;
}

/** `suspected`: a first re-check saw a loss, and nobody is told before a second one. */
export type RecheckOutcome =
  | 'healthy'
  | 'unreadable'
  | 'suspected'
  | 'drifted'
  | 'still_drifted'
  | 'recovered'
  | 'failed';

/** A day of monitoring is a step of 24 hours, counted from the first re-check that found nothing left. */
export const MONITORING_DAY_MS = 86_400_000;
/** Consecutive days without anything that leads to us, after which a domain fails in mode `enforce`. */
export const GONE_DAYS = 7;

/**
 * The state of a verified domain after a re-check. The caller saves it only if the domain is still the one that was read. `countsDays`: whether
 * `now` counts towards the seven days.
 */
export function monitor(
  domain: Domain,
  memory: MonitorMemory,
  seen: Recheck,
  now: number,
  mode: MonitoringMode,
  countsDays = true,
): Monitored {
  if (domain.status !== 'verified') return { after: domain, memory, outcome: 'unreadable' };
  const healthy = isHealthy(domain, seen);
  const leadsNowhere = mode === 'enforce' ? isGone(domain, seen) : false;
  const gone = leadsNowhere && !countsDays ? null : leadsNowhere;
  const losses = lossesOf(domain, memory, seen, healthy);
  const confirmed = (loss: Loss) => losses.get(loss) === true && memory.suspected.includes(loss);
  const wasDrifted = memory.driftedSince !== null;
  const drifted = healthy === false ? wasDrifted || confirmed('health') : healthy === null && wasDrifted;

  const next: MonitorMemory = {
    // A loss that cannot be read is suspected still.
    suspected: LOSSES.filter((loss) => {
      const lost = losses.get(loss);
      return lost === null ? memory.suspected.includes(loss) : lost === true && !confirmed(loss);
    }),
    driftedSince: drifted ? (memory.driftedSince ?? now) : null,
    ...countGone(memory, gone, now),
  };
  // Only a re-check that itself found nothing fails a domain.
  if (gone && next.goneSince !== null && now - next.goneSince >= GONE_DAYS * MONITORING_DAY_MS)
    return fail(domain, now);

  const observed: Domain = {
    ...domain,
    routingVerifiedAt: laterFlag(domain.routingVerifiedAt, seen.routing, confirmed('routing'), now),
    ownershipVerifiedAt: laterFlag(domain.ownershipVerifiedAt, seen.ownership, confirmed('ownership'), now),
    challengeVerifiedAt: challengeFlag(domain, seen, now),
    verificationError: drifted ? driftError(domain, seen, healthy, next) : null,
  };
  return {
    after: sameToReaders(domain, observed) ? domain : changed(observed, now),
    memory: next,
    outcome: outcomeOf(healthy, wasDrifted, drifted, next),
  };
}

/** A record that cannot be read changes nothing. */
function driftError(domain: Domain, seen: Recheck, healthy: boolean | null, { goneSince }: MonitorMemory) {
  return healthy === null
    ? domain.verificationError
    : describeDrift(domain, seen, goneSince === null ? null : GONE_DAYS);
}

/** Whether the addresses of a name have to be asked before a re-check can be judged: nothing in DNS says that it leads to us. */
export function needsSelfCheck(
  domain: Domain,
  { routing, ownership }: Pick<Recheck, 'routing' | 'ownership'>,
): boolean {
  if (domain.kind === 'apex' && !(isShared(domain) && isMatch(routing))) return ownership.kind !== 'unreadable';
  return ['hidden', 'elsewhere', 'absent', 'conflicting'].includes(routing.kind);
}

/** Whether the domain is as the rule of verification wants it, and leads to us. Null: that cannot be read. */
function isHealthy(domain: Domain, { routing, ownership, addresses }: Recheck): boolean | null {
  if (isProvenByRouting(domain)) {
    if (isMatch(routing)) return true;
    if (routing.kind === 'unreadable') return null;
    if (['disagree', 'conflicting', 'bogus'].includes(routing.kind)) return false;
  }
  if (isMatch(ownership)) return leadsToUs(routing, addresses);
  return ownership.kind === 'unreadable' ? null : false;
}

/** It has to be confirmed only before it verifies a domain: one nameserver that still has the record is enough to be healthy. */
function isMatch({ kind }: RecordReading): boolean {
  return kind === 'matched' || kind === 'unconfirmed';
}

/** The domain's ownership record matches here. Without a self-check, a hidden routing record counts as leading to us. */
function leadsToUs(routing: RecordReading, addresses: AddressReading): boolean | null {
  switch (addresses.kind) {
    case 'ours':
      return true;
    case 'partly':
    case 'elsewhere':
      return false;
    case 'unreadable':
      return null;
    case 'unchecked':
      return routing.kind !== 'elsewhere' && routing.kind !== 'absent';
    default:
      return addresses satisfies never;
  }
}

/** Whether nothing of the domain leads to us: no record matched, no address answered as ours. Null: that cannot be read. */
function isGone(domain: Domain, { routing, ownership, addresses }: Recheck): boolean | null {
  const { target } = domain;
  const has = (kind: RecordReading['kind']) => routing.kind === kind || ownership.kind === kind;
  if (isMatch(routing) || isMatch(ownership) || addresses.kind === 'ours' || addresses.kind === 'partly') return false;
  // Nameservers that disagree: one of them still has the record.
  if (has('disagree')) return false;
  if (routing.kind === 'conflicting' && [...routing.chain, ...routing.beside].includes(target)) return false;
  if (routing.kind === 'hidden' && isAnyShared(domain, routing.addresses)) return false;
  if (has('unreadable') || has('bogus') || addresses.kind === 'unreadable') return null;
  return addresses.kind === 'elsewhere' || routing.kind !== 'hidden';
}

const LOSSES: readonly Loss[] = ['routing', 'ownership', 'health'];

/** Whether this re-check saw a loss that the owner does not know of yet: true, false, or null where it cannot be read. */
function lossesOf(
  domain: Domain,
  memory: MonitorMemory,
  seen: Recheck,
  healthy: boolean | null,
): Map<Loss, boolean | null> {
  const flagFalls = (before: number | null, { kind }: RecordReading) => {
    if (before === null) return false;
    if (kind === 'unreadable' || kind === 'disagree') return null;
    return kind !== 'matched' && kind !== 'unconfirmed';
  };
  return new Map([
    ['routing', flagFalls(domain.routingVerifiedAt, seen.routing)],
    ['ownership', flagFalls(domain.ownershipVerifiedAt, seen.ownership)],
    ['health', memory.driftedSince !== null ? false : healthy === null ? null : !healthy],
  ]);
}

/** A flag is set by the first re-check that sees the record, and taken back by the second that does not. */
function laterFlag(before: number | null, reading: RecordReading, confirmedLost: boolean, now: number): number | null {
  return confirmedLost ? null : (flag(before, reading, now) ?? before);
}

/**
 * Each step of 24 hours since the first re-check that found nothing must have one of its own: a gap, something that leads to us, or a clock that
 * was set back begins the count anew. What cannot be read neither counts nor begins anew.
 */
function countGone(
  { goneSince, goneUntil }: MonitorMemory,
  gone: boolean | null,
  now: number,
): Pick<MonitorMemory, 'goneSince' | 'goneUntil'> {
  if (gone === null) return { goneSince, goneUntil };
  if (!gone) return { goneSince: null, goneUntil: null };
  if (goneSince === null || goneUntil === null || now < goneUntil) return { goneSince: now, goneUntil: now };
  const dayOf = (at: number) => Math.floor((at - goneSince) / MONITORING_DAY_MS);
  return dayOf(now) > dayOf(goneUntil) + 1 ? { goneSince: now, goneUntil: now } : { goneSince, goneUntil: now };
}

function fail(domain: Domain, now: number): Monitored {
  const after = changed(
    {
      ...domain,
      status: 'failed',
      verificationError: describeRemoval(domain, GONE_DAYS),
      routingVerifiedAt: null,
      ownershipVerifiedAt: null,
      challengeVerifiedAt: null,
      verifiedAt: null,
    },
    now,
  );
  return { after, memory: HEALTHY, outcome: 'failed' };
}

function outcomeOf(
  healthy: boolean | null,
  wasDrifted: boolean,
  drifted: boolean,
  { suspected }: MonitorMemory,
): RecheckOutcome {
  if (drifted !== wasDrifted) return drifted ? 'drifted' : 'recovered';
  if (suspected.length > 0 && healthy !== null) return 'suspected';
  if (healthy === null) return 'unreadable';
  return drifted ? 'still_drifted' : 'healthy';
}
