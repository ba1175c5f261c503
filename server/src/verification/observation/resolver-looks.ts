import type { Look, QueryLimits, RecordQueries, RecordQuestion } from '../../dns/resolver.ts';
import type { Answer, NameserverAnswers, Validation } from '../../domain/observation.ts';

/**
 * What a resolver has found where every nameserver is silent to us: a firewall may let only resolvers through. What is absent there may be an old
 * answer, and counts for nothing. Against an incumbent, what is found counts for nothing either (`domain/read-observation.ts`).
 */
export async function lookThroughResolver(
  dns: RecordQueries,
  question: RecordQuestion,
  options: QueryLimits,
): Promise<Look | null> {
  return lookOf(await dns.validate(question, options));
}

/** The same in two looks, with what the resolvers say about DNSSEC. */
export async function lookTwiceThroughResolver(
  dns: RecordQueries,
  question: RecordQuestion,
  options: QueryLimits,
): Promise<{ answers: NameserverAnswers[]; validation: Validation }> {
  const validation = await dns.validate(question, options);
  const first = lookOf(validation);
  if (first === null) return { answers: [], validation };
  const second = lookOf(await dns.validate(question, options));
  const { server, address, answer } = first;
  const answers: NameserverAnswers['answers'] = second === null ? [answer] : [answer, second.answer];
  return { answers: [{ server, address, isResolver: true, answers }], validation };
}

/** Whether a nameserver did not respond at all. */
export function isSilent(answer: Answer): boolean {
  return answer.kind === 'unreadable' && answer.chain.length === 0 && SILENT.includes(answer.reason);
}

const SILENT = ['timeout', 'unreachable'];

function lookOf({ answer, resolver, status }: Validation): Look | null {
  if (answer?.kind !== 'found' || resolver === null || status === 'bogus') return null;
  return { server: resolver, address: resolver, isResolver: true, answer };
}
