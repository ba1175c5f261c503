import { MAX_UNASKED } from '../domain/observation.ts';
import { isBelow, isWithin } from './protocol/dns-name.ts';
import type { DnsMessage, ResourceRecord } from './protocol/wire.ts';

/** A zone below the one whose nameserver has answered. */
export interface ZoneCut {
  /** Apex of the lower zone. */
  apex: string;
  /** `referral`: it is delegated. `served`: the server has the lower zone too, and answers from it. */
  kind: 'referral' | 'served';
}

/** The names of a zone's nameservers, as its parent's nameserver gives them. */
export interface NameserverSet {
  /** Sorted, at most six. */
  nameservers: { name: string; glue: string[] }[];
  /** Names of further ones, at most `MAX_UNASKED`. */
  unasked: string[];
  /** Seconds: the shortest of all records. */
  ttl: number;
}

/** The same ones in every read of a zone that has more, so that a report about them does not change with each check. */
const MAX_NAMESERVERS = 6;

/** The zone below `zone` that holds the name, by a response of one of `zone`'s nameservers; null: the name is in `zone` itself, for all that it says. */
export function cutIn({ answers, authorities, authoritative }: DnsMessage, zone: string, name: string): ZoneCut | null {
  if (answers.length > 0) return null;
  const cut = authorities.find(
    ({ type, name: owner }) => (type === 'NS' || type === 'SOA') && isBelow(owner, zone) && isWithin(name, owner),
  );
  if (cut === undefined) return null;
  return { apex: cut.name, kind: cut.type === 'SOA' && authoritative ? 'served' : 'referral' };
}

/** Neither authoritative nor a referral further down: the server does not serve the zone. */
export function isLame(message: DnsMessage, zone: string, name: string): boolean {
  return !message.authoritative && cutIn(message, zone, name) === null;
}

/**
 * The NS records of a zone in a response, with the addresses beside them. Only addresses of names within `bailiwick`, the zone of the nameserver that sent
 * them, count as glue: it may say nothing about others.
 */
export function nameserverSet(
  { answers, authorities, additionals }: DnsMessage,
  apex: string,
  bailiwick: string,
): NameserverSet {
  const isNs = ({ type, name }: ResourceRecord) => type === 'NS' && name === apex;
  const ns = answers.some(isNs) ? answers.filter(isNs) : authorities.filter(isNs);
  const all = [...new Set(ns.map(({ value }) => value))].toSorted();
  const names = all.slice(0, MAX_NAMESERVERS);
  const glue = additionals.filter(
    ({ type, name }) => (type === 'A' || type === 'AAAA') && names.includes(name) && isWithin(name, bailiwick),
  );
  return {
    nameservers: names.map((name) => ({
      name,
      glue: glue.filter((record) => record.name === name).map(({ value }) => value),
    })),
    unasked: all.slice(MAX_NAMESERVERS, MAX_NAMESERVERS + MAX_UNASKED),
    ttl: Math.min(...[...ns, ...glue].map(({ ttl }) => ttl)),
  };
}

/** Whether two nameservers of a registry give the same referral for a domain below it, or deny it alike. */
export function isSameReferral(ours: DnsMessage, theirs: DnsMessage, zone: string, domain: string): boolean {
  const [our, their] = [ours, theirs].map((message) => cutIn(message, zone, domain)?.apex ?? domain);
  if (our === undefined || our !== their || ours.rcode !== theirs.rcode) return false;
  return isSameSet(nameserverSet(ours, our, zone), nameserverSet(theirs, our, zone));
}

/** Whether two nameservers of the upper zone say the same of the lower one: the same names, and the same addresses where both give some. */
export function isSameSet({ nameservers: ours }: NameserverSet, { nameservers: theirs }: NameserverSet): boolean {
  return (
    ours.length === theirs.length &&
    ours.every(({ name, glue }, i) => {
      const other = theirs[i];
      if (other?.name !== name) return false;
      const isSilent = glue.length === 0 || other.glue.length === 0;
      return (
        isSilent || (glue.every((one) => other.glue.includes(one)) && other.glue.every((one) => glue.includes(one)))
      );
    })
  );
}
