import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import { registeredDomain } from '../domain/name.ts';
import type { ZoneNameserver, ZoneObservation } from '../domain/observation.ts';
import type { AddressRule } from '../net/addresses.ts';
import { type FailedResponse, failureOf, type ServerResponse, shuffled } from './ask-server.ts';
import type { AskZoneOptions } from './nameserver-queries.ts';
import type { Question } from './protocol/wire.ts';
import type { Recursors } from './recursors.ts';
import type { NameserverSet } from './referral.ts';
import type { QueryBudget, QueryLimits } from './resolver.ts';

/** Finds the addresses of a zone's nameservers: the glue, or else what the resolvers say. Never rejects. */
export type LocateNameservers = (set: NameserverSet, options: LocateOptions) => Promise<LocatedNameservers>;

export interface LocateOptions extends AskZoneOptions {
  /** Asks the nameservers of the zone that holds a nameserver's name, where the resolvers fail: it says which of them is the cause. */
  askZoneOf?: (question: Question, options: QueryLimits) => Promise<ServerResponse>;
  /** Whether nobody off the path can forge what `askZoneOf` says: otherwise it is for this read alone, since deciding reads use what is cached. */
  decides?: boolean;
}

export interface LocatedNameservers {
  nameservers: ZoneNameserver[];
  unasked?: string[];
  /** Why none of them can be asked. */
  failure: ZoneObservation['failure'];
  /** Seconds. */
  ttl: number;
}

/** The limit for each nameserver and IP version. */
const MAX_ADDRESSES = 2;
/** Names of nameservers whose addresses are cached: zones of one provider share them. */
const MAX_NAMES = 20_000;
const MAX_TTL_MS = 60 * 60_000;
/** Longer than between two checks: a check has few queries for addresses, and the next one goes on from what it has found. */
const MIN_TTL_MS = 5 * 60_000;
const EMPTY_TTL_MS = 5_000;
/**
 * Queries a minute for addresses of nameservers within one registered domain, which bounds what many hostile zones together can send to it. A provider
 * has up to a few thousand names of nameservers, each of which is looked up once an hour.
 */
export const ADDRESS_QUERIES_A_MINUTE = 300;
const MAX_DOMAINS = 10_000;

/** Null: not looked up yet. */
interface Addresses {
  ipv4: string[] | null;
  ipv6: string[] | null;
  /** Seconds. */
  ttl: number;
  failure: FailedResponse | null;
  /** Whether a part of it may be forged. */
  isUnsure: boolean;
}

const UNKNOWN: Addresses = {
  ...{ ipv4: null, ipv6: null, ttl: Number.POSITIVE_INFINITY },
  ...{ failure: null, isUnsure: false },
};

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
  const cache = new LRUCache<string, Addresses & { readAt: number; expiresAt: number }>({
    maxSize: MAX_NAMES,
    sizeCalculation: () => 1,
  });
  const isBelowLimit = minuteLimit(clock);

  function cached(name: string): Addresses {
    const now = clock.now();
    const entry = cache.get(name);
    if (entry === undefined || now < entry.readAt || entry.expiresAt <= now) return UNKNOWN;
    return { ...entry, ttl: (entry.expiresAt - now) / 1000 };
  }

  function keep(name: string, found: Addresses): Addresses {
    const readAt = clock.now();
    const [leastMs, mostMs] = addressesOf(found).length > 0 ? [MIN_TTL_MS, MAX_TTL_MS] : [0, EMPTY_TTL_MS];
    const isKept = found.failure === null && !found.isUnsure;
    const ttlMs = isKept ? Math.min(mostMs, Math.max(leastMs, found.ttl * 1000)) : 0;
    if (ttlMs > 0) cache.set(name, { ...found, readAt, expiresAt: readAt + ttlMs });
    return found;
  }

  /** All IPv4 addresses first: the queries of a check may not suffice for both. */
  async function lookUp(names: string[], options: LocateOptions): Promise<Map<string, Addresses>> {
    const found = new Map(names.map((name) => [name, cached(name)]));
    for (const type of ['A', 'AAAA'] as const) {
      const lookups = [...found].map(async ([name, before]) => {
        if (before.failure !== null || before[type === 'A' ? 'ipv4' : 'ipv6'] !== null) return;
        const answer = await ask({ name, type }, options);
        const isUnsure =
          answer.kind === 'answer' && !recursors.servers.includes(answer.server) && options.decides !== true;
        const next = withAnswer(before, type, answer);
        found.set(name, keep(name, { ...next, isUnsure: before.isUnsure || isUnsure }));
      });
      await Promise.all(lookups);
    }
    return found;
  }

  async function ask(question: Question, options: LocateOptions): Promise<ServerResponse> {
    // A hostile zone names new ones, and must not keep those of other customers from being found again.
    const isKnown = (cache.peek(question.name, { allowStale: true })?.ipv4 ?? []).length > 0;
    const mayAsk = () => isKnown || isBelowLimit(question.name);
    const asking = { ...options, budget: addressBudget(options.budget, mayAsk) };
    const answer = await recursors.ask(question, asking);
    if (answer.kind === 'answer' || answer.reason === 'too_many_queries') return answer;
    // The name of our resolver means nothing to the customer.
    return (await options.askZoneOf?.(question, asking)) ?? { ...answer, server: null };
  }

  function toNameserver(name: string, found: string[]): ZoneNameserver {
    const allowed = found.filter(mayAsk);
    const some = (addresses: string[]) => shuffled(addresses, random).slice(0, MAX_ADDRESSES);
    const isIpv6 = (address: string) => address.includes(':');
    const addresses = [...some(allowed.filter((one) => !isIpv6(one))), ...some(allowed.filter(isIpv6))];
    if (addresses.length > 0) return { name, addresses };
    return { name, addresses, problem: found.length > 0 ? 'special_address' : 'no_address' };
  }

  return async (set, options) => {
    const withoutGlue = set.nameservers.filter(({ glue }) => glue.length === 0).map(({ name }) => name);
    const found = await lookUp(withoutGlue, options);
    const nameservers = set.nameservers.map(({ name, glue }) => {
      const addresses = found.get(name);
      return toNameserver(name, addresses === undefined ? glue : addressesOf(addresses));
    });
    const named = { nameservers, ...(set.unasked.length > 0 && { unasked: set.unasked }) };
    const failures = [...found.values()].flatMap(({ failure }) => failure ?? []);
    // Half of the nameservers is not the zone: another check that shares this read may send more.
    if (failures.some(({ reason }) => reason === 'too_many_queries'))
      return { ...named, failure: { reason: 'too_many_queries' }, ttl: 0 };
    const ttl = Math.min(set.ttl, ...[...found.values()].map((one) => one.ttl));
    if (nameservers.some(({ addresses }) => addresses.length > 0)) return { ...named, failure: null, ttl };
    const [first] = failures;
    if (first !== undefined) return { ...named, failure: failureOf(first), ttl };
    const isSpecial = nameservers.some(({ problem }) => problem === 'special_address');
    return { ...named, failure: { reason: isSpecial ? 'forbidden_address' : 'no_nameserver' }, ttl };
  };
}

function addressesOf({ ipv4, ipv6 }: Addresses): string[] {
  return [...(ipv4 ?? []), ...(ipv6 ?? [])];
}

function withAnswer(before: Addresses, type: 'A' | 'AAAA', answer: ServerResponse): Addresses {
  // An IPv4 address is enough to ask the zone.
  if (answer.kind === 'failed') return addressesOf(before).length > 0 ? before : { ...before, failure: answer };
  const { rcode, answers } = answer.message;
  // The name of a nameserver must not be a CNAME (RFC 2181 section 10.3), but resolvers follow it all the same.
  const records = answers.filter((record) => record.type === type);
  const values = records.map(({ value }) => value);
  const ttl = Math.min(before.ttl, ...records.map((record) => record.ttl));
  if (type === 'AAAA') return { ...before, ipv6: values, ttl };
  return { ...before, ipv4: values, ttl, ipv6: rcode === 'nxdomain' ? [] : null };
}

/** The check's budget for addresses of nameservers, within the limit for one domain. */
function addressBudget(budget: QueryBudget, isBelowLimit: () => boolean): QueryBudget {
  const take = () => budget.takeForAddress() && isBelowLimit();
  return {
    take,
    takeForAddress: take,
    get exhausted() {
      return budget.exhausted;
    },
  };
}

/** Counts a query about the registered domain that holds the name; false: there were too many in this minute. */
function minuteLimit(clock: Clock): (name: string) => boolean {
  const counts = new LRUCache<string, { minute: number; count: number }>({
    maxSize: MAX_DOMAINS,
    sizeCalculation: () => 1,
  });
  return (name) => {
    const domain = registeredDomain(name);
    const minute = Math.floor(clock.now() / 60_000);
    const known = counts.get(domain);
    const entry = known?.minute === minute ? known : { minute, count: 0 };
    if (entry !== known) counts.set(domain, entry);
    return ++entry.count <= ADDRESS_QUERIES_A_MINUTE;
  };
}
