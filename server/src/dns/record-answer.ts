import type { Answer } from '../domain/observation.ts';
import { isWithin, normalizeName } from './protocol/dns-name.ts';
import type { DnsMessage, RecordType, ResourceRecord } from './protocol/wire.ts';
import type { RecordQuestion } from './resolver.ts';

/** A record that is being looked up, along its CNAMEs. */
export interface Chase {
  /** The record's own name. */
  name: string;
  type: RecordType;
  stopAt: string | null;
  /** The targets of the CNAMEs that were followed. */
  chain: string[];
  beside: string[];
}

/** Most CNAMEs that are followed. */
export const MAX_CHAIN = 8;
const MAX_VALUES = 100;
const MAX_VALUE_LENGTH = 1024;
const MAX_ADDRESSES = 20;
/** Whose records are read at the name itself: for those, a CNAME there is no way to them. */
const NOT_FOLLOWED: readonly RecordType[] = ['NS', 'SOA', 'DS'];

export function startChase(name: string, type: RecordType, stopAt?: string): Chase {
  const end = stopAt === undefined ? null : normalizeName(stopAt);
  return { name: normalizeName(name), type, stopAt: end, chain: [], beside: [] };
}

/** The name that is asked for next. */
export function currentName({ name, chain }: Chase): string {
  return chain.at(-1) ?? name;
}

/**
 * Reads what a response says about the record. Null: its CNAMEs, now in `chase`, lead to a name that has to be asked for.
 * `bailiwick`: the zone of the nameserver, which may say nothing about other zones; the root for a resolver.
 */
export function readAnswer(response: DnsMessage, chase: Chase, bailiwick = '.'): Answer | null {
  const trusted = response.answers.filter(({ name }) => isWithin(name, bailiwick));
  const { name, type, stopAt, chain } = chase;
  const asked = currentName(chase);
  for (;;) {
    const current = currentName(chase);
    const here = trusted.filter((record) => record.name === current);
    if (current === name) chase.beside = recordsBeside(here, type);
    const aliases = here.filter((record) => record.type === 'CNAME').map(({ value }) => value);
    const records = here.filter((record) => record.type === type);
    const followed = type !== 'CNAME' && !NOT_FOLLOWED.includes(type);
    // An address beside a CNAME is no answer: other servers and resolvers see the CNAME.
    const conflicts = isAddress(type) && aliases.length > 0;
    if (type !== 'CNAME' && records.length > 0 && !conflicts) return found(chase, records);
    const [alias] = aliases.toSorted();
    if (alias === undefined || !(followed || type === 'CNAME')) break;
    // With the name that closes the circle.
    if (alias === name || chain.includes(alias))
      return { kind: 'unreadable', reason: 'loop', chain: [...chain, alias] };
    if (chain.length === MAX_CHAIN) return { kind: 'unreadable', reason: 'chain_too_long', chain };
    chain.push(alias);
    if (alias === stopAt || type === 'CNAME') return found(chase, []);
  }
  if (currentName(chase) !== asked) return null;
  return { kind: 'absent', reason: response.rcode === 'nxdomain' ? 'nxdomain' : 'nodata', chain };
}

/** A resolver's answer about the record. The end of a chain is missing where the resolver has not followed it. */
export function readResolved(response: DnsMessage, chase: Chase): Answer {
  const reason = response.rcode === 'nxdomain' ? 'nxdomain' : 'nodata';
  return readAnswer(response, chase) ?? { kind: 'absent', reason, chain: chase.chain };
}

/** The types of record to ask for, in order, until one is there. `second`: as in `AskNameserverOptions`. */
export function typesOf({ type }: RecordQuestion, second: boolean): [RecordType, ...RecordType[]] {
  if (type !== 'ADDRESS') return [type];
  return second ? ['AAAA', 'A'] : ['A', 'AAAA'];
}

/** The records at the record's own name besides the CNAME, or the TXT records, that the answer is read from. */
function recordsBeside(here: ResourceRecord[], type: RecordType): string[] {
  const aliases = here.filter((record) => record.type === 'CNAME');
  if (aliases.length === 0 || NOT_FOLLOWED.includes(type)) return [];
  const hasOther = here.some((record) => record.type === type && type !== 'CNAME');
  const [, ...furtherAliases] = [...new Set(aliases.map(({ value }) => value))].toSorted();
  if (!isAddress(type) && hasOther) return valuesOf(aliases, MAX_VALUES);
  const addresses = here.filter((record) => isAddress(record.type));
  return [...valuesOf(addresses, MAX_ADDRESSES), ...furtherAliases.slice(0, MAX_ADDRESSES)];
}

function found({ type, chain, beside }: Chase, records: ResourceRecord[]): Answer {
  const values = valuesOf(records, isAddress(type) ? MAX_ADDRESSES : MAX_VALUES);
  return { kind: 'found', chain, values, ...(beside.length > 0 ? { beside } : {}) };
}

function isAddress(type: RecordType): boolean {
  return type === 'A' || type === 'AAAA';
}

/** Sorted, because many nameservers rotate records, and that must not look like a change. */
export function valuesOf(records: ResourceRecord[], limit: number): string[] {
  return records
    .slice(0, limit)
    .map(({ value }) => truncateValue(value))
    .sort();
}

/** Longer than any value we expect, so a cut value never equals an expected one. */
function truncateValue(value: string): string {
  return value.length > MAX_VALUE_LENGTH ? `${value.slice(0, MAX_VALUE_LENGTH)}…` : value;
}
