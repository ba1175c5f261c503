import { withTimeLimit } from '../../base/time-limit.ts';
import type { QueryLimits, RecordQueries, RecordQuestion } from '../../dns/resolver.ts';
import type { Domain } from '../../domain/domain.ts';
import type { Answer, Observation, Probe, RecordObservation } from '../../domain/observation.ts';
import { type PlannedProbe, planNameProbes, planProbes } from './probe-plan.ts';

/** For all of them together. */
const PROBES_MS = 3000;

const NONEXISTENT: Answer = { kind: 'absent', reason: 'nxdomain', chain: [] };

/** Asks for other names and types around the records. None is waited for longer than `PROBES_MS`; those that end without an answer are left out. */
export async function runProbes(
  dns: RecordQueries,
  domain: Domain,
  observation: Observation,
  options: QueryLimits & { depth: string; random: () => number },
): Promise<Probe[]> {
  const planned =
    options.depth === 'name' ? planNameProbes(domain, observation) : planProbes(domain, observation, options.random);
  const questions = planned.map((probe) => ({ probe, question: questionOf(probe, domain, observation) }));
  // Names above others first, because their answers may save queries.
  questions.sort((a, b) => a.question.name.length - b.question.name.length);
  const probes = await withTimeLimit(PROBES_MS, options.signal, (signal) => {
    const ask = sparing(observation, async (question) => {
      if (signal.aborted) return null;
      const { nameservers } = await dns.query(question, { ...options, signal });
      return nameservers.at(-1)?.answers[0] ?? null;
    });
    return Promise.all(
      questions.map(async ({ probe, question }): Promise<Probe[]> => {
        const answer = await ask(question);
        return answer === null || answer.kind === 'unreadable' ? [] : [{ ...probe, name: question.name, answer }];
      }),
    );
  });
  return [...seenAlready(domain, observation), ...probes.flat()];
}

type AskOnce = (question: RecordQuestion) => Promise<Answer | null>;

/** Asks no question twice, and nothing below a name that does not exist (RFC 8020). */
function sparing(observation: Observation, ask: AskOnce): AskOnce {
  const asked = new Map<string, { name: string; answer: Promise<Answer | null> }>();
  const records = [observation.ownership, observation.routing];
  const nonexistent = new Set(records.filter(doesNotExist).map(({ name }) => name));

  async function askUnlessBelow(question: RecordQuestion, above: Promise<unknown>[]): Promise<Answer | null> {
    await Promise.all(above);
    for (const name of nonexistent) if (isWithin(question.name, name)) return NONEXISTENT;
    const answer = await ask(question);
    if (answer?.kind === 'absent' && answer.reason === 'nxdomain' && answer.chain.length === 0)
      nonexistent.add(question.name);
    return answer;
  }

  return (question) => {
    const key = `${question.type} ${question.name}`;
    const known = asked.get(key);
    if (known !== undefined) return known.answer;
    const above = [...asked.values()].filter(({ name }) => isWithin(question.name, name)).map(({ answer }) => answer);
    const answer = askUnlessBelow(question, above);
    asked.set(key, { name: question.name, answer });
    return answer;
  };
}

function questionOf(
  { purpose, name, type, record }: PlannedProbe,
  { target }: Domain,
  seen: Observation,
): RecordQuestion {
  if (purpose === 'target') return { name, type: 'ADDRESS' };
  if (record === 'challenge' && type === 'A' && seen.challenge) return { name, type, stopAt: seen.challenge.expected };
  return { name, type, ...(type === 'A' && target && { stopAt: target }) };
}

/** Reads from the records' own answers which other types are at their names. */
function seenAlready({ kind }: Domain, { ownership, routing }: Observation): Probe[] {
  const chains = ownership.nameservers.map(({ answers: [{ chain }] }) => chain).filter((chain) => chain.length > 0);
  const aliases = chains.slice(0, 1).map((chain): Probe => {
    const answer: Answer = { kind: 'found', chain, values: [] };
    return { purpose: 'other_type', record: 'ownership', name: ownership.name, type: 'CNAME', answer };
  });
  const { apex, nameservers } = routing.zone;
  const isZone = apex === routing.name && kind === 'subdomain';
  if (!isZone || nameservers.length === 0) return aliases;
  const answer: Answer = { kind: 'found', chain: [], values: nameservers.map(({ name }) => name) };
  return [...aliases, { purpose: 'other_type', record: 'routing', name: apex, type: 'NS', answer }];
}

/** As every nameserver that answered says. */
function doesNotExist({ nameservers }: RecordObservation): boolean {
  const answers = nameservers.map(({ answers: [answer] }) => answer).filter(({ kind }) => kind !== 'unreadable');
  const denied = answers.filter(
    (answer) => answer.kind === 'absent' && answer.reason === 'nxdomain' && answer.chain.length === 0,
  );
  return answers.length > 0 && denied.length === answers.length;
}

function isWithin(name: string, zone: string): boolean {
  return name.endsWith(zone) && (name.length === zone.length || name[name.length - zone.length - 1] === '.');
}
