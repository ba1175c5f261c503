import type { ZoneNameserver, ZoneObservation } from '../domain/observation.ts';
import type { AddressRule } from '../net/addresses.ts';
import { type FailedQuery, shuffled } from './ask-server.ts';
import type { Recursors } from './recursors.ts';
import type { NameserverSet } from './referral.ts';
import type { LookOptions } from './resolver.ts';

/** The nameservers of a zone with their addresses. */
export interface LocatedNameservers {
  nameservers: ZoneNameserver[];
  /** Why none of them can be asked. */
  failure: ZoneObservation['failure'];
  /** Seconds. */
  ttl: number;
}

/** Most nameservers whose addresses are looked up, so that a zone cannot make us look up many (NXNSAttack). */
const MAX_LOOKED_UP = 3;
/** Of each nameserver and IP version. */
const MAX_ADDRESSES = 2;

interface Found {
  addresses: string[];
  /** Seconds. */
  ttl: number;
  failure: FailedQuery | null;
}

/** Finds the addresses of those nameservers that have no glue through the resolvers; of three at most: others are left out. */
export async function locateNameservers(
  set: NameserverSet,
  { recursors, mayAsk, random }: { recursors: Recursors; mayAsk: AddressRule; random: () => number },
  options: LookOptions,
): Promise<LocatedNameservers> {
  const toLookUp = set.nameservers.filter(({ glue }) => glue.length === 0).slice(0, MAX_LOOKED_UP);
  const located = await Promise.all(
    set.nameservers.map(async (nameserver): Promise<(Found & { name: string }) | null> => {
      const { name, glue } = nameserver;
      if (glue.length > 0) return { name, addresses: glue, ttl: set.ttl, failure: null };
      return toLookUp.includes(nameserver) ? { name, ...(await lookUp(name, recursors, options)) } : null;
    }),
  );
  const found = located.filter((one) => one !== null);
  const nameservers = found.map(({ name, addresses }) => toNameserver(name, addresses, mayAsk, random));
  const ttl = Math.min(set.ttl, ...found.map((one) => one.ttl));
  if (nameservers.some(({ addresses }) => addresses.length > 0)) return { nameservers, failure: null, ttl };
  const failure = found.find((one) => one.failure !== null)?.failure ?? null;
  // The name of our resolver means nothing to the customer.
  if (failure !== null) return { nameservers, failure: { kind: 'unreadable', reason: failure.reason }, ttl: 0 };
  const isSpecial = nameservers.some(({ problem }) => problem === 'special_address');
  return { nameservers, failure: { kind: isSpecial ? 'forbidden_address' : 'no_nameserver' }, ttl };
}

async function lookUp(name: string, recursors: Recursors, options: LookOptions): Promise<Found> {
  const found: Found = { addresses: [], ttl: Number.POSITIVE_INFINITY, failure: null };
  const types = ['A', 'AAAA'] as const;
  for (const answer of await Promise.all(types.map((type) => recursors.ask({ name, type }, options)))) {
    if (answer.kind === 'failed') {
      found.failure = answer;
      continue;
    }
    // A name of a nameserver must not be a CNAME (RFC 2181 section 10.3), but resolvers follow it all the same.
    const records = answer.response.answers.filter(({ type }) => type === 'A' || type === 'AAAA');
    found.addresses.push(...records.map(({ value }) => value));
    found.ttl = Math.min(found.ttl, ...records.map(({ ttl }) => ttl));
  }
  return found;
}

function toNameserver(name: string, found: string[], mayAsk: AddressRule, random: () => number): ZoneNameserver {
  const allowed = found.filter(mayAsk);
  const isIpv6 = (address: string) => address.includes(':');
  const some = (addresses: string[]) => shuffled(addresses, random).slice(0, MAX_ADDRESSES);
  const addresses = [...some(allowed.filter((one) => !isIpv6(one))), ...some(allowed.filter(isIpv6))];
  if (addresses.length > 0) return { name, addresses };
  return { name, addresses, problem: found.length > 0 ? 'special_address' : 'no_address' };
}
