import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { registrableDomain } from '../domain/name.ts';
import type { AddressRule } from '../net/addresses.ts';
import { type FailedQuery, shuffled } from './ask-server.ts';
import { parentOf } from './protocol/dns-name.ts';
import type { ResourceRecord } from './protocol/wire.ts';
import type { Recursors } from './recursors.ts';
import { singleFlight } from './single-flight.ts';

/** A zone and those of its nameservers that we ask. */
export interface Delegation {
  kind: 'delegation';
  /** Name of the apex. */
  zone: string;
  /** One to three. */
  nameservers: Nameserver[];
}

export interface Nameserver {
  name: string;
  /** At least one; all of them may be asked. */
  addresses: string[];
}

/** The nameservers of zones, read from the recursive resolvers and cached. Never rejects. */
export interface Delegations {
  /**
   * The closest cached zone above a name, or else that of its registrable domain. The zone of the name may be a lower one,
   * to which these nameservers refer: then `at` reads it.
   */
  closest(name: string, options: ReadOptions): Promise<Delegation | FailedQuery>;
  /** The zone with this apex. */
  at(zone: string, options: ReadOptions): Promise<Delegation | FailedQuery>;
  /** Shortens the life of a cached zone whose nameservers all failed. */
  expireSoon(zone: string): void;
}

interface ReadOptions {
  signal: AbortSignal;
  /** Skips the cache, and replaces the cached zone. */
  fresh: boolean;
}

interface DelegationsOptions {
  recursors: Recursors;
  mayAsk: AddressRule;
  clock: Clock;
  /** Yields numbers in [0, 1). */
  random: () => number;
  /** Most cached zones. */
  maxZones?: number;
}

/** Most nameservers of a zone whose addresses are looked up, so that a zone cannot make us look up many (NXNSAttack). */
const MAX_NAMESERVERS = 3;
/** Of each nameserver and IP version. */
const MAX_ADDRESSES = 2;
const MAX_TTL_MS = 60 * 60 * 1000;
/** For a zone without a nameserver to ask. */
const EMPTY_TTL_MS = 5_000;
/** From the time of reading, for a zone whose nameservers all failed. */
const FAILING_TTL_MS = 30_000;
const MAX_ZONES = 100_000;
/** For a read that several lookups may share. */
const READ_LIMIT_MS = 10_000;

interface CachedZone {
  result: Delegation | FailedQuery;
  readAt: number;
  /** The nameservers are read again then, but not the apex. */
  expiresAt: number;
}

/** The addresses of one nameserver. */
interface NameserverRecords {
  name: string;
  records: ResourceRecord[];
  failure: FailedQuery | null;
}

export function delegations(options: DelegationsOptions): Delegations {
  const { recursors, mayAsk, clock, random, maxZones = MAX_ZONES } = options;
  // A limit by size, unlike one by count, allocates nothing in advance.
  const cache = new LRUCache<string, CachedZone>({ maxSize: maxZones, sizeCalculation: () => 1 });
  const share = singleFlight<Delegation | FailedQuery>(READ_LIMIT_MS, { kind: 'failed', reason: 'timeout' });

  async function at(zone: string, { signal, fresh }: ReadOptions): Promise<Delegation | FailedQuery> {
    const cached = fresh ? undefined : cache.get(zone);
    if (cached !== undefined && isCurrent(cached, clock.now())) return cached.result;
    return share(`${fresh} ${zone}`, signal, (shared) => read(zone, shared));
  }

  async function read(zone: string, signal: AbortSignal): Promise<Delegation | FailedQuery> {
    const answer = await recursors.ask({ name: zone, type: 'NS' }, { signal });
    if (answer.kind === 'failed') return answer;
    const records = answer.response.answers.filter(({ type, name }) => type === 'NS' && name === zone);
    // The same ones in every read, so that a report that nameservers disagree does not change with each check.
    const names = [...new Set(records.map(({ value }) => value))].toSorted().slice(0, MAX_NAMESERVERS);
    const nameservers = await Promise.all(names.map((name) => findAddresses(name, signal)));
    const { result, ttlMs } = toDelegation(zone, records, nameservers);
    const readAt = clock.now();
    if (ttlMs > 0) cache.set(zone, { result, readAt, expiresAt: readAt + ttlMs });
    return result;
  }

  async function findAddresses(name: string, signal: AbortSignal): Promise<NameserverRecords> {
    const found: NameserverRecords = { name, records: [], failure: null };
    const types = ['A', 'AAAA'] as const;
    for (const answer of await Promise.all(types.map((type) => recursors.ask({ name, type }, { signal })))) {
      if (answer.kind === 'failed') {
        found.failure = answer;
        continue;
      }
      const addresses = answer.response.answers.filter(({ type }) => type === 'A' || type === 'AAAA');
      found.records.push(...shuffled(addresses, random).slice(0, MAX_ADDRESSES));
    }
    return found;
  }

  function toDelegation(
    zone: string,
    nsRecords: ResourceRecord[],
    found: NameserverRecords[],
  ): { result: Delegation | FailedQuery; ttlMs: number } {
    const addressRecords = found.flatMap(({ records }) => records);
    const nameservers = found
      .map(({ name, records }) => ({ name, addresses: records.map(({ value }) => value).filter(mayAsk) }))
      .filter(({ addresses }) => addresses.length > 0);
    if (nameservers.length > 0) {
      const ttlMs = Math.min(MAX_TTL_MS, ...[...nsRecords, ...addressRecords].map(({ ttl }) => ttl * 1000));
      return { result: { kind: 'delegation', zone, nameservers }, ttlMs };
    }
    const failure = found.find((one) => one.failure !== null)?.failure ?? null;
    if (failure !== null) return { result: failure, ttlMs: 0 };
    const reason = addressRecords.length > 0 ? 'forbidden_address' : 'no_nameserver';
    return { result: { kind: 'failed', reason }, ttlMs: EMPTY_TTL_MS };
  }

  /** Never a top-level domain: its nameservers should not have to refer us to every zone below. */
  function closestCached(name: string): string | null {
    for (let zone = name; zone.includes('.') && zone !== '.'; zone = parentOf(zone)) {
      if (cache.peek(zone)?.result.kind === 'delegation') return zone;
    }
    return null;
  }

  return {
    at,
    async closest(name, options) {
      const zone = closestCached(name);
      if (zone !== null) {
        const delegation = await at(zone, options);
        if (delegation.kind === 'delegation') return delegation;
      }
      // One read for all names of one owner, however slow it is. A zone below is reached by referral.
      const registered = registrableDomain(name) ?? name;
      return share(`${options.fresh} apex of ${registered}`, options.signal, async (signal) => {
        const found = await recursors.findApex(registered, { signal });
        return found.kind === 'failed' ? found : at(found.apex, { signal, fresh: options.fresh });
      });
    },
    expireSoon(zone) {
      const cached = cache.peek(zone);
      if (cached !== undefined) cached.expiresAt = Math.min(cached.expiresAt, cached.readAt + FAILING_TTL_MS);
    },
  };
}

/** A zone read in the future was read before the clock was set back: its age is unknown. */
function isCurrent({ readAt, expiresAt }: CachedZone, now: number): boolean {
  return readAt <= now && now < expiresAt;
}
