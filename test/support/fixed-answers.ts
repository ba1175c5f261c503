import type { DnsQueries, QueryLimits, RecordQueries, RecordQuestion } from '../../server/src/dns/resolver.ts';
import type { Answer, NameserverAnswers, ZoneObservation } from '../../server/src/domain/observation.ts';

const NAMESERVER = { name: 'ns.example', addresses: ['192.0.2.53'] };

/** One zone with one nameserver, whose delegation is read without delay. */
export const ZONE: ZoneObservation = {
  apex: 'example',
  source: 'parent',
  nameservers: [NAMESERVER],
  ownNameservers: null,
  failure: null,
};

type AnswerTo = (question: RecordQuestion, options: QueryLimits) => Answer | Promise<Answer>;

/** A resolver of one zone whose nameserver, and every validating resolver, gives these answers. */
export function fixedAnswers(answerTo: AnswerTo, apexOf: (name: string) => string = () => ZONE.apex): DnsQueries {
  const ask = async (question: RecordQuestion, options: QueryLimits): Promise<NameserverAnswers> => ({
    server: NAMESERVER.name,
    address: '192.0.2.53',
    answers: [await answerTo(question, options)],
  });
  const queries: RecordQueries = {
    query: async (question, options) => ({
      name: question.name,
      zone: { ...ZONE, apex: apexOf(question.name) },
      nameservers: [await ask(question, options)],
      validation: null,
    }),
    findZone: async (name) => ({ ...ZONE, apex: apexOf(name) }),
    askNameserver: async (_zone, _nameserver, question, options) => ask(question, options),
    ownNameservers: async () => [NAMESERVER.name],
    locateNameservers: async () => [],
    validate: async (question, options) => {
      const answer = await answerTo(question, options);
      return { status: 'insecure', answer, ttl: 60, error: null, resolver: '192.0.2.9' };
    },
  };
  return { ...queries, deciding: queries };
}
