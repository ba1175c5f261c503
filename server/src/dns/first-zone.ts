import type { Clock } from '../base/clock.ts';
import { isWithoutServer, type ZoneObservation } from '../domain/observation.ts';
import type { AddressRule } from '../net/addresses.ts';
import type { AnswerKind } from './answer-metrics.ts';
import { shuffled } from './ask-server.ts';
import type { LocateNameservers } from './nameserver-addresses.ts';
import { isWithin } from './protocol/dns-name.ts';
import { queryBudget } from './query-budget.ts';
import type { Recursors } from './recursors.ts';
import { nameserverSet } from './referral.ts';
import type { QueryLimits } from './resolver.ts';
import { singleFlight, type TimedZone, zoneCache } from './zone-cache.ts';

/** The zones that no parent is asked for. */
export interface FirstZones {
  /**
   * The zone that holds a public suffix, as the resolvers know it; cached. Below it, parents are asked. No customer controls
   * it, so it does not count against the budget of a check.
   */
  ofSuffix(suffix: string, signal: AbortSignal): Promise<ZoneObservation>;
  /** Shortens the life of a cached suffix whose nameservers all failed. */
  expireSoon(apex: string): void;
  /** Whether the resolvers are being asked for a suffix. */
  isAwaited(suffix: string): boolean;
  /**
   * The zone of a domain in a closed network, which its parent does not delegate, but which the resolvers know. It counts only where each of its
   * nameservers has addresses in the allowed networks alone. Null where there is none.
   */
  closed(domain: string, options: QueryLimits): Promise<TimedZone | null>;
}

/** Most nameservers of a public suffix: any of them will do, and each is looked up. */
const SUFFIX_NAMESERVERS = 3;
/** Public suffixes; there are fewer than 10,000. */
const MAX_SUFFIXES = 10_000;
const SUFFIX_QUERIES = 30;
/** For a read that several lookups share. */
export const READ_LIMIT_MS = 10_000;

export function firstZones({
  recursors,
  locate,
  isAllowedNetwork,
  random,
  clock,
  onAnswer = () => {},
}: {
  recursors: Recursors;
  locate: LocateNameservers;
  /** The networks in which a zone counts that the resolvers alone know; null: none. */
  isAllowedNetwork: AddressRule | null;
  /** Yields numbers in [0, 1). */
  random: () => number;
  clock: Clock;
  /** Counts a public suffix whose zone the resolvers do not find. */
  onAnswer?: ((kind: AnswerKind) => void) | undefined;
}): FirstZones {
  // Apart from other zones, so that no number of those evicts a top-level domain.
  const suffixes = zoneCache(MAX_SUFFIXES, clock);
  const share = singleFlight<ZoneObservation>(READ_LIMIT_MS, ABORTED_READ);
  const awaited = new Set<string>();

  /** A zone by its own NS records, as the resolvers have them; null where they fail. */
  async function read(apex: string, most: number, options: QueryLimits): Promise<TimedZone | null> {
    const answer = await recursors.ask({ name: apex, type: 'NS' }, options);
    if (answer.kind === 'failed') return null;
    const set = nameserverSet(answer.message, apex, '.');
    const some = shuffled(set.nameservers, random).slice(0, most);
    const { ttl, ...located } = await locate({ ...set, nameservers: some }, options);
    return { zone: { apex, source: 'resolvers', ownNameservers: null, ...located }, ttl };
  }

  async function readSuffix(suffix: string, options: QueryLimits): Promise<TimedZone | null> {
    const found = await recursors.findApex(suffix, options);
    return found.kind === 'failed' ? null : read(found.apex, SUFFIX_NAMESERVERS, options);
  }

  return {
    async ofSuffix(suffix, signal) {
      const cached = suffixes.get(suffix);
      if (cached !== null) return cached;
      return share(suffix, signal, async (sharedSignal) => {
        const options = { signal: sharedSignal, budget: queryBudget(SUFFIX_QUERIES) };
        awaited.add(suffix);
        const timed = await readSuffix(suffix, options);
        awaited.delete(suffix);
        if (timed !== null && (timed.zone.failure === null || isWithoutServer(timed.zone.failure.reason)))
          return suffixes.keep(suffix, timed);
        onAnswer('no_resolver');
        // No customer controls a public suffix, so the failure is ours. It is cached for five seconds.
        return suffixes.keep(suffix, { zone: unresolvedZone(suffix), ttl: Number.POSITIVE_INFINITY });
      });
    },
    expireSoon: (apex) => suffixes.expireSoon(apex),
    isAwaited: (suffix) => awaited.has(suffix),
    async closed(domain, options) {
      if (isAllowedNetwork === null) return null;
      const found = await recursors.findApex(domain, options);
      if (found.kind === 'failed' || !isWithin(found.apex, domain)) return null;
      const timed = await read(found.apex, Number.POSITIVE_INFINITY, options);
      const isClosed = timed?.zone.nameservers.every(
        ({ addresses }) => addresses.length > 0 && addresses.every((address) => isAllowedNetwork(address)),
      );
      return timed?.zone.failure === null && isClosed ? timed : null;
    },
  };
}

/** For a read that took too long. */
export const ABORTED_READ = failedZone('.', { reason: 'timeout' });

export function unresolvedZone(apex: string): ZoneObservation {
  return failedZone(apex, { reason: 'no_resolver' });
}

export function isUnresolved({ failure }: ZoneObservation): boolean {
  return failure?.reason === 'no_resolver';
}

export function failedZone(apex: string, failure: ZoneObservation['failure']): ZoneObservation {
  return { apex, source: 'parent', nameservers: [], ownNameservers: null, failure };
}
