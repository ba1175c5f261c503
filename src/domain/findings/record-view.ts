import type { Domain } from '../domain.ts';
import { registrableDomain } from '../name.ts';
import type { Answer, Observation, Probe, ProbePurpose, ZoneObservation } from '../observation.ts';
import { type DnsProvider, hostAsValue, nameInZone, providerOf } from '../providers.ts';
import type { OwnershipReading, Reading, RecordRole, RoutingReading } from '../reading.ts';
import { ownershipName, ownershipValue } from '../records.ts';
import { joinList, quote } from '../text.ts';

export type ReadableAnswer = Exclude<Answer, { kind: 'unreadable' }>;

/** One of the two records, as the rules look at it. */
export interface RecordView {
  role: RecordRole;
  type: 'CNAME' | 'TXT' | 'ALIAS';
  name: string;
  /** The value that belongs there. */
  expected: string;
  zone: ZoneObservation;
  provider: DnsProvider | undefined;
  reading: OwnershipReading | RoutingReading;
  /** Whether nothing has to be corrected, although it may not be confirmed yet. */
  isRight: boolean;
  /** Of several answers the most telling, which does not match; null where there is none. */
  answer: ReadableAnswer | null;
  /** The nameservers that answered. */
  servers: string[];
  /** What was seen around it. */
  probes: Probe[];
}

export function viewOf(domain: Domain, role: RecordRole, observation: Observation, reading: Reading): RecordView {
  const seen = observation[role];
  const isOwnership = role === 'ownership';
  const looks = seen.nameservers.flatMap(({ server, answers }) =>
    answers.filter(isReadable).map((answer) => ({ server, answer })),
  );
  const { kind } = reading[role];
  return {
    role,
    type: isOwnership ? 'TXT' : domain.kind === 'apex' ? 'ALIAS' : 'CNAME',
    name: isOwnership ? ownershipName(domain) : domain.name,
    expected: isOwnership ? ownershipValue(domain) : domain.target,
    zone: seen.zone,
    provider: providerOf(seen.zone.nameservers.map(({ name }) => name)),
    reading: reading[role],
    isRight: kind === 'matched' || kind === 'unconfirmed',
    answer: looks.map(({ answer }) => answer).toSorted((a, b) => rankOf(a) - rankOf(b))[0] ?? null,
    servers: [...new Set(looks.map(({ server }) => server))],
    probes: (observation.probes ?? []).filter(({ record }) => record === role),
  };
}

function isReadable(answer: Answer): answer is ReadableAnswer {
  return answer.kind !== 'unreadable';
}

/** The lowest is what has to be corrected first. */
function rankOf(answer: ReadableAnswer): number {
  if (answer.kind === 'found' && answer.chain.length > 0) return answer.beside?.length ? 0 : 1;
  if (answer.chain.length > 0) return 2;
  return answer.kind === 'found' ? 3 : 4;
}

export function probesOf(view: RecordView, ...purposes: ProbePurpose[]): Probe[] {
  return view.probes.filter(({ purpose }) => purposes.includes(purpose));
}

/** Whether a random name beside the record's own answers the same, so that the answer comes from a wildcard. */
export function isFromWildcard(view: RecordView, answer: Answer): boolean {
  if (answer.kind === 'unreadable') return false;
  const text = textOf(answer);
  // A CNAME is there even when nothing is at its end.
  const isThere = answer.kind === 'found' || answer.chain.length > 0;
  return isThere && probesOf(view, 'sibling').some(({ answer: each }) => isReadable(each) && textOf(each) === text);
}

function textOf(answer: ReadableAnswer): string {
  return JSON.stringify([answer.chain, answer.kind === 'found' ? answer.values.toSorted() : []]);
}

/** `At Cloudflare`, or where else the zone is edited. */
export function whereOf({ provider, zone }: Pick<RecordView, 'provider' | 'zone'>): string {
  return provider === undefined ? `In the DNS settings of ${zone.apex}` : `At ${provider.name}`;
}

/** The nameservers that the parent of a zone names. */
export function namedIn({ nameservers, unasked = [] }: ZoneObservation): string[] {
  return [...nameservers.map(({ name }) => name), ...unasked];
}

/** Who names the nameservers of a zone: its registrar, or the zone from which it was delegated. */
export function parentOf(zone: string): { who: string; where: string } {
  const registrable = registrableDomain(zone);
  return registrable === null || registrable === zone
    ? { who: 'the registrar', where: `at the registrar of ${zone}` }
    : { who: 'the zone above', where: `in the NS records of ${zone} in the zone above` };
}

/** What to type as the name of the record: `` Name: `_service.shop` ``. */
export function typedName({ name, zone, provider }: Pick<RecordView, 'name' | 'zone' | 'provider'>): string {
  const typed = nameInZone(name, zone.apex, provider);
  return typed === '' ? 'Name: leave it empty' : `Name: \`${typed}\``;
}

/** What to type as its value. */
export function typedValue({ role, expected, provider }: Pick<RecordView, 'role' | 'expected' | 'provider'>): string {
  return `Value: \`${role === 'routing' ? hostAsValue(expected, provider) : expected}\``;
}

/** Both, as a sentence that ends a fix. */
export function typedRecord(view: RecordView): string {
  return `${typedName(view)}, ${typedValue(view)}.`;
}

export function addRecord(view: RecordView): string {
  return `${whereOf(view)}, add ${article(view)} ${view.type} record. ${typedRecord(view)}`;
}

export function editRecord(view: RecordView): string {
  return `${whereOf(view)}, change the ${view.type} record. ${typedRecord(view)}`;
}

export function article({ type }: Pick<RecordView, 'type'>): string {
  return type === 'ALIAS' ? 'an' : 'a';
}

/** Names of nameservers, or their number where they are too long to be named. */
export function listServers(names: readonly string[]): string {
  const listed = joinList(names.map(shown));
  return listed.length <= 120 ? listed : `${names.length} nameserver${names.length === 1 ? '' : 's'} of the zone`;
}

/** A name or an address that a nameserver sent: quoted unless it is plain. */
export function shown(text: string): string {
  return /^[a-z0-9._:-]+$/i.test(text) ? text : quote(text);
}

export function listAddresses(addresses: readonly string[]): string {
  return joinList(addresses.map(shown));
}

/** A chain of CNAMEs, with arrows: at most four names of it. */
export function chainOf(chain: readonly string[], quoted: (text: string) => string): string {
  const names = chain.map(quoted);
  const shortened = names.length > 4 ? [...names.slice(0, 3), '…', names.at(-1)] : names;
  return shortened.join(' → ');
}
