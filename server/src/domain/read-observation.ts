import type { Domain } from './domain.ts';
import { type Answer, answerOfFailure, type Observation, type RecordObservation } from './observation.ts';
import { isProxy } from './proxy-zones.ts';
import { isOwnLimit, type Reading, type RecordReading, type RecordRole, type Unreadable } from './reading.ts';
import { ownershipValue } from './records.ts';
import { areShared, type DomainTarget, isAnyShared } from './shared-target.ts';
import type { CheckMemory, RecordDoubt } from './status.ts';
import { isWildcard } from './wildcard.ts';

type ReadableAnswer = Exclude<Answer, Unreadable>;
type Unconfirmed = Extract<RecordReading, { kind: 'unconfirmed' }>;

/** Whether one answer has the record with the value that belongs there. Such an answer counts only if it is confirmed. */
export function answerMatches(domain: Domain, record: RecordRole, answer: Answer): boolean {
  return (record === 'ownership' ? ownershipReader : routingReader)(domain).matches(answer);
}

/**
 * Concludes from what a check saw. A match needs every nameserver that answered, and two answers of one of them at
 * least; those that failed have no say. The same agrees for an incumbent's absence. Where no nameserver answers, a recursive
 * resolver's answer counts, but not against an incumbent.
 */
export function readObservation(
  { domain, incumbent, memory }: { domain: Domain; incumbent: Domain | null; memory: CheckMemory },
  observation: Observation,
): Reading {
  const reading: Reading = {
    ownership: readRecord(ownershipReader(domain), observation.ownership, memory.ownershipDoubt),
    routing: readRecord(routingReader(domain), observation.routing, memory.routingDoubt),
  };
  if (observation.challenge !== undefined) reading.challenge = readChallenge(domain, observation.challenge);
  if (incumbent === null) return reading;
  const claim: Reading = {
    ownership: claimed(reading.ownership, observation.ownership),
    routing: claimed(reading.routing, observation.routing),
  };
  if (observation.incumbent === undefined) return claim;
  const { ownership, routing } = observation.incumbent;
  return {
    ...claim,
    incumbent: {
      ownership: readAbsence(ownershipReader(incumbent), ownership),
      routing: readAbsence(routingReader(incumbent), routing),
    },
  };
}

/** One answer is enough: the record decides nothing about who has the name, and every order looks at it again. */
export function readChallenge(domain: Domain, seen: NonNullable<Observation['challenge']>): RecordReading {
  const reader = routingReader({ target: seen.expected, sharedAddresses: null });
  const [first, ...others] = readableAnswers(seen);
  if (first === undefined) return withoutAnswer(seen);
  return [first, ...others].every(reader.matches)
    ? { kind: 'matched' }
    : reader.read(withoutOwnWildcard(domain, first));
}

/** A claimant's match has to be read at the zone's own nameservers. */
function claimed(reading: RecordReading, seen: RecordObservation): RecordReading {
  const isTooLittle = reading.kind === 'matched' && isReadThroughResolver(seen);
  return isTooLittle ? { kind: 'unconfirmed', reason: 'resolver' } : reading;
}

/** Whether no nameserver of the zone answered, but a recursive resolver did. */
function isReadThroughResolver({ nameservers }: RecordObservation): boolean {
  const readable = nameservers.filter(({ answers }) => answers.some(isReadable));
  return readable.length > 0 && readable.every(({ isResolver = false }) => isResolver);
}

/** How the answers about one of the two records are read. */
interface RecordReader {
  matches(answer: Answer): boolean;
  /** Whether the expected value is there at all, beside whatever else. */
  names(answer: Answer): boolean;
  /** Reads an answer that does not match. */
  read(answer: ReadableAnswer): RecordReading;
}

/** At names below its base a wildcard's own CNAME answers where there is no record. */
export function withoutOwnWildcard(
  domain: Pick<Domain, 'name'> & DomainTarget,
  answer: ReadableAnswer,
): ReadableAnswer {
  const isOwn = answer.chain[0] === domain.target || isAtShared(domain, answer);
  return isWildcard(domain.name) && isOwn ? { kind: 'absent', reason: 'nxdomain', chain: [] } : answer;
}

function ownershipReader(domain: Domain): RecordReader {
  const expected = ownershipValue(domain);
  // Compared byte for byte: DNS names fold case, TXT values do not.
  const matches = (answer: Answer) => answer.kind === 'found' && answer.values.includes(expected);
  return {
    matches,
    names: matches,
    read(given) {
      const answer = withoutOwnWildcard(domain, given);
      return answer.kind === 'found'
        ? { kind: 'wrong', values: answer.values }
        : { kind: 'absent', reason: answer.reason };
    },
  };
}

function routingReader(domain: DomainTarget): RecordReader {
  const { target } = domain;
  return {
    matches: (answer) => (answer.chain.includes(target) && !hasConflict(answer)) || isAtShared(domain, answer),
    names: (answer) =>
      [...answer.chain, ...besideOf(answer)].includes(target) ||
      (answer.kind === 'found' && isAnyShared(domain, answer.values)),
    read(answer) {
      const { chain } = answer;
      if (answer.kind === 'absent') {
        return chain.length > 0 ? { kind: 'elsewhere', chain } : { kind: 'absent', reason: answer.reason };
      }
      if (hasConflict(answer)) return { kind: 'conflicting', chain, beside: besideOf(answer) };
      if (chain.length === 0 || chain.some(isProxy)) return { kind: 'hidden', addresses: answer.values, chain };
      return { kind: 'elsewhere', chain };
    },
  };
}

/** Whether all addresses of a name are those of the shared target. A CNAME to another host decides by its value alone. */
function isAtShared(domain: DomainTarget, answer: Answer): boolean {
  return answer.kind === 'found' && answer.chain.length === 0 && areShared(domain, answer.values);
}

/** `before`: what the last check left about this record. */
function readRecord(reader: RecordReader, seen: RecordObservation, before: RecordDoubt): RecordReading {
  if (seen.validation?.status === 'bogus') return { kind: 'bogus' };
  const answers = readableAnswers(seen);
  const [first] = answers;
  if (first === undefined) return withoutAnswer(seen);
  const matching = answers.filter(reader.matches);
  if (matching.length === 0) return mostTelling(answers.map(reader.read)) ?? reader.read(first);
  if (matching.length < answers.length || leadsElsewhere(seen, matching)) return { kind: 'disagree' };
  const doubt = whyUnconfirmed(seen, reader.matches);
  if (doubt === null) return { kind: 'matched' };
  // The third check in a row.
  return doubt.reason === 'one_server' && before === 'one_server_twice'
    ? { kind: 'matched', byOneServer: true }
    : doubt;
}

/** The record of an incumbent is gone only where every nameserver says so, as strictly as a match; a resolver may have an old answer. */
function readAbsence(reader: RecordReader, seen: RecordObservation): RecordReading {
  const reading = readRecord(reader, seen, null);
  if (seen.validation?.status === 'bogus' || readableAnswers(seen).length === 0) return reading;
  const isNamed = (answer: Answer) => answer.kind !== 'unreadable' && reader.names(answer);
  const answers = allAnswers(seen);
  // At one address of a shared target, and at others.
  const isPartly = reading.kind === 'hidden' || reading.kind === 'elsewhere';
  if (answers.some(isNamed)) return isPartly ? { kind: 'disagree' } : reading;
  // A CNAME to the incumbent's target whose end could not be read.
  if (answers.some(reader.names)) return { kind: 'disagree' };
  if (isReadThroughResolver(seen)) return { kind: 'unconfirmed', reason: 'resolver' };
  return whyUnconfirmed(seen, (answer) => !reader.names(answer)) ?? reading;
}

/** Why what all nameservers answer does not count yet; null: it counts. */
function whyUnconfirmed(seen: RecordObservation, agrees: (answer: Answer) => boolean): Unconfirmed | null {
  const { nameservers, zone, validation } = seen;
  // Such a nameserver was not asked: it is not one that does not answer.
  if (nameservers.some(({ answers: [first] }) => isNotAsked(first)))
    return { kind: 'unconfirmed', reason: 'asked_once' };
  const counts = nameservers.map(({ answers }) => answers.filter(isReadable).length).filter((count) => count > 0);
  if (!counts.some((count) => count > 1)) return { kind: 'unconfirmed', reason: 'asked_once' };
  const named = Math.max(nameservers.length, zone.source === 'parent' ? zone.nameservers.length : 0);
  if (counts.length > 1 || named < 2) return null;
  const resolved = validation?.answer ?? null;
  if (resolved !== null && isReadable(resolved) && agrees(resolved)) return null;
  return { kind: 'unconfirmed', reason: 'one_server' };
}

function isNotAsked(answer: Answer): boolean {
  return answer.kind === 'unreadable' && isOwnLimit(answer.reason);
}

/** Whether a nameserver has answered with a CNAME that no matching answer has, although what it leads to could not be read. */
function leadsElsewhere(seen: RecordObservation, matching: readonly Answer[]): boolean {
  return allAnswers(seen).some(
    (answer) =>
      answer.kind === 'unreadable' &&
      (answer.chain.length > 0 || answer.reason === 'loop') &&
      !matching.some(({ chain }) => answer.chain.length > 0 && answer.chain.every((name, i) => chain[i] === name)),
  );
}

/** A CNAME tolerates nothing else at its name (RFC 1034 section 3.6.2). */
function hasConflict(answer: Answer): boolean {
  return answer.chain.length > 0 && besideOf(answer).length > 0;
}

function besideOf(answer: Answer): string[] {
  return answer.kind === 'found' ? (answer.beside ?? []) : [];
}

/** The reading without a match to correct first: it does not depend on the order of the nameservers. */
function mostTelling(readings: RecordReading[]): RecordReading | undefined {
  const order = ['conflicting', 'elsewhere', 'wrong', 'hidden', 'absent'];
  return readings.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))[0];
}

/** No nameserver could be read: because of the zone, or because each of them failed. */
function withoutAnswer({ zone, nameservers }: RecordObservation): RecordReading {
  if (zone.failure !== null) {
    const answer = answerOfFailure(zone.failure, []);
    return answer.kind === 'absent' ? { kind: 'absent', reason: answer.reason } : answer;
  }
  const failures = nameservers.flatMap(({ server, answers }) => answers.flatMap((answer) => failureOf(server, answer)));
  const atEndOfChain = failures.find(({ chain }) => chain.length > 0);
  return atEndOfChain ?? failures[0] ?? { kind: 'unreadable', reason: 'timeout', chain: [] };
}

/** The nameserver that failed serves another zone of the chain. */
function failureOf(server: string, answer: Answer): Unreadable[] {
  if (answer.kind !== 'unreadable') return [];
  return [answer.chain.length > 0 ? answer : { server, ...answer }];
}

function allAnswers({ nameservers }: RecordObservation): Answer[] {
  return nameservers.flatMap(({ answers }) => answers);
}

function readableAnswers(seen: RecordObservation): ReadableAnswer[] {
  return allAnswers(seen).filter(isReadable);
}

function isReadable(answer: Answer): answer is ReadableAnswer {
  return answer.kind !== 'unreadable';
}
