import type { Domain } from '../domain.ts';
import type { FindingAction } from '../finding.ts';
import { registrableDomain } from '../name.ts';
import type { Answer, Observation, Probe, ProbePurpose, RecordObservation, ZoneObservation } from '../observation.ts';
import { type DnsProvider, hostAsValue, nameInZone, providerOf } from '../providers.ts';
import { withoutOwnWildcard } from '../read-observation.ts';
import type { Reading, RecordReading, RecordRole } from '../reading.ts';
import { ownershipName, ownershipValue } from '../records.ts';

export type ReadableAnswer = Exclude<Answer, { kind: 'unreadable' }>;

/** One of the records, as the rules look at it. */
export interface RecordView<Role = RecordRole> {
  role: Role;
  type: 'CNAME' | 'TXT' | 'ALIAS';
  name: string;
  /** The value that belongs there. */
  expected: string;
  zone: ZoneObservation;
  provider: DnsProvider | undefined;
  reading: RecordReading;
  /** Whether nothing has to be corrected, although it may not be confirmed yet. */
  isRight: boolean;
  /** The most telling answer that does not match; null where there is none. */
  answer: ReadableAnswer | null;
  /** The nameservers that answered. */
  servers: string[];
  /** The records seen around it. */
  probes: Probe[];
}

export type AnyView = RecordView<RecordRole | 'challenge'>;

export function viewOf(domain: Domain, role: RecordRole, observation: Observation, reading: Reading): RecordView {
  const isOwnership = role === 'ownership';
  return viewOfRecord(domain, observation[role], reading[role], observation, {
    role,
    type: isOwnership ? 'TXT' : domain.kind === 'apex' ? 'ALIAS' : 'CNAME',
    name: isOwnership ? ownershipName(domain) : domain.name,
    expected: isOwnership ? ownershipValue(domain) : domain.target,
  });
}

/** The record for certificates; null where nobody looked at it. */
export function challengeViewOf(domain: Domain, observation: Observation, reading: Reading): AnyView | null {
  const { challenge: seen } = observation;
  if (seen === undefined || reading.challenge === undefined) return null;
  const { name, expected } = seen;
  return viewOfRecord(domain, seen, reading.challenge, observation, {
    role: 'challenge',
    type: 'CNAME',
    name,
    expected,
  });
}

function viewOfRecord<Role extends RecordRole | 'challenge'>(
  domain: Domain,
  seen: RecordObservation,
  reading: RecordReading,
  observation: Observation,
  about: Pick<RecordView<Role>, 'role' | 'type' | 'name' | 'expected'>,
): RecordView<Role> {
  const { role } = about;
  const looks = seen.nameservers.flatMap(({ server, answers }) =>
    answers.filter(isReadable).map((answer) => ({
      server,
      answer: role === 'routing' ? answer : withoutOwnWildcard(domain, answer),
    })),
  );
  const { kind } = reading;
  return {
    ...about,
    zone: seen.zone,
    provider: providerOf(seen.zone.nameservers.map(({ name }) => name)),
    reading,
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

export function probesOf(view: AnyView, ...purposes: ProbePurpose[]): Probe[] {
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

/** The nameservers that the parent of a zone names. */
export function namedIn({ nameservers, unasked = [] }: ZoneObservation): string[] {
  return [...nameservers.map(({ name }) => name), ...unasked];
}

/** Where the nameservers of a zone are set: at its registrar, or in the zone from which it was delegated. */
export function delegatedAt(zone: string): 'registrar' | 'zone_above' {
  const registrable = registrableDomain(zone);
  return registrable === null || registrable === zone ? 'registrar' : 'zone_above';
}

/** A change of the nameservers, or of the DS record, of a zone. */
export function zoneAction(kind: FindingAction['kind'], zone: string, type: 'NS' | 'DS' = 'NS'): FindingAction {
  return { kind, at: delegatedAt(zone), zone, type, name: zone };
}

/** A change at the name of a record. */
export function nameAction(kind: FindingAction['kind'], { type, name, zone, provider }: AnyView): FindingAction {
  const place = { zone: zone.apex, ...(provider && { provider: provider.name }) };
  return { kind, at: 'zone', ...place, type, name, nameInZone: nameInZone(name, zone.apex, provider) };
}

/** The change that gives a record its name and its value. `removes`: the types of those that are there. */
export function recordAction(kind: FindingAction['kind'], view: AnyView, removes?: string[]): FindingAction {
  const { role, expected, provider } = view;
  return {
    ...nameAction(kind, view),
    value: expected,
    valueInZone: role === 'ownership' ? expected : hostAsValue(expected, provider),
    ...(removes && { removes }),
  };
}

/** Values of a list that are kept, and characters of each. */
const MAX_SEEN = 10;
const MAX_SEEN_LENGTH = 255;

/** The first texts, and the beginning of each: nameservers choose how much they send. */
export function limitedTexts(texts: readonly string[]): string[] {
  return texts.slice(0, MAX_SEEN).map((text) => [...text].slice(0, MAX_SEEN_LENGTH).join(''));
}
