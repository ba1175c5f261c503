import { queryBudget } from '../../dns/query-budget.ts';
import type { DnsQueries, Look, RecordQueries, RecordQuestion } from '../../dns/resolver.ts';
import type { Domain } from '../../domain/domain.ts';
import type { NameserverAnswers, Observation, RecordObservation, ZoneObservation } from '../../domain/observation.ts';
import { isProxy } from '../../domain/proxy-zones.ts';
import { answerMatches } from '../../domain/read-observation.ts';
import type { RecordRole } from '../../domain/reading.ts';
import { ownershipName } from '../../domain/records.ts';
import { NO_MEMORY } from '../../domain/status.ts';
import type { Asking, ObserveOptions } from './asking.ts';
import { type FirstAnswer, fingerprintOf } from './fingerprint.ts';
import { type FreshZones, freshZones } from './fresh-zones.ts';
import { askAgain, askAll } from './nameserver-looks.ts';
import { runProbes } from './probes.ts';
import { isSilent, lookThroughResolver, lookTwiceThroughResolver } from './resolver-looks.ts';

/** At one nameserver, and at others only while none answered; at a resolver, where all of them are silent. */
interface FirstLook {
  zone: ZoneObservation;
  looks: Look[];
}

type Both<T> = Record<RecordRole, T>;

/** `unchanged`: the first looks tell the same as those of the last check, and nothing else was looked at. */
export interface ObserveResult {
  observation: Observation;
  /** Of the first looks, for the next check. */
  fingerprint: string;
  /** Whether nobody off the path can have forged what was seen. */
  decides: boolean;
  unchanged: boolean;
}

/**
 * Looks at the records of a domain, and at those of its incumbent where they matter. Nothing is concluded here but which answers need the other
 * nameservers. Never rejects.
 */
export async function observe(
  dns: DnsQueries,
  domain: Domain,
  incumbent: Domain | null,
  given: ObserveOptions,
): Promise<ObserveResult> {
  const isCheck = given.depth !== 'diagnosis' && given.depth !== 'name';
  const options: Asking = { ...given, budget: queryBudget() };
  const first = await firstLooks(dns, domain, options);
  const fingerprint = fingerprintOf(firstAnswerOf(domain, 'ownership', first), firstAnswerOf(domain, 'routing', first));
  const proof = proofOf(domain, incumbent, first);
  const matchesAnew =
    proof !== null || isFirstMatch(domain, 'ownership', first) || isFirstMatch(domain, 'routing', first);
  if (
    options.depth === 'routine' &&
    !isDisputed(options) &&
    !matchesAnew &&
    fingerprint === options.memory?.fingerprint
  ) {
    const records = await both(async (role) => recordOf(domain, role, first[role].zone, answersOf(first[role])));
    return { observation: records, fingerprint, decides: false, unchanged: true };
  }
  if (options.depth === 'recheck' && !isChanged(domain, 'ownership', first) && !isChanged(domain, 'routing', first)) {
    const records = await both((role) => recheckRecord(dns, domain, role, first, options));
    return { observation: records, fingerprint, decides: false, unchanged: false };
  }
  const decides = options.depth === 'deciding' || (isCheck && matchesAnew);
  const looks = decides ? dns.deciding : dns;
  // Then the first looks count for nothing.
  const asking: Asking = decides ? { ...options, depth: 'deciding' } : options;
  const zones = freshZones(looks, options);
  const isTakeover = proof === 'takeover';
  const observation: Observation = await both((role) =>
    observeEverywhere({ dns: looks, domain, role, first: first[role], zones, options: asking, isTakeover }),
  );
  if (incumbent !== null) {
    const seen = { domain, incumbent, first, records: observation, zones, options: asking };
    observation.incumbent = await observeIncumbent(looks, seen);
  }
  // Nothing delays a domain that is being verified.
  if (!isCheck || proof === null) observation.probes = await runProbes(dns, domain, observation, options);
  return { observation, fingerprint, decides, unchanged: false };
}

async function firstLooks(dns: RecordQueries, domain: Domain, options: Asking): Promise<Both<FirstLook>> {
  // IPv4 alone: a third query in every check for names that have other records is too much.
  const first = await both(async (role) => {
    const { zone, looks } = await dns.look(questionOf(domain, role, 'A'), options);
    if (looks.length === 0 || !looks.every(({ answer }) => isSilent(answer))) return { zone, looks };
    const resolved = await lookThroughResolver(dns, questionOf(domain, role, 'ADDRESS'), options);
    return { zone, looks: resolved === null ? looks : [...looks, resolved] };
  });
  const routing = lastOf(first.routing);
  const mayBeHidden = routing?.kind === 'absent' && routing.reason === 'nodata' && routing.chain.length === 0;
  if (!mayBeHidden || !matches(domain, 'ownership', first)) return first;
  const overIpv6 = await dns.look(questionOf(domain, 'routing', 'AAAA'), options);
  return lastOf(overIpv6)?.kind === 'found' ? { ...first, routing: overIpv6 } : first;
}

/** Whether the first looks would prove the domain if the other nameservers say the same. `takeover`: against its incumbent. */
type Proof = 'domain' | 'takeover' | null;

function proofOf(domain: Domain, incumbent: Domain | null, first: Both<FirstLook>): Proof {
  const owned = matches(domain, 'ownership', first);
  const routed = matches(domain, 'routing', first);
  const routes = domain.kind === 'apex' || routed || isHidden(first.routing);
  if (incumbent !== null) return owned && routes ? 'takeover' : null;
  const proves = domain.kind === 'apex' ? owned : routed || (owned && routes);
  return proves ? 'domain' : null;
}

function isDisputed({ memory = NO_MEMORY }: Asking): boolean {
  return memory.ownershipDoubt === 'disputed' || memory.routingDoubt === 'disputed';
}

/** A match that is known already, and proves nothing alone, is not confirmed again: the steady state of half of the records. */
function isFirstMatch(domain: Domain, role: RecordRole, first: Both<FirstLook>): boolean {
  return domain[`${role}VerifiedAt`] === null && matches(domain, role, first);
}

/** Whether a readable answer differs from what is known of a verified domain. */
function isChanged(domain: Domain, role: RecordRole, first: Both<FirstLook>): boolean {
  const answer = lastOf(first[role]);
  const isReadable = answer !== undefined && answer.kind !== 'unreadable';
  return isReadable && matches(domain, role, first) !== (domain[`${role}VerifiedAt`] !== null);
}

/** What one nameserver said. Of what keeps a domain verified the resolvers are asked too, as visitors do: a signature may have expired since. */
async function recheckRecord(
  dns: RecordQueries,
  domain: Domain,
  role: RecordRole,
  first: Both<FirstLook>,
  options: Asking,
): Promise<RecordObservation> {
  const seen = recordOf(domain, role, first[role].zone, answersOf(first[role]));
  const keeps = domain.kind === 'subdomain' && matches(domain, 'routing', first) ? 'routing' : 'ownership';
  if (role !== keeps || !matches(domain, role, first)) return seen;
  return { ...seen, validation: await dns.validate(questionOf(domain, role, 'A'), options) };
}

function firstAnswerOf(domain: Domain, role: RecordRole, first: Both<FirstLook>): FirstAnswer {
  const { zone } = first[role];
  return { zone, answer: lastOf(first[role]) ?? null, isMatch: matches(domain, role, first) };
}

interface EverywhereOptions {
  dns: RecordQueries;
  domain: Domain;
  role: RecordRole;
  first: FirstLook;
  zones: FreshZones;
  options: Asking;
  /** Whether records that are gone need two looks as well. */
  isTakeover: boolean;
}

/** Asks every nameserver that the parent names now; twice, and the validating resolvers, where all that answer have the record. */
async function observeEverywhere(everywhere: EverywhereOptions): Promise<RecordObservation> {
  const { dns, domain, role, first, zones, options, isTakeover } = everywhere;
  const decides = options.depth === 'deciding';
  const question = questionOf(domain, role, 'ADDRESS');
  const { zone, ownNameservers } = await zones(first.zone, question.name);
  if (zone.failure !== null)
    return recordOf(domain, role, zone, zone.failure.kind === 'unreadable' && !decides ? answersOf(first) : []);
  const once = await askAll(dns, zone, question, options, (decides ? null : first.looks.at(-1)) ?? null);
  if (once.every(({ answers: [answer] }) => isSilent(answer))) {
    const { answers, validation } = await lookTwiceThroughResolver(dns, question, options);
    return { ...recordOf(domain, role, zone, [...once, ...answers]), validation };
  }
  const answers = once.map(({ answers: [answer] }) => answer).filter(({ kind }) => kind !== 'unreadable');
  const isMatch = answers.length > 0 && answers.every((answer) => answerMatches(domain, role, answer));
  // The second look sees the addresses of the other IP version: of a name that is not attached, all of them are in the way.
  const needsSecond = isMatch || isTakeover || options.depth === 'name';
  const [nameservers, validation] = await Promise.all([
    needsSecond ? askAgain(dns, zone, question, options, once) : once,
    dns.validate(question, options),
  ]);
  const observed = { ...zone, ownNameservers: await ownNameservers };
  return { ...recordOf(domain, role, observed, nameservers), validation };
}

/** Its records are at the same names, unless the service was renamed since: then the same answers say whether they are gone. */
async function observeIncumbent(
  dns: RecordQueries,
  seen: {
    domain: Domain;
    incumbent: Domain;
    first: Both<FirstLook>;
    records: Both<RecordObservation>;
    zones: FreshZones;
    options: Asking;
  },
): Promise<Both<RecordObservation>> {
  const { domain, incumbent, first, records, zones, options } = seen;
  if (ownershipName(incumbent) === ownershipName(domain)) return records;
  const before: FirstLook = { zone: first.ownership.zone, looks: [] };
  const ownership = await observeEverywhere({
    ...{ dns, domain: incumbent, role: 'ownership', first: before, zones, options },
    isTakeover: true,
  });
  return { ownership, routing: records.routing };
}

function questionOf(domain: Domain, role: RecordRole, addresses: 'A' | 'AAAA' | 'ADDRESS'): RecordQuestion {
  if (role === 'ownership') return { name: ownershipName(domain), type: 'TXT' };
  return { name: domain.name, type: addresses, ...(domain.target && { stopAt: domain.target }) };
}

function recordOf(
  domain: Domain,
  role: RecordRole,
  zone: ZoneObservation,
  nameservers: NameserverAnswers[],
): RecordObservation {
  const byName = nameservers.toSorted((a, b) => (a.server < b.server ? -1 : 1));
  return { name: questionOf(domain, role, 'A').name, zone, nameservers: byName, validation: null };
}

function answersOf({ looks }: FirstLook): NameserverAnswers[] {
  return looks.map(({ answer, ...server }) => ({ ...server, answers: [answer] }));
}

function lastOf({ looks }: FirstLook): Look['answer'] | undefined {
  return looks.at(-1)?.answer;
}

function matches(domain: Domain, role: RecordRole, first: Both<FirstLook>): boolean {
  const answer = lastOf(first[role]);
  return answer !== undefined && answerMatches(domain, role, answer);
}

/** Addresses without a CNAME, or behind a provider that proxies: together with the TXT record they verify. */
function isHidden(first: FirstLook): boolean {
  const answer = lastOf(first);
  return answer?.kind === 'found' && (answer.chain.length === 0 || answer.chain.some(isProxy));
}

async function both<T>(observed: (role: RecordRole) => Promise<T>): Promise<Both<T>> {
  const [ownership, routing] = await Promise.all([observed('ownership'), observed('routing')]);
  return { ownership, routing };
}
