import type { Domain } from './domain.ts';
import type { Finding, FindingCode } from './finding.ts';
import type {
  OwnershipReading,
  Reading,
  RoutingReading,
  ServerAnswer,
  UnreadableReading,
  UnreadableReason,
} from './reading.ts';
import { ownershipName, ownershipValue } from './records.ts';
import { duration, joinList, joinQuoted, quote, truncate } from './text.ts';

/** The messages of `verificationError`: plain language that a customer can act on, at most 512 characters (spec: Limits). */

type RecordType = 'CNAME' | 'TXT';

/** A domain whose name another workspace (the incumbent) holds as verified. */
export interface TakeoverClaim {
  /** The claimant's own records would verify it if nobody else held the name. */
  proven: boolean;
  /** Its token is older than the incumbent's verification. */
  olderClaim: boolean;
  /** The incumbent's records were read and are gone. */
  incumbentGone: boolean;
}

/** What keeps a domain from being verified; null while there is nothing to correct. */
export function describeBlocker(
  domain: Domain,
  { routing, ownership }: Reading,
  claim?: TakeoverClaim,
  { reportUnreadable } = { reportUnreadable: true },
): string | null {
  if (claim?.proven) {
    const blocker = takeoverBlocker(domain, ownership, claim);
    return blocker === null ? null : truncate(blocker);
  }
  const skip = ({ kind }: RoutingReading | OwnershipReading) => kind === 'unreadable' && !reportUnreadable;
  const blockers = [
    skip(routing) ? null : routingBlocker(domain, routing, ownership),
    skip(ownership) ? null : ownershipBlocker(domain, ownership),
  ].filter((blocker) => blocker !== null);
  if (blockers.length > 0) return truncate(blockers.join(' '));
  return claim === undefined ? null : truncate(describeHolder(domain, claim));
}

/** Told only at the end of the window: until then a record that is missing may still be published. */
const EXPECTED_LATER: readonly FindingCode[] = ['record_missing', 'txt_missing', 'record_below_cut'];

/** Told only when it lasts. */
function isUnreadable(code: FindingCode): boolean {
  return code.startsWith('nameserver_') || code === 'cname_to_broken_zone';
}

/** The first mistake that keeps the domain from being verified, and its fix; null while there is nothing to correct. */
export function verificationErrorOf(
  findings: readonly Finding[],
  { reportUnreadable }: { reportUnreadable: boolean },
): string | null {
  const told = findings.find(
    ({ code, severity }) =>
      severity === 'blocking' && !EXPECTED_LATER.includes(code) && (reportUnreadable || !isUnreadable(code)),
  );
  return told === undefined ? null : describe(told);
}

/** Why a domain failed at the end of its window, by what its last check found. */
export function failureOf(findings: readonly Finding[], windowMs: number, claim?: TakeoverClaim): string {
  const began = `Not verified within ${duration(windowMs)}.`;
  const [found] = findings;
  if (found?.severity !== 'blocking') return `${began} ${unconfirmedFailure(claim)}`;
  // A claim that is too old never succeeds, whatever the records.
  const next = claim?.olderClaim ? '' : ' Then verify the domain again.';
  return `${began} ${describe(found)}${next}`;
}

function unconfirmedFailure(claim: TakeoverClaim | undefined): string {
  const seen =
    claim === undefined
      ? 'The records were seen, but could not be confirmed in time.'
      : 'Only the last check proved that you own the name, and two checks in a row must prove it.';
  return `${seen} Leave the records as they are, and verify the domain again.`;
}

/** `findings/finding-draft.ts` keeps both short enough. */
function describe({ message, fix }: Finding): string {
  return [message, fix].filter((text) => text !== '').join(' ');
}

/** For the workspace that lost the name to another one. */
export function describeTakeover({ name }: Domain): string {
  return `Another workspace proved that it owns ${name}, so the name is served there now. If that is a mistake, find out who can edit its DNS zone; to take the name back, delete the domain, add it again and publish its new records.`;
}

/** For a claimant whose own records are right; null when only the second check is missing. */
function takeoverBlocker(domain: Domain, ownership: OwnershipReading, claim: TakeoverClaim): string | null {
  const { name } = domain;
  if (claim.olderClaim) return describeHolder(domain, claim);
  if (ownership.kind !== 'matched') {
    return `Another workspace holds ${name} as verified. To move the name, also publish the TXT record ${ownershipName(domain)} with the value ${quote(ownershipValue(domain))}.`;
  }
  if (!claim.incumbentGone) {
    return `Another workspace holds ${name} as verified, and its records are still in place. Remove every other TXT record at ${ownershipName(domain)}, and point ${name} to ${domain.target} only.`;
  }
  return null;
}

function describeHolder(domain: Domain, { olderClaim }: TakeoverClaim): string {
  const { name } = domain;
  if (olderClaim) {
    return `Another workspace verified ${name} after you added it here, so your records may be left over from before. If the name is yours, delete the domain, add it again and publish its new records.`;
  }
  return `Another workspace holds ${name} as verified. To move the name, publish both records of this domain and remove the other workspace's TXT record at ${ownershipName(domain)}.`;
}

function routingBlocker(domain: Domain, routing: RoutingReading, ownership: OwnershipReading): string | null {
  // The routing record of an apex decides nothing.
  if (domain.kind === 'apex') return null;
  const { name, target } = domain;
  switch (routing.kind) {
    case 'elsewhere':
      return `${name} is a CNAME to ${joinQuoted(routing.chain, 4)}; it must be a CNAME to ${target}.`;
    case 'hidden': {
      // With a matching TXT record this is enough.
      if (ownership.kind === 'matched' || ownership.kind === 'unreadable') return null;
      const found =
        routing.chain.length > 0
          ? `is a CNAME to ${joinQuoted(routing.chain)}`
          : `has the address${routing.addresses.length > 1 ? 'es' : ''} ${joinList(routing.addresses)}`;
      return `${name} ${found} instead of being a CNAME to ${target}. Publish that CNAME instead; if your provider proxies or flattens it, publish the TXT record ${ownershipName(domain)} too.`;
    }
    case 'absent':
      return routing.doubledAt === undefined ? null : describeDoubled('CNAME', name, routing.doubledAt);
    case 'disagree':
      return describeDisagreement('CNAME', name, routing.answers);
    case 'unreadable':
      return describeUnreadable(name, routing) + (routing.chain.length > 0 ? ` It must lead to ${target}.` : '');
    case 'conflicting':
      return `${name} has a CNAME record to ${joinQuoted(routing.chain, 1)} and other records beside it: ${joinQuoted(routing.beside)}. Keep one CNAME record there, with the value ${target}, and delete the others.`;
    case 'bogus':
      return describeBogus('CNAME', name);
    case 'matched':
    case 'unconfirmed':
      return null;
    default:
      return routing satisfies never;
  }
}

function ownershipBlocker(domain: Domain, ownership: OwnershipReading): string | null {
  const name = ownershipName(domain);
  switch (ownership.kind) {
    case 'wrong':
      return describeWrongValues(name, ownership.values, ownershipValue(domain));
    case 'absent':
      return ownership.doubledAt === undefined ? null : describeDoubled('TXT', name, ownership.doubledAt);
    case 'disagree':
      return describeDisagreement('TXT', name, ownership.answers);
    case 'unreadable':
      return describeUnreadable(name, ownership);
    case 'bogus':
      return describeBogus('TXT', name);
    case 'matched':
    case 'unconfirmed':
      return null;
    default:
      return ownership satisfies never;
  }
}

function describeWrongValues(name: string, values: string[], expected: string): string {
  const almost = values.find((value) => value.replace(/["'\s]/g, '') === expected);
  if (almost !== undefined) {
    return `${name} has the TXT value ${quote(almost)}, with quotation marks or spaces that do not belong to it. Enter exactly ${quote(expected)}.`;
  }
  const plural = values.length > 1;
  return `${name} has the TXT value${plural ? 's' : ''} ${joinQuoted(values)}, not the one that proves ownership. Add a TXT record there with the value ${quote(expected)}.`;
}

function describeBogus(type: RecordType, name: string): string {
  return `Resolvers reject the ${type} record of ${name}, because the DNSSEC signatures of its zone are wrong. At the registrar, remove the DS record, or replace it by the one that the DNS provider shows; or sign the zone again.`;
}

function describeDoubled(type: string, name: string, doubledAt: string): string {
  const zone = doubledAt.slice(name.length + 1);
  // Typed in whole, the name would be doubled again.
  const belowZone = name.slice(0, Math.max(0, name.length - zone.length - 1)) || '@';
  return `The ${type} record is at ${doubledAt}, because your DNS provider adds the zone to every name. Enter its name there as "${belowZone}", so that the record is at ${name}.`;
}

function describeDisagreement(type: RecordType, name: string, answers: ServerAnswer[]): string {
  const each = answers.map(({ server, saw }) => `${server} answers ${saw}`);
  return `${disagreementOn(type)} of ${name}: ${joinList(each)}. Publish the same record at all of them.`;
}

function disagreementOn(type: RecordType): string {
  return `The nameservers do not agree on the ${type} record`;
}

const UNREADABLE: Record<UnreadableReason, string> = {
  timeout: 'did not answer in time',
  unreachable: 'could not be reached',
  tcp_failed: 'truncated its answer, and could not be read over TCP',
  servfail: 'answered with a failure (SERVFAIL)',
  refused: 'refused to answer (REFUSED)',
  lame: 'does not serve the zone (lame delegation)',
  malformed: 'gave an answer that is not valid DNS',
  loop: 'gave CNAMEs that form a loop',
  chain_too_long: 'gave a chain of more than 8 CNAMEs',
  no_nameserver: 'has no nameserver that could be found',
  forbidden_address: 'has only nameservers with private or special addresses, which are never queried',
  overloaded: 'could not be queried in time, because too many domains wait for it',
  too_many_queries: 'could not be queried, because reading this name takes too many queries',
};

const RESOLVER = 'the resolver that looked up its zone';

/** What the reason is about where no nameserver is named: a resolver of ours has a name that means nothing to the customer. */
const UNNAMED: Record<UnreadableReason, string> = {
  timeout: RESOLVER,
  unreachable: RESOLVER,
  tcp_failed: RESOLVER,
  servfail: RESOLVER,
  refused: RESOLVER,
  malformed: RESOLVER,
  lame: 'a nameserver of its zone',
  loop: 'a nameserver of its zone',
  chain_too_long: 'a nameserver of its zone',
  no_nameserver: 'its zone',
  forbidden_address: 'its zone',
  overloaded: 'its zone',
  too_many_queries: 'its zone',
};

/** Why a record at a name could not be read. */
export function describeUnreadable(name: string, { reason, chain, server }: Omit<UnreadableReading, 'kind'>): string {
  const end = chain.at(-1);
  const unread = end === undefined ? name : `${name} leads to ${quote(end)}, which`;
  const subject = server === undefined ? UNNAMED[reason] : `its nameserver ${server}`;
  return `${unread} could not be read: ${subject} ${UNREADABLE[reason]}.`;
}
