import type { ZoneFailure, ZoneObservation } from '../domain/observation.ts';
import type { AddressRule } from '../net/addresses.ts';
import { type FailedQuery, shuffled } from './ask-server.ts';
import { locateNameservers } from './nameserver-addresses.ts';
import { isWithin } from './protocol/dns-name.ts';
import type { Recursors } from './recursors.ts';
import { nameserverSet } from './referral.ts';
import type { LookOptions } from './resolver.ts';

/** A zone, and for how many seconds it may be cached. */
export interface TimedZone {
  zone: ZoneObservation;
  ttl: number;
}

export interface LocateOptions {
  recursors: Recursors;
  mayAsk: AddressRule;
  /** Yields numbers in [0, 1). */
  random: () => number;
}

/** Most nameservers of a public suffix: any of them will do, and each is looked up. */
const SUFFIX_NAMESERVERS = 3;

/** The zone of a public suffix, or the one above where it is none of its own, as the resolvers know it: from there on, each zone's parent is asked. */
export async function readSuffixZone(suffix: string, locate: LocateOptions, options: LookOptions): Promise<TimedZone> {
  const found = await locate.recursors.findApex(suffix, options);
  if (found.kind === 'failed') return unreadableZone(suffix, found);
  return readZone(found.apex, locate, options, SUFFIX_NAMESERVERS);
}

/**
 * A zone that its parent does not delegate, but that the resolvers know: in a closed network. It counts only where the resolvers themselves have it, and
 * each of its nameservers has addresses in the allowed networks alone. Null where there is none.
 */
export async function findClosedZone(
  domain: string,
  { isAllowedNetwork, ...locate }: LocateOptions & { isAllowedNetwork: AddressRule | null },
  options: LookOptions,
): Promise<TimedZone | null> {
  if (isAllowedNetwork === null) return null;
  const found = await locate.recursors.findApex(domain, options);
  if (found.kind === 'failed' || !isWithin(found.apex, domain)) return null;
  const timed = await readZone(found.apex, locate, options);
  const { failure, nameservers } = timed.zone;
  const isClosed = nameservers.every(
    ({ addresses }) => addresses.length > 0 && addresses.every((address) => isAllowedNetwork(address)),
  );
  return failure === null && isClosed ? timed : null;
}

/** A zone by its own NS records, as the resolvers have them. */
async function readZone(
  apex: string,
  locate: LocateOptions,
  options: LookOptions,
  most = Number.POSITIVE_INFINITY,
): Promise<TimedZone> {
  const answer = await locate.recursors.ask({ name: apex, type: 'NS' }, options);
  if (answer.kind === 'failed') return unreadableZone(apex, answer);
  const { answers, additionals } = answer.response;
  const set = nameserverSet(answers, additionals, apex, '.');
  const nameservers = shuffled(set.nameservers, locate.random).slice(0, most);
  const { failure, ttl, ...located } = await locateNameservers({ ...set, nameservers }, locate, options);
  return { zone: { apex, source: 'resolvers', nameservers: located.nameservers, ownNameservers: null, failure }, ttl };
}

/** Without the name of our resolver, which means nothing to the customer. */
function unreadableZone(apex: string, { reason }: FailedQuery): TimedZone {
  return { zone: failedZone(apex, { kind: 'unreadable', reason }), ttl: 0 };
}

export function failedZone(apex: string, failure: ZoneFailure): ZoneObservation {
  return { apex, source: 'parent', nameservers: [], ownNameservers: null, failure };
}
