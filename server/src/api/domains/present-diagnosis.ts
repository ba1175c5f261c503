import type { CheckResult } from '../../domain/check-result.ts';
import type { Domain } from '../../domain/domain.ts';
import type { Finding } from '../../domain/finding.ts';
import type {
  Answer,
  NameserverAnswers,
  Observation,
  RecordObservation,
  Validation,
  ZoneNameserver,
  ZoneObservation,
} from '../../domain/observation.ts';
import { type DnsProvider, hostAsValue, nameInZone, ownZone, providerOf } from '../../domain/providers.ts';
import { isProxy } from '../../domain/proxy-zones.ts';
import { answerMatches, withoutOwnWildcard } from '../../domain/read-observation.ts';
import { challengeDnsRecord, type DnsRecord, dnsRecords, MAX_NAMED_ADDRESSES } from '../../domain/records.ts';
import { sharedAddressesOf } from '../../domain/shared-target.ts';
import { isWildcard } from '../../domain/wildcard.ts';
import type { CheckSchedule } from '../../store/store.ts';
import type { ApiSettings } from '../operation.ts';
import {
  type DiagnosisData,
  type DiagnosisRecord,
  type DiagnosisZone,
  type RecordSeen,
  SEEN_LIST_LIMIT,
  SEEN_TEXT_LIMIT,
} from './diagnosis-schema.ts';

/** The observations and findings of a diagnosis, or of the last check. `checkedAt`: Unix ms. */
export interface DiagnosedDns extends CheckResult {
  checkedAt: number;
}

type RecordKind = DiagnosisRecord['record'];

/**
 * A diagnosis as the API shows it (docs/guides/verification.md); `dns` is null before the first check. Absent values are left
 * out, never null.
 */
export function presentDiagnosis(
  domain: Domain,
  dns: DiagnosedDns | null,
  schedule: CheckSchedule,
  now: number,
  { edgeAddresses = [], challengeZone }: Pick<ApiSettings, 'edgeAddresses' | 'challengeZone'> = {},
): DiagnosisData {
  const [routing, ownership, challenge] = dnsRecords(domain);
  const shared = sharedAddressesOf(domain);
  const addresses = (shared.length > 0 ? shared : edgeAddresses).slice(0, MAX_NAMED_ADDRESSES);
  const optional = isWildcard(domain.name) ? null : challengeDnsRecord(domain, challengeZone ?? null);
  const zoneOf = (record: RecordKind) => dns && (dns.observation[record] ?? dns.observation.routing).zone;
  const show = (record: RecordKind, published: DnsRecord, zone = zoneOf(record)): DiagnosisRecord => ({
    record,
    type: published.type,
    name: published.name,
    nameInZone: zone === null ? published.name : enteredName(published.name, zone),
    expected: published.value,
    ...(published.type === 'ALIAS' && addresses.length > 0 && { addresses }),
    valueInZone: enteredValue(published, zone),
    ...(dns?.observation[record] === undefined
      ? { verified: published.verified, seen: [] }
      : presentSeen(domain, record, dns.observation[record], dns.checkedAt, now)),
    needed: neededOf(domain, record, dns?.observation ?? null),
  });
  return {
    domainId: domain.id,
    domain: domain.name,
    status: domain.status,
    ...(dns && { checkedAt: dns.checkedAt }),
    schedule: presentSchedule(schedule),
    ...(dns && { zone: presentZone(dns.observation) }),
    records: [
      show('routing', routing),
      show('ownership', ownership),
      ...(challenge === undefined ? [] : [show('challenge', challenge)]),
    ],
    ...(optional && { challengeRecord: { ...show('challenge', optional), needed: 'no' } }),
    findings: (dns?.findings ?? []).map(presentFinding),
  };
}

function presentSchedule({
  attempts,
  lastCheckAt,
  nextCheckAt,
  windowEndsAt,
}: CheckSchedule): DiagnosisData['schedule'] {
  return {
    attempts,
    ...(lastCheckAt !== null && { lastCheckAt }),
    ...(nextCheckAt !== null && { nextCheckAt }),
    ...(windowEndsAt !== null && { windowEndsAt }),
  };
}

/** The zone of a name, and the responses of its nameservers. */
export function presentZone({ routing, ownership }: Observation): DiagnosisZone {
  const { zone } = routing;
  const asked = [...routing.nameservers, ...ownership.nameservers];
  const provider = providerOf(zone.nameservers.map(({ name }) => name));
  const dnssec = dnssecOf([routing.validation, ownership.validation]);
  const isRegistered = zone.failure?.reason !== 'not_registered';
  return {
    name: ownZone(zone.apex, routing.name),
    registered: isRegistered,
    nameservers: [
      ...zone.nameservers.map((nameserver) => ({
        name: nameserver.name,
        addresses: nameserver.addresses,
        outcome: nameserverOutcome(nameserver, asked),
      })),
      ...(zone.unasked ?? []).map((name) => ({ name, addresses: [], outcome: 'not_asked' as const })),
    ],
    ...(provider && { provider: presentProvider(provider) }),
    ...(dnssec && { dnssec }),
  };
}

function presentProvider({ id, name, panel }: DnsProvider): NonNullable<DiagnosisZone['provider']> {
  return { id, name, ...(panel !== undefined && { panel }) };
}

function enteredValue({ type, value }: DnsRecord, zone: ZoneObservation | null): string {
  return type === 'TXT' ? value : hostAsValue(value, providerOf(zone?.nameservers.map(({ name }) => name) ?? []));
}

/** A name as it is entered at the provider of its zone. */
export function enteredName(name: string, { apex, nameservers }: ZoneObservation): string {
  return nameInZone(name, apex, providerOf(nameservers.map((each) => each.name)));
}

export function presentFinding(finding: Finding): DiagnosisData['findings'][number] {
  const { seen, nameservers } = finding;
  return {
    ...finding,
    ...(seen && { seen: shortened(seen) }),
    ...(nameservers && { nameservers: nameservers.slice(0, SEEN_LIST_LIMIT) }),
  };
}

function presentSeen(
  domain: Domain,
  record: RecordKind,
  { nameservers: looks, validation, expected = '' }: RecordObservation & { expected?: string },
  checkedAt: number,
  now: number,
): Pick<DiagnosisRecord, 'verified' | 'seen' | 'visible'> {
  const matches = (answer: Answer) =>
    record === 'challenge' ? answer.chain.includes(expected) : answerMatches(domain, record, answer);
  // The customer published nothing at these names where a wildcard answers.
  const nameservers = record === 'routing' ? looks : looks.map((look) => withoutOwnWildcards(domain, look));
  const seen = nameservers.map((each) => presentAnswers(record, each, matches));
  const readable = seen.filter(({ outcome }) => READABLE.includes(outcome));
  const verified =
    validation?.status !== 'bogus' && readable.length > 0 && readable.every(({ outcome }) => outcome === 'matched');
  const visible = validation && staleAt(record, validation, nameservers, checkedAt);
  return { verified, seen, ...(visible && visible.until > now && { visible }) };
}

function withoutOwnWildcards(domain: Domain, look: NameserverAnswers): NameserverAnswers {
  const answers = look.answers.map((answer) =>
    answer.kind === 'unreadable' ? answer : withoutOwnWildcard(domain, answer),
  );
  return { ...look, answers: answers as NameserverAnswers['answers'] };
}

function presentAnswers(
  record: RecordKind,
  { server, address, answers }: NameserverAnswers,
  matches: (answer: Answer) => boolean,
): RecordSeen {
  const [first, second] = answers;
  const differ = second !== undefined && textOf(record, first) !== textOf(record, second);
  // The second look at a routing record may see its addresses of the other IP version.
  const values = answers.flatMap((answer) => valuesOf(record, answer));
  const cname = record === 'ownership' ? answers.flatMap(aliasesOf) : [];
  // An address beside the CNAME may be seen in one of two looks.
  const telling = answers.find((answer) => !matches(answer)) ?? first;
  const outcome = differ ? 'changing' : outcomeOf(record, telling, matches);
  return {
    nameserver: server,
    outcome: address === null ? 'no_address' : outcome,
    values: shortened([...new Set(values)]),
    ...(cname.length > 0 && { cname: shortened([...new Set(cname)]) }),
  };
}

function outcomeOf(record: RecordKind, answer: Answer, matches: (answer: Answer) => boolean): RecordSeen['outcome'] {
  if (matches(answer)) return 'matched';
  // The CNAME is there, whatever is at its end.
  if (record !== 'ownership' && answer.kind === 'absent' && answer.chain.length > 0) return 'other';
  return answer.kind === 'found' ? 'other' : answer.reason;
}

const READABLE: readonly RecordSeen['outcome'][] = ['matched', 'other', 'changing', 'nxdomain', 'nodata'];

/** The values of a record, for people and for comparisons: untrusted text. */
function valuesOf(record: RecordKind, answer: Answer): string[] {
  const values = answer.kind === 'found' ? answer.values : [];
  if (record === 'ownership') return values;
  return [...(answer.chain.length > 0 ? answer.chain : values), ...besideOf(answer)];
}

/** The TXT record may be missing because there is a CNAME at its name, or have one beside it. */
function aliasesOf(answer: Answer): string[] {
  return [...answer.chain, ...besideOf(answer)];
}

function besideOf(answer: Answer): string[] {
  return answer.kind === 'found' ? (answer.beside ?? []) : [];
}

/** The same text for two answers with the same records. Addresses may rotate; the customer did not publish them. */
function textOf(record: RecordKind, answer: Answer): string {
  const said = record !== 'ownership' ? answer.chain : [...aliasesOf(answer), ...valuesOf(record, answer)].toSorted();
  return JSON.stringify([answer.kind, said]);
}

/** Whether a resolver still caches a value that no nameserver has any more. */
function staleAt(
  record: RecordKind,
  { answer, status, ttl, resolver }: Validation,
  nameservers: readonly NameserverAnswers[],
  checkedAt: number,
): DiagnosisRecord['visible'] {
  if (answer === null || answer.kind === 'unreadable' || status === 'bogus') return undefined;
  if (ttl === null || resolver === null) return undefined;
  const current = nameservers.flatMap(({ answers }) => answers).filter(({ kind }) => kind !== 'unreadable');
  const isStale = current.length > 0 && !current.some((each) => textOf(record, each) === textOf(record, answer));
  return isStale ? { resolver, until: checkedAt + ttl * 1000 } : undefined;
}

/**
 * A subdomain is verified by its routing record, or by its TXT record where a proxy hides that. An apex needs the TXT
 * record to be verified, and a routing record to be served.
 */
function neededOf(domain: Domain, record: RecordKind, observation: Observation | null): DiagnosisRecord['needed'] {
  if (record !== 'ownership' || domain.kind === 'apex') return 'yes';
  const isMatched = observation === null ? domain.routingVerifiedAt !== null : routingMatches(domain, observation);
  if (isMatched) return observation?.incumbent === undefined ? 'no' : 'yes';
  const hidden = observation?.routing.nameservers.some(({ answers }) => answers.some(isHidden));
  return hidden || observation?.incumbent !== undefined ? 'yes' : 'alternative';
}

/** Flattened or proxied: the value that the customer published cannot be read back. */
function isHidden(answer: Answer): boolean {
  return answer.kind === 'found' && (answer.chain.length === 0 || answer.chain.some(isProxy));
}

function routingMatches(domain: Domain, { routing }: Observation): boolean {
  return routing.nameservers.some(({ answers }) => answers.every((answer) => answerMatches(domain, 'routing', answer)));
}

function nameserverOutcome(
  { name, problem }: ZoneNameserver,
  asked: readonly NameserverAnswers[],
): DiagnosisZone['nameservers'][number]['outcome'] {
  if (problem !== undefined) return problem === 'no_address' ? 'no_address' : 'forbidden_address';
  const answers = asked.filter(({ server }) => server === name).flatMap(({ answers }) => answers);
  if (answers.length === 0) return 'not_asked';
  if (answers.some((answer) => !isOwnFailure(answer))) return 'answered';
  const [failed] = answers.filter(isOwnFailure);
  return failed?.reason ?? 'answered';
}

/** Whether this nameserver failed, not one of a zone further down the chain. */
function isOwnFailure(answer: Answer): answer is Extract<Answer, { kind: 'unreadable' }> {
  return answer.kind === 'unreadable' && answer.chain.length === 0 && answer.server === undefined;
}

function dnssecOf(validations: (Validation | null)[]): DiagnosisZone['dnssec'] {
  const statuses = validations.map((validation) => validation?.status);
  if (statuses.includes('bogus')) return 'bogus';
  if (statuses.includes('secure')) return 'secure';
  return statuses.includes('insecure') ? 'unsigned' : undefined;
}

/** Texts of the DNS in a response: not too long, and not too many. */
export function shortened(texts: readonly string[]): string[] {
  return texts.slice(0, SEEN_LIST_LIMIT).map((text) => {
    const characters = [...text];
    return characters.length > SEEN_TEXT_LIMIT ? `${characters.slice(0, SEEN_TEXT_LIMIT - 1).join('')}…` : text;
  });
}
