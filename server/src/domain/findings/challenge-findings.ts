import type { FindingFields } from '../finding.ts';
import { isWildcard } from '../wildcard.ts';
import { type AnyView, challengeViewOf, probesOf, recordAction } from './record-view.ts';
import type { Rule } from './subject.ts';

/** Mistakes at the CNAME that leads to our DNS servers. It verifies nothing, but a wildcard has no certificate without it. */
export const challengeFindings: Rule = ({ domain, observation, reading }) => {
  const view = challengeViewOf(domain, observation, reading);
  // Any other domain may do without.
  if (view === null || !isWildcard(domain.name) || view.isRight) return [];
  const found = mistakeOf(view);
  if (found === null) return [];
  return [
    {
      severity: domain.status === 'verified' ? 'blocking' : 'warning',
      record: 'challenge',
      name: view.name,
      expected: view.expected,
      nameservers: view.servers,
      retryable: found.code === 'challenge_missing',
      ...found,
    },
  ];
};

type Mistake = Pick<FindingFields, 'code' | 'action'> & Pick<Partial<FindingFields>, 'name' | 'seen'>;

function mistakeOf(view: AnyView): Mistake | null {
  const { reading, answer } = view;
  if (reading.kind === 'absent')
    return misplacedOf(view) ?? { code: 'challenge_missing', action: recordAction('add', view) };
  if (reading.kind === 'hidden') {
    const seen = reading.chain.length > 0 ? reading.chain : reading.addresses;
    const removes = reading.chain.length > 0 ? ['CNAME'] : ['A', 'AAAA'];
    return { code: 'challenge_proxied', seen, action: recordAction('replace', view, removes) };
  }
  if (answer === null || answer.chain.length === 0) return null;
  return { code: 'challenge_elsewhere', seen: answer.chain, action: recordAction('change', view) };
}

/** The record is there, but with the zone twice in its name, or as a TXT record. */
function misplacedOf(view: AnyView): Mistake | null {
  const doubled = probesOf(view, 'doubled').find(({ answer }) => answer.chain.includes(view.expected));
  if (doubled !== undefined) {
    const seen = doubled.answer.chain;
    return { code: 'name_doubled', name: doubled.name, seen, action: recordAction('change', view) };
  }
  const [text] = probesOf(view, 'other_type').flatMap(({ answer }) => (answer.kind === 'found' ? answer.values : []));
  if (text === undefined) return null;
  const isOurs = text.replace(/\.$/, '').toLowerCase() === view.expected;
  // Nothing can be beside a CNAME: a TXT record of another program has to go as well.
  return {
    code: isOurs ? 'wrong_type' : 'challenge_missing',
    seen: [text],
    action: recordAction('replace', view, ['TXT']),
  };
}
