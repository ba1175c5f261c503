import type { CaaRecord } from '../domain/certificate-state.ts';
import type { AbsentReason, UnreadableReason } from '../domain/observation.ts';
import { canonicalName, isWithin } from './protocol/dns-name.ts';
import type { Message, Question, Resource } from './protocol/wire.ts';
import type { AnsweredBy, Lookup, LookupOptions, Resolver } from './resolver.ts';

/** How a look-up asks: of the zone's nameservers, or of resolvers. Never rejects. */
export type Ask = (question: Question, options: LookupOptions) => Promise<Asked>;

export type Asked =
  | {
      kind: 'answer';
      answer: Pick<Message, 'rcode' | 'answers'>;
      /** Apex of the zone that holds the name asked for. */
      zone: string;
      /** Records at or below this name may be believed: whoever answered speaks for them. */
      bailiwick: string;
      by: AnsweredBy;
    }
  | { kind: 'unreadable'; reason: UnreadableReason; server?: string };

/** CNAMEs that are followed. */
const MAX_CHAIN = 8;
const MAX_VALUES = 100;
const MAX_VALUE_LENGTH = 1024;
const MAX_ADDRESSES = 20;
/** The flag that is defined (RFC 8659 section 4.1.1). */
const CAA_CRITICAL = 0x80;

/** Reads records and CNAME chains out of the answers that `ask` gets. */
export function chainResolver(ask: Ask): Resolver {
  return {
    async lookupTxt(name, options) {
      const followed = await follow(ask, { name: canonicalName(name), type: 'TXT' }, null, options);
      if (followed.kind !== 'found') return followed;
      const { records, ...found } = followed;
      return { ...found, values: valuesOf(records, MAX_VALUES) };
    },

    async lookupRoute(name, target, options) {
      const end = canonicalName(target);
      let followed = await follow(ask, { name: canonicalName(name), type: 'A' }, end, options);
      // Some names have IPv6 addresses only.
      if (followed.kind === 'absent' && followed.reason === 'nodata' && followed.chain.length === 0) {
        followed = await follow(ask, { name: canonicalName(name), type: 'AAAA' }, end, options);
      }
      if (followed.kind === 'unreadable') return followed;
      if (followed.kind === 'found') {
        const { records, ...found } = followed;
        return { ...found, addresses: valuesOf(records, MAX_ADDRESSES) };
      }
      if (followed.chain.length === 0) return followed;
      // The customer's record is there; it leads to a name that has no address.
      const { chain, by, zone } = followed;
      return { kind: 'found', chain, by, zone, addresses: [] };
    },

    async lookupAddresses(name, options) {
      const [ipv4, ipv6] = await Promise.all([
        follow(ask, { name: canonicalName(name), type: 'A' }, null, options),
        follow(ask, { name: canonicalName(name), type: 'AAAA' }, null, options),
      ]);
      if (ipv4.kind === 'unreadable') return ipv4;
      if (ipv6.kind === 'unreadable') return ipv6;
      const addresses = [ipv4, ipv6].flatMap((read) =>
        read.kind === 'found' ? valuesOf(read.records, MAX_ADDRESSES) : [],
      );
      const told = ipv4.kind === 'found' ? ipv4 : ipv6;
      if (told.kind === 'absent') return told;
      const { chain, by, zone } = told;
      return { kind: 'found', chain, by, zone, addresses };
    },

    async lookupCaa(name, options) {
      const followed = await follow(ask, { name: canonicalName(name), type: 'CAA' }, null, options);
      if (followed.kind !== 'found') return followed;
      const { records, ...found } = followed;
      return { ...found, records: valuesOf(records, MAX_VALUES).map(toCaa) };
    },
  };
}

type Followed = Lookup<{ records: Resource[] }>;

/** Asks for the records at a name, and on along CNAMEs until there are some, or until the chain reaches `target`. */
async function follow(ask: Ask, question: Question, target: string | null, options: LookupOptions): Promise<Followed> {
  const { name, type } = question;
  const chain: string[] = [];
  let current = name;
  let origin: { by: AnsweredBy; zone: string } | null = null;
  for (;;) {
    const asked: Asked = await ask({ name: current, type }, options);
    if (asked.kind === 'unreadable') return { ...asked, chain };
    origin = originOf(origin, asked);
    const { answer, bailiwick } = asked;
    const believed = answer.answers.filter((record) => isWithin(record.name, bailiwick));
    const askedFor = current;
    for (;;) {
      const records = believed.filter((record) => record.name === current && record.type === type);
      if (records.length > 0) return { kind: 'found', records, chain, ...origin };
      const alias = believed.find((record) => record.name === current && record.type === 'CNAME');
      if (alias === undefined) break;
      current = alias.value;
      if (current === name || chain.includes(current)) return stuck('loop', chain, asked.by);
      if (chain.length === MAX_CHAIN) return stuck('chain_too_long', chain, asked.by);
      chain.push(current);
      if (current === target) return { kind: 'found', records: [], chain, ...origin };
    }
    if (current === askedFor) return { kind: 'absent', reason: absenceOf(answer), chain, ...origin };
  }
}

/** Who answered for the name itself; with authority only if everybody on the way had it. */
function originOf(
  origin: { by: AnsweredBy; zone: string } | null,
  { by, zone }: Extract<Asked, { kind: 'answer' }>,
): { by: AnsweredBy; zone: string } {
  if (origin === null) return { by, zone };
  return { ...origin, by: { ...origin.by, authoritative: origin.by.authoritative && by.authoritative } };
}

function stuck(reason: UnreadableReason, chain: string[], { server }: AnsweredBy): Followed {
  return { kind: 'unreadable', reason, chain, server };
}

function absenceOf({ rcode }: Pick<Message, 'rcode'>): AbsentReason {
  return rcode === 'nxdomain' ? 'nxdomain' : 'nodata';
}

/** Sorted: many nameservers turn the order with every answer, and that must not look like a change. */
function valuesOf(records: Resource[], most: number): string[] {
  return records
    .slice(0, most)
    .map(({ value }) => bounded(value))
    .sort();
}

function toCaa(text: string): CaaRecord {
  const [flags = '', tag = '', ...value] = text.split(' ');
  return { critical: (Number(flags) & CAA_CRITICAL) !== 0, tag, value: value.join(' ') };
}

/** What was cut off is longer than anything we expect, so it cannot become equal to it. */
function bounded(value: string): string {
  return value.length > MAX_VALUE_LENGTH ? `${value.slice(0, MAX_VALUE_LENGTH)}…` : value;
}
