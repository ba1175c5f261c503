import type { UnreadableReason } from '../domain/reading.ts';
import type { DnsAnswer, FailedQuery } from './ask-server.ts';
import { isWithin, normalizeName } from './protocol/dns-name.ts';
import type { Question, RecordType, ResourceRecord } from './protocol/wire.ts';
import type { AnsweredBy, Lookup, LookupOptions, RecordLookups } from './resolver.ts';

/** Asks the zone's nameservers, or recursive resolvers. Never rejects. */
export type Ask = (question: Question, options: LookupOptions) => Promise<ZoneAnswer | FailedQuery>;

/** `zone`: the apex of the zone that holds the name in the question. */
export type ZoneAnswer = DnsAnswer & { zone: string };

/** Most CNAMEs that are followed. */
const MAX_CHAIN = 8;
const MAX_VALUES = 100;
const MAX_VALUE_LENGTH = 1024;
const MAX_ADDRESSES = 20;

/** A resolver that follows CNAMEs and reads records from the answers to `ask`. */
export function recordLookups(ask: Ask): RecordLookups {
  return {
    async lookupTxt(name, options) {
      const lookup = await follow(ask, name, 'TXT', options);
      if (lookup.kind !== 'found') return lookup;
      const { records, ...found } = lookup;
      return { ...found, values: valuesOf(records, MAX_VALUES) };
    },

    async lookupRoute(name, target, options) {
      let lookup = await follow(ask, name, 'A', options, target);
      // Some names have IPv6 addresses only.
      if (lookup.kind === 'absent' && lookup.reason === 'nodata' && lookup.chain.length === 0) {
        lookup = await follow(ask, name, 'AAAA', options, target);
      }
      if (lookup.kind === 'unreadable' || (lookup.kind === 'absent' && lookup.chain.length === 0)) return lookup;
      // A CNAME is found even when its target has no address.
      const { chain, by, zone } = lookup;
      const addresses = lookup.kind === 'found' ? valuesOf(lookup.records, MAX_ADDRESSES) : [];
      return { kind: 'found', chain, by, zone, addresses };
    },
  };
}

/** Follows CNAMEs from a name until there are records of the type, or until the chain reaches `target`. */
async function follow(
  ask: Ask,
  lookedUp: string,
  type: RecordType,
  options: LookupOptions,
  target: string | null = null,
): Promise<Lookup<{ records: ResourceRecord[] }>> {
  const name = normalizeName(lookedUp);
  const end = target === null ? null : normalizeName(target);
  const chain: string[] = [];
  let current = name;
  let origin: { by: AnsweredBy; zone: string } | null = null;
  for (;;) {
    const answer = await ask({ name: current, type }, options);
    if (answer.kind === 'failed') return unreadable(answer, chain);
    const { response, by, zone }: ZoneAnswer = answer;
    // The server that answered for the name itself; authoritative only if all servers on the chain were.
    origin ??= { by, zone };
    if (!by.authoritative) origin = { ...origin, by: { ...origin.by, authoritative: false } };
    // A nameserver is trusted for its own zone only (bailiwick).
    const trusted = by.authoritative ? response.answers.filter((one) => isWithin(one.name, zone)) : response.answers;
    const asked = current;
    for (;;) {
      const records = trusted.filter((record) => record.name === current && record.type === type);
      if (records.length > 0) return { kind: 'found', records, chain, ...origin };
      const alias = trusted.find((record) => record.name === current && record.type === 'CNAME');
      if (alias === undefined) break;
      current = alias.value;
      if (current === name || chain.includes(current))
        return { kind: 'unreadable', reason: 'loop', chain, server: by.server };
      if (chain.length === MAX_CHAIN) return { kind: 'unreadable', reason: 'chain_too_long', chain, server: by.server };
      chain.push(current);
      if (current === end) return { kind: 'found', records: [], chain, ...origin };
    }
    if (current === asked) {
      const reason = response.rcode === 'nxdomain' ? 'nxdomain' : 'nodata';
      return { kind: 'absent', reason, chain, ...origin };
    }
  }
}

/** To the domain, a server that cannot be reached is one that does not respond in time. */
function unreadable(
  { reason, server }: FailedQuery,
  chain: string[],
): Extract<Lookup<unknown>, { kind: 'unreadable' }> {
  const known: UnreadableReason = reason === 'unreachable' ? 'timeout' : reason;
  return { kind: 'unreadable', reason: known, chain, ...(server === undefined ? {} : { server }) };
}

/** Sorted, because many nameservers rotate records, and that must not look like a change. */
function valuesOf(records: ResourceRecord[], limit: number): string[] {
  return records
    .slice(0, limit)
    .map(({ value }) => truncateValue(value))
    .sort();
}

/** Longer than any value we expect, so a cut value never equals an expected one. */
function truncateValue(value: string): string {
  return value.length > MAX_VALUE_LENGTH ? `${value.slice(0, MAX_VALUE_LENGTH)}…` : value;
}
