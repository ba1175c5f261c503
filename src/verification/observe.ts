import type { AnsweredBy, Lookup, LookupOptions, RecordLookups } from '../dns/resolver.ts';
import type { Domain } from '../domain/domain.ts';
import type { Observation, OwnershipObservation, RoutingObservation, ServerAnswer } from '../domain/observation.ts';
import { ownershipName, ownershipValue } from '../domain/records.ts';
import { joinList, joinQuoted } from '../domain/text.ts';
import { reportsDisagreement } from '../domain/verification-error.ts';
import { isProxy } from './proxy-zones.ts';

/** Longest name DNS can carry, in characters without the final dot (RFC 1035 section 2.3.4). */
const NAME_LIMIT = 253;

/** Nameservers that are asked about one record. */
const MAX_ASKED = 3;

/**
 * Looks at the records of a domain, and of its incumbent if there is one. It asks and holds no rules. Never rejects; what is still
 * open when the signal fires is `unreadable`.
 */
export async function observe(
  resolver: RecordLookups,
  domain: Domain,
  incumbent: Domain | null,
  signal: AbortSignal,
): Promise<Observation> {
  const [ownership, routing] = await Promise.all([
    observeOwnership(resolver, domain, isMatch, signal),
    observeRouting(resolver, domain, isMatch, signal),
  ]);
  // Only a proven claim makes the incumbent's records matter.
  if (incumbent === null || ownership.kind !== 'matched') return { ownership, routing };
  const [incumbentOwnership, incumbentRouting] = await Promise.all([
    observeOwnership(resolver, incumbent, isGone, signal),
    observeRouting(resolver, incumbent, isGone, signal),
  ]);
  return { ownership, routing, incumbent: { ownership: incumbentOwnership, routing: incumbentRouting } };
}

type Seen = OwnershipObservation | RoutingObservation;

/** What must not rest on one nameserver alone: for a claim that the record is there, for an incumbent that it is not. */
const isMatch = (seen: Seen): boolean => seen.kind === 'matched';
const isGone = (seen: Seen): boolean => !isMatch(seen);

async function observeOwnership(
  resolver: RecordLookups,
  domain: Domain,
  decides: (seen: Seen) => boolean,
  signal: AbortSignal,
): Promise<OwnershipObservation> {
  const expected = ownershipValue(domain);
  const look = (name: string, options: LookupOptions) => resolver.lookupTxt(name, options);
  const read = (answer: Lookup<{ values: string[] }>): OwnershipObservation => {
    if (answer.kind !== 'found') return withoutRecord(answer);
    // Compared byte for byte: DNS names fold case, TXT values do not.
    return answer.values.includes(expected) ? { kind: 'matched' } : { kind: 'wrong', values: answer.values };
  };
  const say = (answer: Lookup<{ values: string[] }>) =>
    answer.kind === 'found' ? joinQuoted(answer.values) : 'no record';
  return observeRecord<{ values: string[] }, OwnershipObservation>(ownershipName(domain), {
    look,
    read,
    say,
    decides,
    disputed: reportsDisagreement(domain, 'TXT'),
    signal,
  });
}

async function observeRouting(
  resolver: RecordLookups,
  domain: Domain,
  decides: (seen: Seen) => boolean,
  signal: AbortSignal,
): Promise<RoutingObservation> {
  const look = (name: string, options: LookupOptions) => resolver.lookupRoute(name, domain.target, options);
  const read = (answer: Lookup<{ addresses: string[] }>): RoutingObservation => {
    if (answer.chain.includes(domain.target)) return { kind: 'matched', chain: answer.chain };
    if (answer.kind !== 'found') return withoutRecord(answer);
    const { chain, addresses } = answer;
    if (chain.length === 0 || chain.some(isProxy)) return { kind: 'hidden', addresses, chain };
    return { kind: 'elsewhere', chain };
  };
  const say = (answer: Lookup<{ addresses: string[] }>) => {
    if (answer.chain.length > 0) return joinQuoted(answer.chain);
    return answer.kind === 'found' ? joinList(answer.addresses) : 'no record';
  };
  return observeRecord<{ addresses: string[] }, RoutingObservation>(domain.name, {
    look,
    read,
    say,
    decides,
    disputed: reportsDisagreement(domain, 'CNAME'),
    signal,
  });
}

interface RecordView<Found, S extends Seen> {
  look(name: string, options: LookupOptions): Promise<Lookup<Found>>;
  read(answer: Lookup<Found>): S;
  say(answer: Lookup<Found>): string;
  decides(seen: S): boolean;
  /** Nameservers did not agree when they were last asked. */
  disputed: boolean;
  signal: AbortSignal;
}

type Disagreement = { kind: 'disagree'; answers: ServerAnswer[] };
type Answer<Found> = Lookup<Found> & { by: AnsweredBy };

/** One record: one nameserver is asked, and more of them where one does not suffice. */
async function observeRecord<Found, S extends Seen>(
  name: string,
  view: RecordView<Found, S>,
): Promise<S | Disagreement> {
  const { look, read, decides, disputed, signal } = view;
  const first = await look(name, { signal });
  if (first.kind === 'unreadable') return read(first);
  const seen = disputed || decides(read(first)) ? await confirm(name, first, view) : read(first);
  if (seen.kind !== 'absent') return seen;
  const doubled = `${name}.${first.zone}`;
  if (doubled.length > NAME_LIMIT) return seen;
  const found = read(await look(doubled, { signal })).kind === 'matched';
  return found ? { ...seen, doubledAt: doubled } : seen;
}

/**
 * What the nameservers say together. What decides something must be said by two. Those that do not agree are all heard, now and as long
 * as they do not: so it comes to the same whichever of them is asked first.
 */
async function confirm<Found, S extends Seen>(
  name: string,
  first: Answer<Found>,
  { look, read, say, decides, disputed, signal }: RecordView<Found, S>,
): Promise<S | Disagreement> {
  const answers = [first];
  const agree = () => answers.every((answer) => decides(read(answer)) === decides(read(first)));
  while (answers.length < MAX_ASKED) {
    const next = await look(name, { signal, confirming: answers.map(({ by }) => by) });
    if (next.kind === 'unreadable') return read(next);
    const isNew = answers.every(({ by }) => by.server !== next.by.server && by.address !== next.by.address);
    // Where there is but one nameserver, it confirms itself.
    if (isNew || answers.length === 1) answers.push(next);
    if (!isNew || (agree() && !disputed)) break;
  }
  if (agree()) return read(first);
  const said = answers.map((answer) => ({ server: answer.by.server, saw: say(answer) }));
  return { kind: 'disagree', answers: said.toSorted((a, b) => (a.server < b.server ? -1 : 1)) };
}

function withoutRecord(
  answer: Exclude<Lookup<object>, { kind: 'found' }>,
): Extract<Seen, { kind: 'absent' | 'unreadable' }> {
  return answer.kind === 'absent' ? { kind: 'absent', reason: answer.reason } : answer;
}
