import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import type { ZoneNameserver, ZoneObservation } from '../domain/observation.ts';
import type { AddressRule } from '../net/addresses.ts';
import { type DnsAnswer, type FailedQuery, shuffled } from './ask-server.ts';
import type { Question } from './protocol/wire.ts';
import type { Recursors } from './recursors.ts';
import type { NameserverSet } from './referral.ts';
import type { LookOptions } from './resolver.ts';

/** Finds the addresses of a zone's nameservers: the glue, or else what the resolvers say. Never rejects. */
export type LocateNameservers = (set: NameserverSet, options: LocateOptions) => Promise<LocatedNameservers>;

export interface LocateOptions extends LookOptions {
  /** Asks the nameservers of the zone that holds a nameserver's name, where the resolvers fail: it says which of them is the cause. */
  askHolder?: (question: Question) => Promise<DnsAnswer | FailedQuery>;
}

export interface LocatedNameservers {
  nameservers: ZoneNameserver[];
  unasked?: string[];
  /** Why none of them can be asked. */
  failure: ZoneObservation['failure'];
  /** Seconds. */
  ttl: number;
}

/** Of each nameserver and IP version. */
const MAX_ADDRESSES = 2;
/** Names of nameservers whose addresses are cached: zones of one provider share them. */
const MAX_NAMES = 20_000;
const MAX_TTL_MS = 60 * 60_000;
const EMPTY_TTL_MS = 5_000;

interface Found {
  addresses: string[];
  /** Seconds. */
  ttl: number;
  failure: FailedQuery | null;
}

export function nameserverLocator({
  recursors,
  mayAsk,
  random,
  clock,
}: {
  recursors: Recursors;
  mayAsk: AddressRule;
  /** Yields numbers in [0, 1). */
  random: () => number;
  clock: Clock;
}): LocateNameservers {
  const cache = new LRUCache<string, { addresses: string[]; readAt: number; expiresAt: number }>({
    maxSize: MAX_NAMES,
    sizeCalculation: () => 1,
  });

  async function lookUp(name: string, options: LocateOptions): Promise<Found> {
    const now = clock.now();
    const cached = cache.get(name);
    if (cached !== undefined && cached.readAt <= now && now < cached.expiresAt) {
      return { addresses: cached.addresses, ttl: (cached.expiresAt - now) / 1000, failure: null };
    }
    const found = await readAddresses(name, options);
    const limitMs = found.addresses.length > 0 ? MAX_TTL_MS : EMPTY_TTL_MS;
    const ttlMs = found.failure === null ? Math.min(limitMs, found.ttl * 1000) : 0;
    const readAt = clock.now();
    if (ttlMs > 0) cache.set(name, { addresses: found.addresses, readAt, expiresAt: readAt + ttlMs });
    return found;
  }

  async function readAddresses(name: string, options: LocateOptions): Promise<Found> {
    const found: Found = { addresses: [], ttl: Number.POSITIVE_INFINITY, failure: null };
    for (const queried of ['A', 'AAAA'] as const) {
      const answer = await ask({ name, type: queried }, options);
      // One after the other, so that names that cannot be looked up cost half as much: a zone may have six (NXNSAttack).
      if (answer.kind === 'failed') return { ...found, failure: answer };
      // The name of a nameserver must not be a CNAME (RFC 2181 section 10.3), but resolvers follow it all the same.
      const records = answer.response.answers.filter(({ type }) => type === 'A' || type === 'AAAA');
      found.addresses.push(...records.map(({ value }) => value));
      found.ttl = Math.min(found.ttl, ...records.map(({ ttl }) => ttl));
    }
    return found;
  }

  async function ask(question: Question, options: LocateOptions): Promise<DnsAnswer | FailedQuery> {
    const answer = await recursors.ask(question, options);
    if (answer.kind === 'answer') return answer;
    // The name of our resolver means nothing to the customer.
    return (await options.askHolder?.(question)) ?? { kind: 'failed', reason: answer.reason };
  }

  function toNameserver(name: string, found: string[]): ZoneNameserver {
    const allowed = found.filter(mayAsk);
    const isIpv6 = (address: string) => address.includes(':');
    const some = (addresses: string[]) => shuffled(addresses, random).slice(0, MAX_ADDRESSES);
    const addresses = [...some(allowed.filter((one) => !isIpv6(one))), ...some(allowed.filter(isIpv6))];
    if (addresses.length > 0) return { name, addresses };
    return { name, addresses, problem: found.length > 0 ? 'special_address' : 'no_address' };
  }

  return async (set, options) => {
    const found = await Promise.all(
      set.nameservers.map(async ({ name, glue }): Promise<Found & { name: string }> => {
        if (glue.length > 0) return { name, addresses: glue, ttl: set.ttl, failure: null };
        return { name, ...(await lookUp(name, options)) };
      }),
    );
    const nameservers = found.map(({ name, addresses }) => toNameserver(name, addresses));
    const named = { nameservers, ...(set.unasked.length > 0 && { unasked: set.unasked }) };
    // Half of the nameservers is not the zone: another check that shares this read may send more.
    if (found.some(({ failure }) => failure?.reason === 'too_many_queries'))
      return { ...named, failure: { kind: 'unreadable', reason: 'too_many_queries' }, ttl: 0 };
    const ttl = Math.min(set.ttl, ...found.map((one) => one.ttl));
    if (nameservers.some(({ addresses }) => addresses.length > 0)) return { ...named, failure: null, ttl };
    const failed = found.find((one) => one.failure !== null)?.failure ?? null;
    if (failed !== null) {
      const { reason, server } = failed;
      const failure = { kind: 'unreadable', reason, ...(server === undefined ? {} : { server }) } as const;
      return { ...named, failure, ttl };
    }
    const isSpecial = nameservers.some(({ problem }) => problem === 'special_address');
    return { ...named, failure: { kind: isSpecial ? 'forbidden_address' : 'no_nameserver' }, ttl };
  };
}
