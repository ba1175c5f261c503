import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { registryDelegation } from '../domain/name.ts';
import type { ZoneObservation } from '../domain/observation.ts';
import type { AddressRule } from '../net/addresses.ts';
import type { DnsAnswer } from './ask-server.ts';
import { failedZone, findClosedZone, readSuffixZone, type TimedZone } from './first-zone.ts';
import { locateNameservers } from './nameserver-addresses.ts';
import { type NameserverQueries, type ServerFailure, worstFailure } from './nameserver-queries.ts';
import { isBelow, isWithin, parentOf } from './protocol/dns-name.ts';
import type { Recursors } from './recursors.ts';
import { cutIn, nameserverSet, type ZoneCut } from './referral.ts';
import type { LookOptions } from './resolver.ts';
import { singleFlight } from './single-flight.ts';

/**
 * Finds the zone that holds a name by following the referrals of parent zones, from the public suffix down: the customer controls the NS records in a
 * zone, and its registrar's entry decides which nameservers the Internet asks. Never rejects.
 */
export interface ZoneFinder {
  /** The closest cached zone above a name, or that of its registered domain. The zone of the name may be a lower one: then its nameservers refer to it. */
  closest(name: string, options: LookOptions): Promise<ZoneObservation>;
  /** The zone below `zone`, to which an answer of one of its nameservers leads. */
  below(zone: ZoneObservation, cut: ZoneCut, answer: DnsAnswer, options: LookOptions): Promise<ZoneObservation>;
  /** The zone that holds the name, read anew. */
  find(name: string, options: LookOptions): Promise<ZoneObservation>;
  /** Shortens the life of a cached zone whose nameservers all failed. */
  expireSoon(apex: string): void;
}

export interface ZoneFinderOptions {
  recursors: Recursors;
  queries: NameserverQueries;
  mayAsk: AddressRule;
  /** The networks in which a zone counts that the resolvers alone know. */
  isAllowedNetwork: AddressRule | null;
  clock: Clock;
  /** Yields numbers in [0, 1). */
  random: () => number;
  /** Most cached zones. */
  maxZones?: number;
}

const MAX_TTL_MS = 60 * 60_000;
/** For a zone without a nameserver to ask, and for a domain that nobody registered. */
const EMPTY_TTL_MS = 5_000;
/** From the time of reading, for a zone whose nameservers all failed. */
const FAILING_TTL_MS = 30_000;
const MAX_ZONES = 100_000;
/** Public suffixes; there are fewer than 10,000. */
const MAX_SUFFIXES = 10_000;
/** For a read that several lookups may share. */
const READ_LIMIT_MS = 10_000;
/** For the NS records at a server that has just answered. */
const SERVED_MS = 1500;
/** Most zone cuts between two zones that are followed. */
export const MAX_CUTS = 5;

interface CachedZone {
  zone: ZoneObservation;
  readAt: number;
  /** It is read again then. */
  expiresAt: number;
}

type ZoneCache = LRUCache<string, CachedZone>;

export function zoneFinder(options: ZoneFinderOptions): ZoneFinder {
  const { queries, clock, maxZones = MAX_ZONES } = options;
  // A limit by size, unlike one by count, allocates nothing in advance.
  const cacheOf = (maxSize: number): ZoneCache => new LRUCache({ maxSize, sizeCalculation: () => 1 });
  const zones = cacheOf(maxZones);
  // Apart, because a top-level domain's nameservers should not have to refer us to every zone below.
  const suffixes = cacheOf(MAX_SUFFIXES);
  const share = singleFlight<ZoneObservation>(
    READ_LIMIT_MS,
    failedZone('.', { kind: 'unreadable', reason: 'timeout' }),
  );

  function cached(cache: ZoneCache, key: string): ZoneObservation | null {
    const entry = cache.get(key);
    return entry !== undefined && isCurrent(entry, clock.now()) ? entry.zone : null;
  }

  function keep(cache: ZoneCache, key: string, { zone, ttl }: TimedZone): ZoneObservation {
    const readAt = clock.now();
    const ttlMs = Math.min(zone.failure === null ? MAX_TTL_MS : EMPTY_TTL_MS, ttl * 1000);
    if (ttlMs > 0) cache.set(key, { zone, readAt, expiresAt: readAt + ttlMs });
    return zone;
  }

  /** One read for all checks that wait for it. Where it needed more queries than the check that began it may send, another check reads for itself. */
  async function shared(
    key: string,
    { signal, budget }: LookOptions,
    read: (options: LookOptions) => Promise<ZoneObservation>,
  ): Promise<ZoneObservation> {
    const zone = await share(key, signal, (sharedSignal) => read({ signal: sharedSignal, budget }));
    const { failure } = zone;
    const isCutShort = failure?.kind === 'unreadable' && failure.reason === 'too_many_queries';
    return isCutShort && !budget.exhausted ? read({ signal, budget }) : zone;
  }

  async function suffixZone(suffix: string, options: LookOptions): Promise<ZoneObservation> {
    const known = cached(suffixes, suffix);
    if (known !== null) return known;
    return shared(`suffix ${suffix}`, options, async (sharedOptions) =>
      keep(suffixes, suffix, await readSuffixZone(suffix, finder, sharedOptions)),
    );
  }

  /** The zone of a registered domain, as its registry delegates it; the registry's own zone where that holds the name itself. */
  async function registered(name: string, fresh: boolean, options: LookOptions): Promise<ZoneObservation> {
    const delegation = registryDelegation(name);
    if (delegation === null) return suffixZone(name, options);
    const { domain, suffix } = delegation;
    const known = fresh ? null : cached(zones, domain);
    if (known !== null) return known;
    return shared(`${fresh} ${domain}`, options, async (sharedOptions) => {
      const parent = await suffixZone(suffix, sharedOptions);
      const read = await readDelegation(parent, domain, sharedOptions);
      const isDelegated = isWithin(read.zone.apex, domain);
      const closed = isDelegated ? null : await findClosedZone(domain, finder, sharedOptions);
      return keep(zones, domain, closed ?? read);
    });
  }

  /** Follows the referrals from a registry's zone to a domain below it. */
  async function readDelegation(parent: ZoneObservation, domain: string, options: LookOptions): Promise<TimedZone> {
    let read: TimedZone = { zone: parent, ttl: parent.failure === null ? Number.POSITIVE_INFINITY : 0 };
    for (let cuts = 0; cuts < MAX_CUTS && read.zone.failure === null && read.zone.apex !== domain; cuts++) {
      const { apex } = read.zone;
      const { answer, failures } = await queries.askZone(read.zone, { name: domain, type: 'NS' }, options);
      if (answer === null) {
        expire(suffixes, apex);
        return unreadable(apex, failures);
      }
      if (answer.response.rcode === 'nxdomain') {
        return { zone: failedZone(apex, { kind: 'not_registered', name: domain }), ttl: EMPTY_TTL_MS };
      }
      const served = answer.response.answers.some(({ type, name }) => type === 'NS' && name === domain);
      const cut: ZoneCut | null = served ? { apex: domain, kind: 'served' } : cutIn(answer.response, apex, domain);
      if (cut === null) break;
      read = await readBelow(read.zone, cut, answer, options);
    }
    return read;
  }

  /** A zone by the referral of its parent's nameserver; by its own NS records where that nameserver serves it too. */
  async function readBelow(
    parent: ZoneObservation,
    cut: ZoneCut,
    answer: DnsAnswer,
    options: LookOptions,
  ): Promise<TimedZone> {
    const { apex } = cut;
    let { answers, authorities, additionals } = answer.response;
    if (cut.kind === 'served' && !answers.some(({ type, name }) => type === 'NS' && name === apex)) {
      const server = { name: answer.by.server, address: answer.by.address, port: queries.port };
      const own = await queries.ask({ name: apex, type: 'NS' }, server, parent.apex, {
        ...options,
        timeoutMs: SERVED_MS,
      });
      if (own.kind === 'failed') return unreadable(apex, [{ server, reason: own.reason }]);
      ({ answers, authorities, additionals } = own.response);
    }
    const section = cut.kind === 'served' ? answers : authorities;
    const set = nameserverSet(section, additionals, apex, parent.apex);
    const { nameservers, failure, ttl } = await locateNameservers(set, finder, options);
    return { zone: { apex, source: 'parent', nameservers, ownNameservers: null, failure }, ttl };
  }

  /** Never a top-level domain: `registered` finds the zones below. */
  function closestCached(name: string): ZoneObservation | null {
    for (let apex = name; apex.includes('.') && apex !== '.'; apex = parentOf(apex)) {
      const zone = cached(zones, apex);
      if (zone !== null) return zone;
    }
    return null;
  }

  /** Where a zone cut below `zone` hides the name: a server that serves both zones answers as if there was none. */
  async function findCut(
    zone: ZoneObservation,
    name: string,
    options: LookOptions,
  ): Promise<{ cut: ZoneCut; answer: DnsAnswer } | null> {
    for (let current = name; isBelow(current, zone.apex); current = parentOf(current)) {
      const { answer } = await queries.askZone(zone, { name: current, type: 'SOA' }, options);
      if (answer === null) return null;
      const { answers } = answer.response;
      if (answers.some(({ type, name: owner }) => type === 'SOA' && owner === current))
        return { cut: { apex: current, kind: 'served' }, answer };
      // A CNAME hides the SOA record that would deny the type: the zone is that of the name above.
      if (answers.length > 0) continue;
      const cut = cutIn(answer.response, zone.apex, current);
      return cut === null ? null : { cut, answer };
    }
    return null;
  }

  function expire(cache: ZoneCache, key: string): void {
    const entry = cache.peek(key);
    if (entry !== undefined) entry.expiresAt = Math.min(entry.expiresAt, entry.readAt + FAILING_TTL_MS);
  }

  const finder: ZoneFinder & ZoneFinderOptions = {
    ...options,
    async closest(name, options) {
      return closestCached(name) ?? registered(name, false, options);
    },
    async below(zone, cut, answer, options) {
      const known = cached(zones, cut.apex);
      if (known !== null) return known;
      return shared(`below ${cut.apex}`, options, async (sharedOptions) =>
        keep(zones, cut.apex, await readBelow(zone, cut, answer, sharedOptions)),
      );
    },
    async find(name, options) {
      let zone = await registered(name, true, options);
      for (let cuts = 0; cuts < MAX_CUTS && zone.failure === null && zone.apex !== name; cuts++) {
        const found = await findCut(zone, name, options);
        if (found === null) break;
        zone = keep(zones, found.cut.apex, await readBelow(zone, found.cut, found.answer, options));
      }
      return zone;
    },
    expireSoon: (apex) => expire(zones, apex),
  };
  return finder;
}

function unreadable(apex: string, failures: ServerFailure[]): TimedZone {
  const worst = worstFailure(failures);
  const server = worst === null || worst.reason === 'too_many_queries' ? {} : { server: worst.server.name };
  const reason = worst?.reason ?? 'no_nameserver';
  return {
    zone: failedZone(apex, { kind: 'unreadable', reason, ...server }),
    ttl: reason === 'too_many_queries' ? 0 : EMPTY_TTL_MS,
  };
}

/** A zone read in the future was read before the clock was set back: its age is unknown. */
function isCurrent({ readAt, expiresAt }: CachedZone, now: number): boolean {
  return readAt <= now && now < expiresAt;
}
