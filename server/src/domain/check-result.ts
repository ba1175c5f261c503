import type { Finding } from './finding.ts';
import { parseIpAddress } from './ip-address.ts';
import type { Answer, Observation, RecordObservation } from './observation.ts';

/** A check's observation and findings, as they are kept: those of the last check that differed from the one before. */
export interface CheckResult {
  findings: Finding[];
  /** Without probes and without the incumbent's records. */
  observation: Observation;
}

/** The values of each record, for the timeline. A record that is not named was not read. */
export type RecordsSeen = { ownership?: string[]; routing?: string[] };

/**
 * Equal for two results that tell the customer the same: findings without the nameservers at which they were seen, which a check chooses anew, and
 * the delegation. A result is saved only if its digest differs from that of the stored one.
 */
export function digestOf({ findings, observation }: CheckResult): string {
  const found = findings.map(({ code, severity, record, name, seen, expected }) => [
    code,
    severity,
    record,
    name,
    seen?.toSorted(),
    expected,
  ]);
  const delegations = [observation.ownership, observation.routing].map(({ zone, validation }) => [
    zone.apex,
    zone.source,
    [...zone.nameservers.map(({ name, problem }) => [name, problem]), ...(zone.unasked ?? [])],
    zone.failure?.reason,
    validation?.status,
  ]);
  return fnv1a(JSON.stringify([found, delegations]));
}

/**
 * Equal for mistakes that ask the owner for the same: code, record, name, values and action. Addresses do not count, since
 * providers rotate them. Empty without mistakes.
 */
export function digestOfMistakes(mistakes: readonly Finding[]): string {
  if (mistakes.length === 0) return '';
  const told = mistakes.map(({ code, record, name, seen, action }) => [
    code,
    record,
    name,
    seen?.filter((value) => parseIpAddress(value) === null).toSorted(),
    action,
  ]);
  return fnv1a(JSON.stringify(told));
}

/** The values of each record, as the nameservers have them. */
export function recordsSeen({ ownership, routing }: Observation): RecordsSeen {
  return { ...valuesOf('ownership', ownership), ...valuesOf('routing', routing) };
}

/** Values of a record that the timeline has. */
const MAX_VALUES = 10;

function valuesOf(role: 'ownership' | 'routing', { nameservers }: RecordObservation): RecordsSeen {
  const answers = nameservers.flatMap(({ answers: given }) => given).filter(({ kind }) => kind !== 'unreadable');
  if (answers.length === 0) return {};
  const values = answers.flatMap((answer) =>
    answer.kind === 'found' && (role === 'ownership' || answer.chain.length === 0) ? answer.values : answer.chain,
  );
  return { [role]: [...new Set(values)].slice(0, MAX_VALUES) };
}

/** Twice FNV-1a, from two starting values: 64 bits in hex. A collision misleads only the customer who made it. */
function fnv1a(text: string): string {
  let [a, b] = [0x811c9dc5, 0x5bd1e995];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x01000193) + 1;
  }
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Longest JSON of the findings, and of the observation, in bytes. */
const MAX_BYTES = 8192;

/** As JSON of at most 8 KiB each: of findings that do not fit the last are left out, of an observation the values, then the nameservers. */
export function toBoundedJson({ findings, observation }: CheckResult): { findings: string; observation: string } {
  return { findings: boundedFindings(findings), observation: boundedObservation(observation) };
}

function boundedFindings(findings: Finding[]): string {
  const short = (most: number) => findings.map((finding) => withoutLongLists(finding, most));
  for (const candidate of [findings, short(3), short(0)]) {
    const json = JSON.stringify(candidate);
    if (fits(json)) return json;
  }
  const kept = short(0);
  while (!fits(JSON.stringify(kept))) kept.pop();
  return JSON.stringify(kept);
}

function withoutLongLists(finding: Finding, most: number): Finding {
  const { seen, nameservers, facts, ...rest } = finding;
  const { answers, ...others } = facts ?? {};
  return {
    ...rest,
    ...(facts && { facts: { ...others, ...(answers && { answers: answers.slice(0, most) }) } }),
    ...(seen && { seen: seen.slice(0, most) }),
    ...(nameservers && { nameservers: nameservers.slice(0, most) }),
  };
}

function boundedObservation({ ownership, routing }: Observation): string {
  const limits = [
    { values: 20, nameservers: 6 },
    { values: 3, nameservers: 6 },
    { values: 1, nameservers: 1 },
    { values: 0, nameservers: 1 },
  ];
  for (const limit of limits) {
    const json = packed(shortened(ownership, limit), shortened(routing, limit));
    if (fits(json)) return json;
  }
  const json = packed(withoutAnswers(ownership, 6), withoutAnswers(routing, 6));
  return fits(json) ? json : packed(withoutAnswers(ownership, 0), withoutAnswers(routing, 0));
}

/** As JSON in which null stands for a second answer that is as the first, and for the routing record's zone where it is that of the other record. */
function packed(ownership: RecordObservation, routing: RecordObservation): string {
  const sameZone = JSON.stringify(ownership.zone) === JSON.stringify(routing.zone);
  return JSON.stringify({
    ownership: { ...ownership, nameservers: withoutRepeats(ownership) },
    routing: { ...routing, zone: sameZone ? null : routing.zone, nameservers: withoutRepeats(routing) },
  });
}

function withoutRepeats({ nameservers }: RecordObservation) {
  return nameservers.map(({ answers: [first, second], ...rest }) => {
    const isRepeated = second !== undefined && JSON.stringify(first) === JSON.stringify(second);
    return { ...rest, answers: second === undefined ? [first] : [first, isRepeated ? null : second] };
  });
}

/** The observation in JSON of `toBoundedJson`. */
export function unpackObservation(json: string): Observation {
  const { ownership, routing } = JSON.parse(json);
  return {
    ownership: { ...ownership, nameservers: ownership.nameservers.map(withRepeats) },
    routing: { ...routing, zone: routing.zone ?? ownership.zone, nameservers: routing.nameservers.map(withRepeats) },
  };
}

function withRepeats({ answers, ...rest }: { answers: (Answer | null)[] }) {
  return { ...rest, answers: answers.map((answer) => answer ?? answers[0]) };
}

function shortened(record: RecordObservation, most: { values: number; nameservers: number }): RecordObservation {
  const nameservers = record.nameservers.slice(0, most.nameservers).map((each) => ({
    ...each,
    answers: each.answers.map((answer) => withFewerValues(answer, most.values)) as typeof each.answers,
  }));
  const { validation } = record;
  return {
    ...record,
    nameservers,
    validation: validation && {
      ...validation,
      answer: validation.answer && withFewerValues(validation.answer, most.values),
    },
  };
}

function withFewerValues(answer: Answer, most: number): Answer {
  if (answer.kind !== 'found') return answer;
  const { beside } = answer;
  return { ...answer, values: answer.values.slice(0, most), ...(beside && { beside: beside.slice(0, most) }) };
}

function withoutAnswers(record: RecordObservation, most: number): RecordObservation {
  const nameservers = record.zone.nameservers.slice(0, most).map((each) => ({ ...each, addresses: [] }));
  const { unasked: _, ...zone } = record.zone;
  return { ...record, zone: { ...zone, nameservers, ownNameservers: null }, nameservers: [], validation: null };
}

function fits(json: string): boolean {
  return Buffer.byteLength(json) <= MAX_BYTES;
}
