import type { Clock } from '../base/clock.ts';
import { registryDelegation } from '../domain/name.ts';
import type { ZoneObservation } from '../domain/observation.ts';
import { type FailedResponse, failed, failedAt, failureOf, type ServerResponse, shuffled } from './ask-server.ts';
import {
  ABORTED_READ,
  type FirstZones,
  failedZone,
  isUnresolved,
  READ_LIMIT_MS,
  unresolvedZone,
} from './first-zone.ts';
import type { LocateNameservers } from './nameserver-addresses.ts';
import type { AskZoneOptions, NameserverQueries } from './nameserver-queries.ts';
import { isWithin, parentOf } from './protocol/dns-name.ts';
import type { Question } from './protocol/wire.ts';
import { cutIn, isSameReferral, type NameserverSet, nameserverSet, type ZoneCut } from './referral.ts';
import type { QueryLimits } from './resolver.ts';
import { singleFlight, type TimedZone, zoneCache } from './zone-cache.ts';
import { type FoundCut, hasNs, zoneCuts } from './zone-cuts.ts';

/**
 * Finds the zone that holds a name by following the referrals of parent zones, from the public suffix down: the customer controls the NS records in a
 * zone, and its registrar's entry decides which nameservers the Internet asks. Never rejects.
 */
export interface ZoneFinder {
  /** The closest cached zone above a name, or that of its registered domain. The zone of the name may be a lower one: then its nameservers refer to it. */
  closest(name: string, options: QueryLimits): Promise<ZoneObservation>;
  /** The zone below `zone`, to which an answer of one of its nameservers leads. */
  below(zone: ZoneObservation, found: FoundCut, options: QueryLimits): Promise<ZoneObservation>;
  /** The zone that holds the name, read anew. */
  find(name: string, options: QueryLimits): Promise<ZoneObservation>;
  /** Shortens the life of a cached zone whose nameservers all failed. */
  expireSoon(apex: string): void;
}

export interface ZoneFinderOptions {
  first: FirstZones;
  locate: LocateNameservers;
  queries: NameserverQueries;
  /** Whether the zones decide something: then the referral of a registry counts only where two of its nameservers give it. */
  decides: boolean;
  clock: Clock;
  /** Yields numbers in [0, 1). */
  random: () => number;
  /** Most cached zones. */
  maxZones?: number;
}

const MAX_ZONES = 1_000_000;
/** Most zone cuts between two zones that are followed. */
export const MAX_CUTS = 5;

export function zoneFinder(options: ZoneFinderOptions): ZoneFinder {
  const { first, locate, queries, decides, clock, random, maxZones = MAX_ZONES } = options;
  const zones = zoneCache(maxZones, clock);
  const cuts = zoneCuts(queries, locate);
  const share = singleFlight<ZoneObservation>(READ_LIMIT_MS, ABORTED_READ);

  /** One read for all checks that wait for it. Where it needed more queries than the check that began it may send, another check reads for itself. */
  async function shared(key: string, options: QueryLimits, read: (options: QueryLimits) => Promise<ZoneObservation>) {
    const { signal, budget } = options;
    const zone = await share(key, signal, (sharedSignal) => read({ signal: sharedSignal, budget }));
    const isCutShort = zone.failure?.reason === 'too_many_queries';
    return isCutShort && !budget.exhausted ? read(options) : zone;
  }

  /** The zone of a registered domain, as its registry delegates it; the registry's own zone where that holds the name itself. */
  async function registered(name: string, fresh: boolean, options: QueryLimits): Promise<ZoneObservation> {
    const delegation = registryDelegation(name);
    if (delegation === null) return first.ofSuffix(name, options.signal);
    const { domain, suffix } = delegation;
    const cached = fresh ? null : zones.get(domain);
    if (cached !== null) return cached;
    const zone = await shared(`${fresh} ${domain}`, options, async (sharedOptions) => {
      const registry = await first.ofSuffix(suffix, sharedOptions.signal);
      const read = await readDelegation(registry, domain, sharedOptions);
      const isDelegated = isWithin(read.zone.apex, domain);
      const closed = isDelegated ? null : await first.closed(domain, sharedOptions);
      return zones.keep(domain, closed ?? read);
    });
    // The records are in no zone above the registered domain's.
    return (zone === ABORTED_READ && first.isAwaited(suffix)) || isUnresolved(zone) ? unresolvedZone(domain) : zone;
  }

  /** Follows the referrals from a registry's zone to a domain below it. `through`: past resolvers that fail to find a nameserver's address. */
  async function readDelegation(
    registry: ZoneObservation,
    domain: string,
    asking: QueryLimits,
    through = true,
  ): Promise<TimedZone> {
    const options = { ...asking, registry: true };
    let read: TimedZone = { zone: registry, ttl: registry.failure === null ? Number.POSITIVE_INFINITY : 0 };
    for (
      let referrals = 0;
      referrals < MAX_CUTS && read.zone.failure === null && read.zone.apex !== domain;
      referrals++
    ) {
      const { apex } = read.zone;
      const answer = await askRegistry(read.zone, domain, options);
      if (answer.kind === 'failed') {
        if (!options.budget.exhausted) first.expireSoon(apex);
        return unreadable(apex, answer);
      }
      if (answer.message.rcode === 'nxdomain') {
        return { zone: failedZone(apex, { reason: 'not_registered' }), ttl: Number.POSITIVE_INFINITY };
      }
      const cut: ZoneCut | null = hasNs(answer, domain)
        ? { apex: domain, kind: 'served' }
        : cutIn(answer.message, apex, domain);
      if (cut === null) break;
      read = await readBelow(read.zone, { cut, answer }, options, through);
    }
    return read;
  }

  async function askRegistry(zone: ZoneObservation, domain: string, options: AskZoneOptions): Promise<ServerResponse> {
    const ask = (nameservers: ZoneObservation['nameservers']) =>
      queries.askZone({ ...zone, nameservers }, { name: domain, type: 'NS' }, options);
    const servers = shuffled(zone.nameservers, random);
    if (!decides || servers.length < 2) return ask(servers);
    const half = Math.ceil(servers.length / 2);
    const [one, other] = await Promise.all([ask(servers.slice(0, half)), ask(servers.slice(half))]);
    // One referral is enough where the other nameservers fail.
    if (one.kind === 'failed') return other;
    if (other.kind === 'failed') return one;
    const isSame = isSameReferral(one.message, other.message, zone.apex, domain);
    return isSame ? one : failed('inconsistent', other.server, zone);
  }

  function readBelow(
    parent: ZoneObservation,
    found: FoundCut,
    options: AskZoneOptions,
    through = true,
  ): Promise<TimedZone> {
    return cuts.read(parent, found, { ...options, decides, ...(through && { askZoneOf }) });
  }

  /** Asks the zone that holds a nameserver's name; its own nameservers are looked up at the resolvers alone, so that this ends. */
  async function askZoneOf(question: Question, { signal, budget }: QueryLimits): Promise<ServerResponse> {
    const options = { signal, budget };
    const delegation = registryDelegation(question.name);
    if (delegation === null) return failedAt(failedZone(question.name, { reason: 'servfail' }));
    const { domain, suffix } = delegation;
    const cached = closestCached(question.name);
    const read = async () => readDelegation(await first.ofSuffix(suffix, signal), domain, options, false);
    const zone = cached ?? (await read()).zone;
    return zone.failure === null ? queries.askZone(zone, question, options) : failedAt(zone);
  }

  /** Never a top-level domain: `registered` finds the zones below. */
  function closestCached(name: string): ZoneObservation | null {
    for (let apex = name; apex.includes('.') && apex !== '.'; apex = parentOf(apex)) {
      const zone = zones.get(apex);
      if (zone !== null) return zone;
    }
    return null;
  }

  return {
    async closest(name, options) {
      return closestCached(name) ?? registered(name, false, options);
    },
    async below(zone, found, options) {
      const { apex } = found.cut;
      const set = nameserverSet(found.answer.message, apex, zone.apex);
      const cached = zones.get(apex);
      if (cached !== null && isOf(set, cached)) return cached;
      // Not yet known to be agreed: kept for those alone whom a nameserver leads to the same.
      const key = `${apex} ${set.nameservers.map(({ name, glue }) => [name, ...glue.toSorted()].join(' ')).join(' ')}`;
      return (
        zones.get(key) ??
        shared(`below ${key}`, options, async (sharedOptions) =>
          zones.keep(key, await readBelow(zone, found, sharedOptions)),
        )
      );
    },
    async find(name, options) {
      let zone = await registered(name, true, options);
      for (let lower = 0; lower < MAX_CUTS && zone.failure === null && zone.apex !== name; lower++) {
        const found = await cuts.find(zone, name, options);
        // Where they differ, each nameserver of the upper zone is asked, and leads where it leads.
        if (found === null || !(await cuts.isAgreed(zone, found, options))) break;
        zone = zones.keep(found.cut.apex, await readBelow(zone, found, options));
      }
      return zone;
    },
    expireSoon: (apex) => zones.expireSoon(apex),
  };
}

/** Whether a cached zone has these nameservers, at these addresses; of both, some were left out. A set without names says nothing. */
function isOf({ nameservers: set }: NameserverSet, { nameservers }: ZoneObservation): boolean {
  if (set.length === 0) return true;
  return nameservers.every(({ name, addresses }) => {
    const named = set.find((one) => one.name === name);
    if (named === undefined) return false;
    return named.glue.length === 0 || addresses.every((address) => named.glue.includes(address));
  });
}

function unreadable(apex: string, failure: FailedResponse): TimedZone {
  const ttl = failure.reason === 'too_many_queries' ? 0 : Number.POSITIVE_INFINITY;
  return { zone: failedZone(apex, failureOf(failure)), ttl };
}
