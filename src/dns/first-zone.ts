import type { ZoneFailure, ZoneObservation } from '../domain/observation.ts';
import type { AddressRule } from '../net/addresses.ts';
import { type FailedQuery, shuffled } from './ask-server.ts';
import type { LocateNameservers } from './nameserver-addresses.ts';
import { isWithin } from './protocol/dns-name.ts';
import type { Recursors } from './recursors.ts';
import { nameserverSet } from './referral.ts';
import type { LookOptions } from './resolver.ts';

/** A zone, and for how many seconds it may be cached. */
export interface TimedZone {
  zone: ZoneObservation;
  ttl: number;
}

/** The zones that no parent is asked for. */
export interface FirstZones {
  /** The zone of a public suffix, or the one above where it is none of its own, as the resolvers know it. From there on, parents are asked. */
  ofSuffix(suffix: string, options: LookOptions): Promise<TimedZone>;
  /**
   * The zone of a domain in a closed network, which its parent does not delegate, but which the resolvers know. It counts only where each of its
   * nameservers has addresses in the allowed networks alone. Null where there is none.
   */
  closed(domain: string, options: LookOptions): Promise<TimedZone | null>;
}

/** Most nameservers of a public suffix: any of them will do, and each is looked up. */
const SUFFIX_NAMESERVERS = 3;

export function firstZones({
  recursors,
  locate,
  isAllowedNetwork,
  random,
}: {
  recursors: Recursors;
  locate: LocateNameservers;
  /** The networks in which a zone counts that the resolvers alone know; null: none. */
  isAllowedNetwork: AddressRule | null;
  /** Yields numbers in [0, 1). */
  random: () => number;
}): FirstZones {
  /** A zone by its own NS records, as the resolvers have them. */
  async function read(apex: string, most: number, options: LookOptions): Promise<TimedZone> {
    const answer = await recursors.ask({ name: apex, type: 'NS' }, options);
    if (answer.kind === 'failed') return unreadableZone(apex, answer);
    const set = nameserverSet(answer.response, apex, '.');
    const some = shuffled(set.nameservers, random).slice(0, most);
    const { ttl, ...located } = await locate({ ...set, nameservers: some }, options);
    return { zone: { apex, source: 'resolvers', ownNameservers: null, ...located }, ttl };
  }

  return {
    async ofSuffix(suffix, options) {
      const found = await recursors.findApex(suffix, options);
      if (found.kind === 'failed') return unresolved(suffix);
      const timed = await read(found.apex, SUFFIX_NAMESERVERS, options);
      return timed.zone.failure?.kind === 'unreadable' ? unresolved(suffix) : timed;
    },
    async closed(domain, options) {
      if (isAllowedNetwork === null) return null;
      const found = await recursors.findApex(domain, options);
      if (found.kind === 'failed' || !isWithin(found.apex, domain)) return null;
      const timed = await read(found.apex, Number.POSITIVE_INFINITY, options);
      const isClosed = timed.zone.nameservers.every(
        ({ addresses }) => addresses.length > 0 && addresses.every((address) => isAllowedNetwork(address)),
      );
      return timed.zone.failure === null && isClosed ? timed : null;
    },
  };
}

/** Without the name of our resolver, which means nothing to the customer. */
function unreadableZone(apex: string, { reason }: FailedQuery): TimedZone {
  return { zone: failedZone(apex, { kind: 'unreadable', reason }), ttl: 0 };
}

/** No customer has a say in the zone of a public suffix: whatever failed, it is on our side. Cached for a moment. */
function unresolved(apex: string): TimedZone {
  return { zone: unresolvedZone(apex), ttl: Number.POSITIVE_INFINITY };
}

export function unresolvedZone(apex: string): ZoneObservation {
  return failedZone(apex, { kind: 'unreadable', reason: 'no_resolver' });
}

export function failedZone(apex: string, failure: ZoneFailure): ZoneObservation {
  return { apex, source: 'parent', nameservers: [], ownNameservers: null, failure };
}
