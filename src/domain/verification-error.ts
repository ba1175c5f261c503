import type { Domain } from './domain.ts';
import type {
  Observation,
  OwnershipObservation,
  RoutingObservation,
  ServerAnswer,
  UnreadableObservation,
  UnreadableReason,
} from './observation.ts';
import { ownershipName, ownershipValue } from './records.ts';
import { bounded, duration, listed, shown } from './text.ts';

type RecordType = 'CNAME' | 'TXT';

/** How a claimant stands against the incumbent of its name. */
export interface Claim {
  /** The claimant's own records would verify it if nobody else held the name. */
  proven: boolean;
  /** Its token is older than the incumbent's verification. */
  olderClaim: boolean;
  /** The incumbent's records were read and are gone. */
  gone: boolean;
}

/**
 * What keeps a domain from being verified, in words that a customer can act on; null while waiting is all there is to do.
 * At most 512 characters.
 */
export function obstacle(
  domain: Domain,
  seen: Observation,
  claim?: Claim,
  { tellUnreadable } = { tellUnreadable: true },
): string | null {
  if (claim?.proven) {
    const reason = claimReason(domain, seen, claim);
    return reason === null ? null : bounded(reason);
  }
  const unread = ({ kind }: RoutingObservation | OwnershipObservation) => kind === 'unreadable' && !tellUnreadable;
  const reasons = [
    unread(seen.routing) ? null : routingReason(domain, seen),
    unread(seen.ownership) ? null : ownershipReason(domain, seen.ownership),
  ].filter((reason) => reason !== null);
  if (reasons.length > 0) return bounded(reasons.join(' '));
  return claim === undefined ? null : bounded(heldReason(domain, claim));
}

/** Why a domain failed at the end of its window: the last observation, in words. At most 512 characters. */
export function failure(domain: Domain, seen: Observation, windowMs: number, claim?: Claim): string {
  const reason =
    obstacle(domain, seen, claim) ??
    (claim === undefined ? missingReason(domain, seen) : 'Only the last check proved it.');
  // A claim that is too old never succeeds, whatever the records.
  const next = claim?.olderClaim ? 'delete the domain and add it again' : 'verify the domain again';
  return bounded(`Not verified within ${duration(windowMs)}: ${reason} Correct that, then ${next}.`);
}

/** Whether the customer was last told that nameservers do not agree on this record. What was told is all that is remembered of it. */
export function saysDisagreement({ verificationError }: Domain, type: RecordType): boolean {
  return verificationError?.includes(disagreementOn(type)) ?? false;
}

/** What the workspace is told that lost the name. */
export function superseded({ name }: Domain): string {
  return `Another workspace proved that it owns ${name}, so the name is served there now. If that is a mistake, find out who can edit its DNS zone; to take the name back, delete the domain, add it again and publish its new records.`;
}

/** What stands in the way of a claimant whose own records are right. Null: only the second check. */
function claimReason(domain: Domain, { ownership }: Observation, claim: Claim): string | null {
  const { name } = domain;
  if (claim.olderClaim) return heldReason(domain, claim);
  if (ownership.kind !== 'matched') {
    return `Another workspace holds ${name} as verified. To move the name, publish the TXT record ${ownershipName(domain)} as well: ${ownershipValue(domain)}`;
  }
  if (!claim.gone) {
    return `Another workspace holds ${name} as verified, and its records are still in place. Remove every other TXT record at ${ownershipName(domain)} and every route to a host other than ${domain.target}.`;
  }
  return null;
}

function heldReason(domain: Domain, { olderClaim }: Claim): string {
  const { name } = domain;
  if (olderClaim) {
    return `Another workspace verified ${name} after you added it here, so your records may be left over from before. If the name is yours, delete the domain, add it again and publish its new records.`;
  }
  return `Another workspace holds ${name} as verified. To move the name, publish both records of this domain and remove the other workspace's TXT record at ${ownershipName(domain)}.`;
}

function routingReason(domain: Domain, { routing, ownership }: Observation): string | null {
  // The routing record of an apex decides nothing.
  if (domain.kind === 'apex') return null;
  const { name, target } = domain;
  switch (routing.kind) {
    case 'elsewhere':
      return `${name} is a CNAME to ${listed(routing.chain.map(shown), 4)}; it must be a CNAME to ${target}.`;
    case 'hidden': {
      // Whether the TXT record is there is not known, or known: either way this is not what is missing.
      if (ownership.kind === 'matched' || ownership.kind === 'unreadable') return null;
      const seen =
        routing.chain.length > 0
          ? `is a CNAME to ${listed(routing.chain.map(shown))}`
          : `has the address${routing.addresses.length > 1 ? 'es' : ''} ${listed(routing.addresses)}`;
      return `${name} ${seen} instead of being a CNAME to ${target}. Publish that CNAME instead; if your provider proxies or flattens it, publish the TXT record ${ownershipName(domain)} too.`;
    }
    case 'absent':
      return routing.doubledAt === undefined ? null : doubledReason('CNAME', name, routing.doubledAt);
    case 'disagree':
      return disagreement('CNAME', name, routing.answers);
    case 'unreadable':
      return unreadableReason(name, routing) + (routing.chain.length > 0 ? ` It must lead to ${target}.` : '');
    case 'matched':
      return null;
    default:
      return routing satisfies never;
  }
}

function ownershipReason(domain: Domain, ownership: OwnershipObservation): string | null {
  const name = ownershipName(domain);
  switch (ownership.kind) {
    case 'wrong':
      return wrongValue(name, ownership.values, ownershipValue(domain));
    case 'absent':
      return ownership.doubledAt === undefined ? null : doubledReason('TXT', name, ownership.doubledAt);
    case 'disagree':
      return disagreement('TXT', name, ownership.answers);
    case 'unreadable':
      return unreadableReason(name, ownership);
    case 'matched':
      return null;
    default:
      return ownership satisfies never;
  }
}

function wrongValue(name: string, values: string[], expected: string): string {
  const almost = values.find((value) => value.replace(/["'\s]/g, '') === expected);
  if (almost !== undefined) {
    return `${name} has the TXT value ${shown(almost)}, with quotation marks or spaces that do not belong to it; it must be exactly ${shown(expected)}.`;
  }
  const plural = values.length > 1;
  return `${name} has the TXT value${plural ? 's' : ''} ${listed(values.map(shown))}; ${plural ? 'one of them' : 'it'} must be ${shown(expected)}.`;
}

function doubledReason(type: string, name: string, doubledAt: string): string {
  const zone = doubledAt.slice(name.length + 1);
  // What such a panel wants; typed in whole, the name would be doubled again.
  const belowZone = name.slice(0, Math.max(0, name.length - zone.length - 1)) || '@';
  return `The ${type} record stands at ${doubledAt}, because your DNS provider adds the zone to every name. Enter its name there as "${belowZone}", so that the record stands at ${name}.`;
}

function disagreement(type: RecordType, name: string, answers: ServerAnswer[]): string {
  const said = answers.map(({ server, saw }) => `${server} answers ${saw}`);
  return `${disagreementOn(type)} of ${name}: ${listed(said)}. It is verified as soon as all of them have it.`;
}

function disagreementOn(type: RecordType): string {
  return `The nameservers do not agree on the ${type} record`;
}

const UNREADABLE: Record<UnreadableReason, string> = {
  timeout: 'did not answer in time',
  servfail: 'answered with a failure (SERVFAIL)',
  refused: 'refused to answer (REFUSED)',
  lame: 'is not responsible for the zone (lame delegation)',
  malformed: 'gave an answer that is not valid DNS',
  loop: 'gave CNAMEs that lead in a circle',
  chain_too_long: 'gave a chain of more than 8 CNAMEs',
  no_nameserver: 'has no nameserver that could be found',
  forbidden_address: 'has only nameservers with private or special addresses, which are never asked',
  overloaded: 'could not be asked in time, since too many domains wait for it',
};

/** In words, why a record at a name could not be read. */
export function unreadableReason(name: string, { reason, chain, server }: Omit<UnreadableObservation, 'kind'>): string {
  const end = chain.at(-1);
  const unread = end === undefined ? name : `${name} leads to ${shown(end)}, which`;
  return `${unread} could not be read: ${server === undefined ? 'its zone' : `its nameserver ${server}`} ${UNREADABLE[reason]}.`;
}

/** For the end of the window: also what is merely not there. */
function missingReason(domain: Domain, { routing, ownership }: Observation): string {
  const records: [string, string, RoutingObservation | OwnershipObservation][] = [
    ['TXT', ownershipName(domain), ownership],
  ];
  if (domain.kind === 'subdomain') records.unshift(['CNAME', domain.name, routing]);
  const missing = records.flatMap(([type, name, { kind, ...seen }]) => {
    if (kind !== 'absent') return [];
    const nameExists = 'reason' in seen && seen.reason === 'nodata';
    return [`no ${type} record at ${name}${nameExists ? '' : ' (the name does not exist)'}`];
  });
  return `there is ${listed(missing)}.`;
}
