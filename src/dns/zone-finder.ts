import type { Clock } from '../clock.ts';
import { registryDelegation } from '../domain/name.ts';
import type { ZoneObservation } from '../domain/observation.ts';
import type { AddressRule } from '../net/addresses.ts';
import type { AnswerKind } from './answer-metrics.ts';
import { type DnsAnswer, type FailedQuery, type ServerFailure, worstFailure } from './ask-server.ts';
import { failedZone, firstZones, type TimedZone, unresolvedZone } from './first-zone.ts';
import { nameserverLocator } from './nameserver-addresses.ts';
import type { NameserverQueries } from './nameserver-queries.ts';
import { isWithin, parentOf } from './protocol/dns-name.ts';
import type { Question } from './protocol/wire.ts';
import { queryBudget } from './query-budget.ts';
import type { Recursors } from './recursors.ts';
import { cutIn, type NameserverSet, nameserverSet, type ZoneCut } from './referral.ts';
import type { LookOptions } from './resolver.ts';
import { singleFlight } from './single-flight.ts';
import { zoneCache } from './zone-cache.ts';
import { type FoundCut, hasNs, zoneCuts } from './zone-cuts.ts';

/**
 * Finds the zone that holds a name by following the referrals of parent zones, from the public suffix down: the customer controls the NS records in a
 * zone, and its registrar's entry decides which nameservers the Internet asks. Never rejects.
 */
export interface ZoneFinder {
  /** The closest cached zone above a name, or that of its registered domain. The zone of the name may be a lower one: then its nameservers refer to it. */
  closest(name: string, options: LookOptions): Promise<ZoneObservation>;
  /** The zone below `zone`, to which an answer of one of its nameservers leads. */
  below(zone: ZoneObservation, found: FoundCut, options: LookOptions): Promise<ZoneObservation>;
  /** The zone that holds the name, read anew. */
  find(name: string, options: LookOptions): Promise<ZoneObservation>;
  /** Shortens the life of a cached zone whose nameservers all failed. */
  expireSoon(apex: string): void;
}

export interface ZoneFinderOptions {
  recursors: Recursors;
  queries: NameserverQueries;
  mayAsk: AddressRule;
  /** The networks in which a zone counts that the resolvers alone know; null: none. */
  isAllowedNetwork: AddressRule | null;
  clock: Clock;
  /** Yields numbers in [0, 1). */
  random: () => number;
  /** Called where the resolvers do not find the zone of a public suffix, for counting. */
  onAnswer?: ((kind: AnswerKind) => void) | undefined;
  /** Most cached zones. */
  maxZones?: number;
}

const MAX_ZONES = 1_000_000;
/** Public suffixes; there are fewer than 10,000. */
const MAX_SUFFIXES = 10_000;
/** For a suffix, whose zone all checks share, and which no customer controls: it does not count against the budget of a check. */
const SUFFIX_QUERIES = 30;
/** For a read that several lookups may share. */
const READ_LIMIT_MS = 10_000;
/** Most zone cuts between two zones that are followed. */
export const MAX_CUTS = 5;

export function zoneFinder(options: ZoneFinderOptions): ZoneFinder {
  const { queries, clock, maxZones = MAX_ZONES, onAnswer = () => {} } = options;
  const zones = zoneCache(maxZones, clock);
  // Apart, because a top-level domain's nameservers should not have to refer us to every zone below.
  const suffixes = zoneCache(MAX_SUFFIXES, clock);
  const locate = nameserverLocator(options);
  const cuts = zoneCuts(queries, locate);
  const first = firstZones({ ...options, locate });
  const aborted = failedZone('.', { kind: 'unreadable', reason: 'timeout' });
  const share = singleFlight<ZoneObservation>(READ_LIMIT_MS, aborted);
  /** Suffixes that the resolvers are being asked for. */
  const awaited = new Set<string>();

  async function suffixZone(suffix: string, { signal }: LookOptions): Promise<ZoneObservation> {
    const cached = suffixes.get(suffix);
    if (cached !== null) return cached;
    return share(`suffix ${suffix}`, signal, async (sharedSignal) => {
      const budget = queryBudget(SUFFIX_QUERIES);
      awaited.add(suffix);
      const read = await first.ofSuffix(suffix, { signal: sharedSignal, budget });
      awaited.delete(suffix);
      if (read.zone.failure?.kind === 'unreadable') onAnswer(read.zone.failure.reason);
      return suffixes.keep(suffix, read);
    });
  }

  /** Whether it is the resolvers that keep the zones of a suffix from being found. */
  function isUnresolved(suffix: string): boolean {
    return awaited.has(suffix) || suffixes.get(suffix)?.failure?.kind === 'unreadable';
  }

  /** One read for all checks that wait for it. Where it needed more queries than the check that began it may send, another check reads for itself. */
  async function shared(key: string, options: LookOptions, read: (options: LookOptions) => Promise<ZoneObservation>) {
    const { signal, budget } = options;
    const zone = await share(key, signal, (sharedSignal) => read({ signal: sharedSignal, budget }));
    const { failure } = zone;
    const isCutShort = failure?.kind === 'unreadable' && failure.reason === 'too_many_queries';
    return isCutShort && !budget.exhausted ? read(options) : zone;
  }

  /** The zone of a registered domain, as its registry delegates it; the registry's own zone where that holds the name itself. */
  async function registered(name: string, fresh: boolean, options: LookOptions): Promise<ZoneObservation> {
    const delegation = registryDelegation(name);
    if (delegation === null) return suffixZone(name, options);
    const { domain, suffix } = delegation;
    const cached = fresh ? null : zones.get(domain);
    if (cached !== null) return cached;
    const zone = await shared(`${fresh} ${domain}`, options, async (sharedOptions) => {
      const read = await readDelegation(await suffixZone(suffix, sharedOptions), domain, sharedOptions);
      const isDelegated = isWithin(read.zone.apex, domain);
      const closed = isDelegated ? null : await first.closed(domain, sharedOptions);
      return zones.keep(domain, closed ?? read);
    });
    // The records are in no zone above the registered domain's.
    return (zone === aborted || zone.apex === suffix) && isUnresolved(suffix) ? unresolvedZone(domain) : zone;
  }

  /** Follows the referrals from a registry's zone to a domain below it. `through`: past resolvers that fail to find a nameserver's address. */
  async function readDelegation(
    registry: ZoneObservation,
    domain: string,
    options: LookOptions,
    through = true,
  ): Promise<TimedZone> {
    let read: TimedZone = { zone: registry, ttl: registry.failure === null ? Number.POSITIVE_INFINITY : 0 };
    for (
      let referrals = 0;
      referrals < MAX_CUTS && read.zone.failure === null && read.zone.apex !== domain;
      referrals++
    ) {
      const { apex } = read.zone;
      const { answer, failures } = await queries.askZone(read.zone, { name: domain, type: 'NS' }, options);
      if (answer === null) {
        if (!options.budget.exhausted) suffixes.expireSoon(apex);
        return unreadable(apex, failures);
      }
      if (answer.response.rcode === 'nxdomain') {
        return { zone: failedZone(apex, { kind: 'not_registered', name: domain }), ttl: Number.POSITIVE_INFINITY };
      }
      const cut: ZoneCut | null = hasNs(answer, domain)
        ? { apex: domain, kind: 'served' }
        : cutIn(answer.response, apex, domain);
      if (cut === null) break;
      read = await readBelow(read.zone, { cut, answer }, options, through);
    }
    return read;
  }

  function readBelow(
    parent: ZoneObservation,
    found: FoundCut,
    options: LookOptions,
    through = true,
  ): Promise<TimedZone> {
    const lookThrough = through ? { askHolder: (question: Question) => askHolder(question, options) } : {};
    return cuts.read(parent, found, { ...options, ...lookThrough });
  }

  /** Asks the zone that holds a nameserver's name; its own nameservers are looked up at the resolvers alone, so that this ends. */
  async function askHolder(question: Question, options: LookOptions): Promise<DnsAnswer | FailedQuery> {
    const delegation = registryDelegation(question.name);
    if (delegation === null) return { kind: 'failed', reason: 'servfail' };
    const { domain, suffix } = delegation;
    const cached = closestCached(question.name);
    const read = async () => readDelegation(await suffixZone(suffix, options), domain, options, false);
    const zone = cached ?? (await read()).zone;
    if (zone.failure !== null) {
      return zone.failure.kind === 'unreadable'
        ? { ...zone.failure, kind: 'failed' }
        : { kind: 'failed', reason: 'no_nameserver' };
    }
    const { answer, failures } = await queries.askZone(zone, question, options);
    return answer ?? worstFailure(failures);
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
      const set = nameserverSet(found.answer.response, apex, zone.apex);
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
        // Where they differ, each nameserver of the upper zone is looked at, and leads where it leads.
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

function unreadable(apex: string, failures: ServerFailure[]): TimedZone {
  const failed = worstFailure(failures);
  const ttl = failed.reason === 'too_many_queries' ? 0 : Number.POSITIVE_INFINITY;
  return { zone: failedZone(apex, { ...failed, kind: 'unreadable' }), ttl };
}
