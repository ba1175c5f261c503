import type { Domain } from './domain.ts';
import type { Finding, FindingCode } from './finding.ts';
import type { Failure, Unreadable } from './reading.ts';
import { duration, quote } from './text.ts';

/** The messages of `verificationError`: plain language that a customer can act on, at most 512 characters (spec: Limits). */

/** A domain whose name another workspace (the incumbent) holds as verified. */
export interface TakeoverClaim {
  /** The claimant's own records would verify it if nobody else held the name. */
  proven: boolean;
  /** Its token is older than the incumbent's verification. */
  olderClaim: boolean;
  /** The incumbent's records were read and are gone. */
  incumbentGone: boolean;
}

/** Told only at the end of the window: until then a record that is missing may still be published. */
const EXPECTED_LATER: readonly FindingCode[] = ['record_missing', 'txt_missing', 'record_below_cut'];

/** Told only when it lasts. */
function isUnreadable(code: FindingCode): boolean {
  return code.startsWith('nameserver_') || code === 'cname_to_broken_zone' || code === OURS;
}

/** It blocks, and the customer cannot fix it. */
const OURS: FindingCode = 'resolvers_unreachable';

/** The first mistake that keeps the domain from being verified, and its fix; null while there is nothing to correct. */
export function verificationErrorOf(
  findings: readonly Finding[],
  { reportUnreadable }: { reportUnreadable: boolean },
): string | null {
  const [told] = mistakesOf(findings, { reportUnreadable });
  return told === undefined ? null : describeFinding(told);
}

/** The mistakes that the owner of the domain is told: `verificationError` has the first, an event `diagnosis.changed` all. */
export function mistakesOf(
  findings: readonly Finding[],
  { reportUnreadable }: { reportUnreadable: boolean },
): Finding[] {
  return findings.filter(
    ({ code, severity }) =>
      (severity === 'blocking' || code === OURS) &&
      !EXPECTED_LATER.includes(code) &&
      (reportUnreadable || !isUnreadable(code)),
  );
}

/** Why a domain failed at the end of its window, by what its last check found. `unread`: why a deciding record could not be read, where a limit of ours is the cause. */
export function failureOf(
  findings: readonly Finding[],
  windowMs: number,
  { claim, unread }: { claim?: TakeoverClaim | undefined; unread?: string | undefined } = {},
): string {
  const began = `Not verified within ${duration(windowMs)}.`;
  const [found] = findings;
  const ours = findings.find(({ code }) => code === OURS);
  if (found?.severity !== 'blocking' && ours !== undefined)
    return `${began} ${ours.message} Leave the records as they are, and verify the domain again.`;
  if (found?.severity !== 'blocking' && unread !== undefined)
    return `${began} ${unread} Leave the records as they are, and verify the domain again.`;
  if (found?.severity !== 'blocking') return `${began} ${unconfirmedFailure(claim)}`;
  // A claim that is too old never succeeds, whatever the records.
  const next = claim?.olderClaim ? '' : ' Then verify the domain again.';
  return `${began} ${describeFinding(found)}${next}`;
}

function unconfirmedFailure(claim: TakeoverClaim | undefined): string {
  const seen =
    claim === undefined
      ? 'What is published could not be confirmed in time.'
      : 'Only the last check proved that you own the name, and two checks in a row must prove it.';
  return `${seen} Leave the records as they are, and verify the domain again.`;
}

/** A mistake and how to mend it. `findings/sentences.ts` keeps both short enough. */
export function describeFinding({ message, fix }: Finding): string {
  return [message, fix].filter((text) => text !== '').join(' ');
}

/** For the workspace that lost the name to another one. */
export function describeTakeover({ name }: Domain): string {
  return `Another account of this service proved that it owns ${name}, so the name is served there now. If that is a mistake, find out who can edit its DNS zone; to take the name back, delete the domain, add it again and publish its new records.`;
}

const UNREADABLE: Record<Failure, string> = {
  timeout: 'did not answer in time',
  unreachable: 'could not be reached',
  tcp_failed: 'truncated its answer, and could not be read over TCP',
  servfail: 'answered with a failure (SERVFAIL)',
  refused: 'refused to answer (REFUSED)',
  lame: 'does not serve the zone (lame delegation)',
  malformed: 'gave an answer that is not valid DNS',
  inconsistent: 'gave other nameservers than the others did',
  loop: 'gave CNAMEs that form a loop',
  chain_too_long: 'gave a chain of more than 8 CNAMEs',
  no_nameserver: 'has no nameserver that could be found',
  forbidden_address: 'has only nameservers with private or special addresses, which are never queried',
  overloaded: 'could not be queried in time, because too many domains wait for it',
  no_resolver: 'did not answer, which is no fault of the domain',
  too_many_queries: 'could not be queried, because reading this name takes too many queries',
};

const RESOLVER = 'the resolver that looked up its zone';

/** The subject of a reason that names no nameserver: a resolver of ours has a name that means nothing to the customer. */
const UNNAMED: Record<Failure, string> = {
  timeout: RESOLVER,
  unreachable: RESOLVER,
  tcp_failed: RESOLVER,
  servfail: RESOLVER,
  refused: RESOLVER,
  malformed: RESOLVER,
  inconsistent: 'a nameserver of the zone above',
  no_resolver: RESOLVER,
  lame: 'a nameserver of its zone',
  loop: 'a nameserver of its zone',
  chain_too_long: 'a nameserver of its zone',
  no_nameserver: 'its zone',
  forbidden_address: 'its zone',
  overloaded: 'its zone',
  too_many_queries: 'its zone',
};

/** Why a record at a name could not be read. */
export function describeUnreadable(name: string, { reason, chain, server }: Omit<Unreadable, 'kind'>): string {
  const end = chain.at(-1);
  const unread = end === undefined ? name : `${name} leads to ${quote(end)}, which`;
  const subject = server === undefined ? UNNAMED[reason] : `its nameserver ${server}`;
  return `${unread} could not be read: ${subject} ${UNREADABLE[reason]}.`;
}
