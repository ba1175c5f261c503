import type { CaaRecord } from '../domain/certificate-state.ts';
import { answerOfFailure, type NameserverAnswers } from '../domain/observation.ts';
import { isSilent } from './ask-server.ts';
import { queryBudget } from './query-budget.ts';
import type { AnsweredBy, EndLookup, EndLookups, QueryLimits, RecordQueries, RecordQuestion } from './resolver.ts';

/** Asks where all nameservers are silent; null: nobody may be asked. */
type Fallback = (question: RecordQuestion, zone: string, options: QueryLimits) => Promise<NameserverAnswers | null>;

/** The only flag defined (RFC 8659 section 4.1.1). */
const CAA_CRITICAL = 0x80;

/** `authoritative`: it is nameservers that `query` asks. */
export function endLookups(
  query: RecordQueries['query'],
  { authoritative, fallback }: { authoritative: boolean; fallback?: Fallback },
): EndLookups {
  async function lookUp(
    name: string,
    type: 'A' | 'AAAA' | 'CAA' | 'TXT',
    options: QueryLimits,
  ): Promise<EndLookup<{ values: string[] }>> {
    const question: RecordQuestion = { name, type };
    const { zone, nameservers } = await query(question, options);
    const last = nameservers.at(-1);
    if (last === undefined) return withoutServer(answerOfFailure(zone.failure ?? { reason: 'not_registered' }, []));
    if (nameservers.every(({ answers: [answer] }) => answer.kind === 'unreadable' && isSilent(answer.reason))) {
      const resolved = (await fallback?.(question, zone.apex, options)) ?? null;
      if (resolved !== null) return toLookup(resolved, false);
    }
    return toLookup(last, authoritative);
  }

  return {
    async lookupAddresses(name, { signal }) {
      const options = { signal, budget: queryBudget() };
      const [ipv4, ipv6] = await Promise.all([lookUp(name, 'A', options), lookUp(name, 'AAAA', options)]);
      if (ipv4.kind === 'unreadable') return ipv4;
      if (ipv6.kind === 'unreadable') return ipv6;
      const found = ipv4.kind === 'found' ? ipv4 : ipv6;
      if (found.kind !== 'found') return found;
      const addresses = [ipv4, ipv6].flatMap((lookup) => (lookup.kind === 'found' ? lookup.values : []));
      const { chain, by } = found;
      return { kind: 'found', chain, by, addresses };
    },
    async lookupCaa(name, { signal }) {
      const lookup = await lookUp(name, 'CAA', { signal, budget: queryBudget() });
      if (lookup.kind !== 'found') return lookup;
      const { chain, by, values } = lookup;
      return { kind: 'found', chain, by, records: values.map(toCaa) };
    },
    lookupTxt: (name, { signal }) => lookUp(name, 'TXT', { signal, budget: queryBudget() }),
  };
}

function withoutServer(answer: ReturnType<typeof answerOfFailure>): EndLookup<never> {
  return answer.kind === 'absent' ? { ...answer, by: null } : answer;
}

function toLookup(
  { server, address, answers: [answer] }: NameserverAnswers,
  authoritative: boolean,
): EndLookup<{ values: string[] }> {
  if (answer.kind === 'unreadable') return { server, ...answer };
  const by: AnsweredBy = { server, address: address ?? server, authoritative };
  if (answer.kind === 'absent') return { ...answer, by };
  return { kind: 'found', chain: answer.chain, by, values: answer.values };
}

function toCaa(text: string): CaaRecord {
  const [flags = '', tag = '', ...value] = text.split(' ');
  return { critical: (Number(flags) & CAA_CRITICAL) !== 0, tag, value: value.join(' ') };
}
