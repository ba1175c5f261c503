import { hash } from 'node:crypto';
import { queryBudget } from '../../dns/query-budget.ts';
import type { DnsQueries, QueryLimits, RecordQueries, RecordQuestion } from '../../dns/resolver.ts';
import type { Domain } from '../../domain/domain.ts';
import { type Answer, isWithoutServer, type Observation, type RecordObservation } from '../../domain/observation.ts';
import { isProxy } from '../../domain/proxy-zones.ts';
import { answerMatches } from '../../domain/read-observation.ts';
import type { RecordRole } from '../../domain/reading.ts';
import { ownershipName } from '../../domain/records.ts';
import { isProvenByRouting, sharedAddressesOf } from '../../domain/shared-target.ts';
import { type CheckMemory, NO_MEMORY } from '../../domain/status.ts';
import { anyNameOf, challengeRecordOf } from '../../domain/wildcard.ts';
import {
  askAgain,
  askAll,
  askResolver,
  askResolverTwice,
  didNotRespond,
  type FreshZones,
  freshZones,
} from './ask-nameservers.ts';
import { askOtherServers } from './other-servers.ts';
import { runProbes } from './probes.ts';

/**
 * `routine`: one nameserver is asked for each record; only where that tells anything new, or decides something, as `thorough`. `recheck`: the same of a
 * verified domain, where a match is nothing new. `thorough`: every nameserver is asked, and for what else there is around the records unless they prove
 * the domain. `deciding`: as `thorough`, by queries whose answers nobody off the path can forge; every new match is read so. `diagnosis`: as
 * `thorough`. `name`: as a diagnosis, of a name that is not attached.
 */
export type Depth = 'routine' | 'recheck' | 'thorough' | 'deciding' | 'diagnosis' | 'name';

export interface ObserveOptions {
  depth: Depth;
  /** Records in flight when it aborts are `unreadable`. */
  signal: AbortSignal;
  /** Yields numbers in [0, 1). */
  random: () => number;
  /** From the last check: a record that nameservers disagreed on is asked for at all of them. */
  memory?: Pick<CheckMemory, 'ownershipDoubt' | 'routingDoubt' | 'fingerprint'>;
  /** The zone for challenges, where the challenge record of domains that are no wildcards is looked at too. */
  challengeZone?: string | null;
}

/** While an observation runs. `routingName`: the name that is asked for the routing record. */
export type Asking = ObserveOptions & QueryLimits & { routingName: string };

type Both<T> = Record<RecordRole, T>;

/**
 * Reads the records of a domain, and those of its incumbent where they matter. Nothing is concluded here but which answers need the other
 * nameservers. Never rejects.
 */
export async function observe(
  dns: DnsQueries,
  domain: Domain,
  incumbent: Domain | null,
  given: ObserveOptions,
): Promise<Observation> {
  const isCheck = given.depth !== 'diagnosis' && given.depth !== 'name';
  const options: Asking = { ...given, budget: queryBudget(), routingName: anyNameOf(domain.name, given.random) };
  const [first, firstChallenge] = await Promise.all([
    askFirst(dns, domain, options),
    askChallenge(options.depth === 'deciding' ? dns.deciding : dns, domain, options),
  ]);
  const fingerprint = fingerprintOf(first, (role) => matches(domain, role, first), firstChallenge.challenge);
  const proof = proofOf(domain, incumbent, first);
  const matchesAnew =
    proof !== null || isFirstMatch(domain, 'ownership', first) || isFirstMatch(domain, 'routing', first);
  if (
    options.depth === 'routine' &&
    !isDisputed(options) &&
    !matchesAnew &&
    fingerprint === options.memory?.fingerprint
  ) {
    const records = await both(async (role) => byName(first[role]));
    return { ...records, ...firstChallenge, fingerprint, unchanged: true };
  }
  if (options.depth === 'recheck' && !isChanged(domain, 'ownership', first) && !isChanged(domain, 'routing', first)) {
    const records = await both((role) => recheckRecord(dns, domain, role, first, options));
    return { ...records, ...firstChallenge, fingerprint };
  }
  const decides = options.depth === 'deciding' || (isCheck && matchesAnew);
  const queries = decides ? dns.deciding : dns;
  // Then the first answers count for nothing.
  const asking: Asking = decides ? { ...options, depth: 'deciding' } : options;
  const challenge =
    decides && options.depth !== 'deciding' ? await askChallenge(queries, domain, asking) : firstChallenge;
  const zones = freshZones(queries, options);
  const isTakeover = proof === 'takeover';
  const records = await both((role) =>
    observeEverywhere({ dns: queries, domain, role, first: first[role], zones, options: asking, isTakeover }),
  );
  const observation: Observation = { ...records, ...challenge, fingerprint, ...(decides && { decides }) };
  if (incumbent !== null) {
    const seen = { domain, incumbent, first, records, zones, options: asking };
    observation.incumbent = await observeIncumbent(queries, seen);
  }
  // Nothing delays a domain that is being verified.
  if (isCheck && proof !== null) return observation;
  const role = domain.kind === 'apex' ? 'ownership' : 'routing';
  const asked = { domain, role, question: questionOf(domain, role, 'A', options) } as const;
  const [probes, others] = await Promise.all([
    runProbes(dns, domain, observation, options),
    given.depth === 'diagnosis' ? askOtherServers(dns, asked, observation[role], given.signal) : [],
  ]);
  return { ...observation, probes: [...probes, ...others] };
}

/** One nameserver's answer about the challenge record, where the domain has one. */
async function askChallenge(
  dns: RecordQueries,
  domain: Domain,
  options: Asking,
): Promise<Pick<Observation, 'challenge'>> {
  const record = challengeRecordOf(domain, options.challengeZone ?? null);
  if (record === null) return {};
  const { name, value: expected } = record;
  return { challenge: { ...(await dns.query({ name, type: 'A', stopAt: expected }, options)), expected } };
}

/** Asks one nameserver for each record, and others only while none answers; the resolvers, where all of them are silent. */
async function askFirst(dns: RecordQueries, domain: Domain, options: Asking): Promise<Both<RecordObservation>> {
  // IPv4 alone: a third query in every check for names that have other records is too much.
  const first = await both(async (role) => {
    const seen = await dns.query(questionOf(domain, role, 'A', options), options);
    if (seen.nameservers.length === 0 || !seen.nameservers.every(didNotRespond)) return seen;
    const resolved = await askResolver(dns, questionOf(domain, role, 'ADDRESS', options), options);
    return resolved === null ? seen : { ...seen, nameservers: [...seen.nameservers, resolved] };
  });
  const routing = lastOf(first.routing);
  const mayBeHidden = routing?.kind === 'absent' && routing.reason === 'nodata' && routing.chain.length === 0;
  const mayBeShared = sharedAddressesOf(domain).some((address) => address.includes(':'));
  if (!mayBeHidden || !(mayBeShared || matches(domain, 'ownership', first))) return first;
  const overIpv6 = await dns.query(questionOf(domain, 'routing', 'AAAA', options), options);
  return lastOf(overIpv6)?.kind === 'found' ? { ...first, routing: overIpv6 } : first;
}

/** Whether the first answers would prove the domain if the other nameservers say the same. `takeover`: against its incumbent. */
type Proof = 'domain' | 'takeover' | null;

function proofOf(domain: Domain, incumbent: Domain | null, first: Both<RecordObservation>): Proof {
  const owned = matches(domain, 'ownership', first);
  const routed = matches(domain, 'routing', first);
  const routes = domain.kind === 'apex' || routed || isHidden(first.routing);
  if (incumbent !== null) return owned && routes ? 'takeover' : null;
  const proves = (routed && isProvenByRouting(domain)) || (owned && routes);
  return proves ? 'domain' : null;
}

function isDisputed({ memory = NO_MEMORY }: Asking): boolean {
  return memory.ownershipDoubt === 'disputed' || memory.routingDoubt === 'disputed';
}

/** A match that is known already, and proves nothing alone, is not confirmed again: the steady state of half of the records. */
function isFirstMatch(domain: Domain, role: RecordRole, first: Both<RecordObservation>): boolean {
  return domain[`${role}VerifiedAt`] === null && matches(domain, role, first);
}

/** Whether a readable answer differs from what is known of a verified domain. */
function isChanged(domain: Domain, role: RecordRole, first: Both<RecordObservation>): boolean {
  const answer = lastOf(first[role]);
  const isReadable = answer !== undefined && answer.kind !== 'unreadable';
  return isReadable && matches(domain, role, first) !== (domain[`${role}VerifiedAt`] !== null);
}

/** One nameserver's answer. The resolvers are asked too about records that keep a domain verified, as visitors do: a signature may have expired since. */
async function recheckRecord(
  dns: RecordQueries,
  domain: Domain,
  role: RecordRole,
  first: Both<RecordObservation>,
  options: Asking,
): Promise<RecordObservation> {
  const seen = byName(first[role]);
  const keeps = isProvenByRouting(domain) && matches(domain, 'routing', first) ? 'routing' : 'ownership';
  if (role !== keeps || !matches(domain, role, first)) return seen;
  return { ...seen, validation: await dns.validate(questionOf(domain, role, 'A', options), options) };
}

interface EverywhereOptions {
  dns: RecordQueries;
  domain: Domain;
  role: RecordRole;
  first: RecordObservation;
  zones: FreshZones;
  options: Asking;
  /** Whether records that are gone are asked for twice as well. */
  isTakeover: boolean;
}

/** Asks every nameserver that the parent names now; twice, and the validating resolvers, where all that answer have the record. */
async function observeEverywhere(everywhere: EverywhereOptions): Promise<RecordObservation> {
  const { dns, domain, role, first, zones, options, isTakeover } = everywhere;
  const decides = options.depth === 'deciding';
  const question = questionOf(domain, role, 'ADDRESS', options);
  const { name } = question;
  const { zone, ownNameservers } = await zones(first.zone, name);
  if (zone.failure !== null)
    return byName({
      ...first,
      name,
      zone,
      ...((isWithoutServer(zone.failure.reason) || decides) && { nameservers: [] }),
    });
  const once = await askAll(dns, zone, question, options, (decides ? null : first.nameservers.at(-1)) ?? null);
  if (once.every(didNotRespond)) {
    const { answers, validation } = await askResolverTwice(dns, question, options);
    return byName({ name, zone, nameservers: [...once, ...answers], validation });
  }
  const answers = once.map(({ answers: [answer] }) => answer).filter(({ kind }) => kind !== 'unreadable');
  const isMatch = answers.length > 0 && answers.every((answer) => answerMatches(domain, role, answer));
  // The second answer has the addresses of the other IP version: of a name that is not attached, all of them are in the way.
  const needsSecond = isMatch || isTakeover || options.depth === 'name';
  const [nameservers, validation] = await Promise.all([
    needsSecond ? askAgain(dns, zone, question, options, once) : once,
    dns.validate(question, options),
  ]);
  return byName({ name, zone: { ...zone, ownNameservers: await ownNameservers }, nameservers, validation });
}

/** Its records are at the same names, unless the service was renamed since: then the same answers say whether they are gone. */
async function observeIncumbent(
  dns: RecordQueries,
  seen: {
    domain: Domain;
    incumbent: Domain;
    first: Both<RecordObservation>;
    records: Both<RecordObservation>;
    zones: FreshZones;
    options: Asking;
  },
): Promise<Both<RecordObservation>> {
  const { domain, incumbent, first, records, zones, options } = seen;
  if (ownershipName(incumbent) === ownershipName(domain)) return records;
  const before = { ...first.ownership, nameservers: [] };
  const ownership = await observeEverywhere({
    ...{ dns, domain: incumbent, role: 'ownership', first: before, zones, options },
    isTakeover: true,
  });
  return { ownership, routing: records.routing };
}

function questionOf(
  domain: Domain,
  role: RecordRole,
  addresses: 'A' | 'AAAA' | 'ADDRESS',
  { routingName }: Pick<Asking, 'routingName'>,
): RecordQuestion {
  if (role === 'ownership') return { name: ownershipName(domain), type: 'TXT' };
  return { name: routingName, type: addresses, ...(domain.target && { stopAt: domain.target }) };
}

function byName(seen: RecordObservation): RecordObservation {
  return { ...seen, nameservers: seen.nameservers.toSorted((a, b) => (a.server < b.server ? -1 : 1)) };
}

function lastOf({ nameservers }: RecordObservation): Answer | undefined {
  return nameservers.at(-1)?.answers[0];
}

function matches(domain: Domain, role: RecordRole, first: Both<RecordObservation>): boolean {
  const answer = lastOf(first[role]);
  return answer !== undefined && answerMatches(domain, role, answer);
}

/** Addresses without a CNAME, or behind a provider that proxies: together with the TXT record they verify. */
function isHidden(first: RecordObservation): boolean {
  const answer = lastOf(first);
  return answer?.kind === 'found' && (answer.chain.length === 0 || answer.chain.some(isProxy));
}

async function both<T>(observed: (role: RecordRole) => Promise<T>): Promise<Both<T>> {
  const [ownership, routing] = await Promise.all([observed('ownership'), observed('routing')]);
  return { ownership, routing };
}

const FINGERPRINT_LENGTH = 12;

/**
 * The same for two checks whose first answers tell the same: 12 characters. Addresses are left out where there is no CNAME: who proxies gives others
 * in every answer.
 */
export function fingerprintOf(
  first: Both<RecordObservation>,
  isMatch: (role: RecordRole) => boolean,
  challenge?: Observation['challenge'],
): string {
  const seen = (['ownership', 'routing'] as const).map((role) => summaryOf(first[role], isMatch(role), role));
  if (challenge !== undefined) seen.push(summaryOf(challenge, false, 'routing'));
  return hash('sha256', JSON.stringify(seen), 'base64url').slice(0, FINGERPRINT_LENGTH);
}

function summaryOf(seen: RecordObservation, isMatch: boolean, role: RecordRole): unknown[] {
  const of = [seen.zone.apex, seen.zone.failure];
  const answer = lastOf(seen);
  if (answer === undefined || isMatch) return [...of, isMatch];
  const { kind, chain } = answer;
  switch (kind) {
    case 'found': {
      const values = role === 'ownership' ? answer.values : [];
      return [...of, kind, chain, values, chain.length > 0 ? answer.beside : undefined];
    }
    case 'absent':
      return [...of, kind, chain, answer.reason];
    case 'unreadable':
      // Not why: which nameservers are asked first, and so which fail, is chance.
      return [...of, kind, chain];
    default:
      return kind satisfies never;
  }
}
