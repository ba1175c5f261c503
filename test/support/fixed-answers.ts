import type { DnsQueries, QueryLimits, RecordQueries, RecordQuestion } from '../../server/src/dns/resolver.ts';
import type { Answer, ZoneObservation } from '../../server/src/domain/observation.ts';

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
  const look = async (question: RecordQuestion, options: QueryLimits) => ({
    server: NAMESERVER.name,
    address: '192.0.2.53',
    answer: await answerTo(question, options),
  });
  const looks: RecordQueries = {
    look: async (question, options) => ({
      zone: { ...ZONE, apex: apexOf(question.name) },
      looks: [await look(question, options)],
    }),
    findZone: async (name) => ({ ...ZONE, apex: apexOf(name) }),
    askNameserver: async (_zone, _nameserver, question, options) => look(question, options),
    ownNameservers: async () => [NAMESERVER.name],
    validate: async (question, options) => {
      const answer = await answerTo(question, options);
      return { status: 'insecure', answer, ttl: 60, error: null, resolver: '192.0.2.9' };
    },
  };
  return { ...looks, deciding: looks };
}
