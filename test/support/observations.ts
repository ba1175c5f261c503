import type { Domain } from '../../server/src/domain/domain.ts';
import type {
  Answer,
  NameserverAnswers,
  Observation,
  Probe,
  RecordObservation,
  Validation,
  ZoneObservation,
} from '../../server/src/domain/observation.ts';
import type { Failure } from '../../server/src/domain/reading.ts';
import { ownershipName, ownershipValue } from '../../server/src/domain/records.ts';
import { challengeRecordOf } from '../../server/src/domain/wildcard.ts';

/** Observations written by hand: what the nameservers ns1, ns2, … of a zone answer. */

export const NXDOMAIN: Answer = { kind: 'absent', reason: 'nxdomain', chain: [] };
export const NODATA: Answer = { kind: 'absent', reason: 'nodata', chain: [] };

export const txt = (...values: string[]): Answer => ({ kind: 'found', chain: [], values });
export const addresses = (...values: string[]): Answer => ({ kind: 'found', chain: [], values });
export const cname = (...chain: string[]): Answer => ({ kind: 'found', chain, values: [] });
export const fails = (reason: Failure, ...chain: string[]): Answer => ({
  kind: 'unreadable',
  reason,
  chain,
});

/** A zone with two nameservers that its parent names. */
export function zoneOf(apex: string, changes: Partial<ZoneObservation> = {}): ZoneObservation {
  const names = [`ns1.${apex}`, `ns2.${apex}`];
  const nameservers = changes.nameservers ?? names.map((name, i) => ({ name, addresses: [`192.0.2.${i + 1}`] }));
  const ownNameservers = nameservers.map(({ name }) => name);
  return { apex, source: 'parent', nameservers, ownNameservers, failure: null, ...changes };
}

/** The answers of each nameserver, in order; an array: in its two looks. */
export type Answers = (Answer | [Answer, Answer])[];

export function recordSeen(
  name: string,
  zone: ZoneObservation,
  answers: Answers,
  validation: Validation | null = null,
): RecordObservation {
  const nameservers = answers.map((answer, i): NameserverAnswers => {
    const asked = zone.nameservers[i] ?? { name: `ns${i + 1}.${zone.apex}`, addresses: [`192.0.2.${i + 1}`] };
    const looks: NameserverAnswers['answers'] = Array.isArray(answer) ? answer : [answer];
    return { server: asked.name, address: asked.addresses[0] ?? null, answers: looks };
  });
  return { name, zone, nameservers, validation };
}

export const twice = (answer: Answer): [Answer, Answer] => [answer, answer];

/** The same, from a resolver in place of the nameservers, which are silent. */
export function throughResolver(seen: RecordObservation): RecordObservation {
  const [first] = seen.nameservers;
  if (first === undefined) throw new Error('nobody was asked');
  const silent = seen.nameservers.map((each): NameserverAnswers => ({ ...each, answers: [fails('timeout')] }));
  const resolver = '192.0.2.53';
  return {
    ...seen,
    nameservers: [...silent, { server: resolver, address: resolver, isResolver: true, answers: first.answers }],
    validation: validation({ answer: first.answers[0], resolver }),
  };
}

/** Both nameservers give the same answer, in both looks. */
export const everywhere = (answer: Answer): Answers => [twice(answer), twice(answer)];

export function validation(changes: Partial<Validation>): Validation {
  return { status: 'insecure', answer: null, ttl: null, error: null, resolver: '192.0.2.53', ...changes };
}

export interface Seen {
  ownership?: Answers;
  routing?: Answers;
  /** Only of a domain with a challenge record; absent: nobody looked. */
  challenge?: Answers;
  zone?: Partial<ZoneObservation>;
  ownershipValidation?: Validation;
  routingValidation?: Validation;
  probes?: Probe[];
}

/** Records that are not given are absent at both nameservers. */
export function observation(domain: Domain, apex: string, seen: Seen = {}): Observation {
  const zone = zoneOf(apex, seen.zone);
  const { ownership = everywhere(NXDOMAIN), routing = everywhere(NXDOMAIN) } = seen;
  return {
    ownership: recordSeen(ownershipName(domain), zone, ownership, seen.ownershipValidation ?? null),
    routing: recordSeen(domain.name, zone, routing, seen.routingValidation ?? null),
    ...challengeSeen(domain, zone, seen.challenge),
    ...(seen.probes && { probes: seen.probes }),
  };
}

function challengeSeen(domain: Domain, zone: ZoneObservation, answers?: Answers): Pick<Observation, 'challenge'> {
  const record = challengeRecordOf(domain, 'acme.example');
  if (record === null || answers === undefined) return {};
  return { challenge: { ...recordSeen(record.name, zone, answers), expected: record.value } };
}

/** The ownership record as it must be. */
export const rightTxt = (domain: Domain): Answer => txt(ownershipValue(domain));

export function probe(purpose: Probe['purpose'], record: Probe['record'], name: string, answer: Answer): Probe {
  const type = purpose === 'caa' ? 'CAA' : record === 'ownership' || purpose === 'other_type' ? 'TXT' : 'A';
  return { purpose, record, name, type, answer };
}
