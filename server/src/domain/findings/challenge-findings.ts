import type { FindingFields } from '../finding.ts';
import type { Probe } from '../observation.ts';
import { providerOf } from '../providers.ts';
import type { RecordReading } from '../reading.ts';
import { isWildcard } from '../wildcard.ts';
import { type RecordView, recordAction } from './record-view.ts';
import type { Rule } from './subject.ts';

/** Mistakes at the CNAME that leads to our DNS servers. It verifies nothing, but a wildcard has no certificate without it. */
export const challengeFindings: Rule = ({ domain, observation, reading, routing }) => {
  const { challenge: seen, probes = [] } = observation;
  // Any other domain may do without.
  if (seen === undefined || reading.challenge === undefined || !isWildcard(domain.name)) return [];
  const { name, expected, zone } = seen;
  const provider = providerOf(zone.nameservers.map((nameserver) => nameserver.name));
  const view: RecordView = { ...routing, type: 'CNAME', name, expected, zone, provider };
  const around = probes.filter(({ record }) => record === 'challenge');
  const found = mistakeOf(view, reading.challenge, around);
  if (found === null) return [];
  const severity = domain.status === 'verified' ? 'blocking' : 'warning';
  const retryable = found.code === 'challenge_missing';
  return [{ severity, record: 'challenge', name, expected, retryable, ...found }];
};

type Mistake = Pick<FindingFields, 'code' | 'action'> & Pick<Partial<FindingFields>, 'name' | 'seen'>;

function mistakeOf(view: RecordView, reading: RecordReading, around: Probe[]): Mistake | null {
  switch (reading.kind) {
    case 'absent':
      return misplacedOf(view, around) ?? { code: 'challenge_missing', action: recordAction('add', view) };
    case 'hidden': {
      const seen = reading.chain.length > 0 ? reading.chain : reading.addresses;
      const removes = reading.chain.length > 0 ? ['CNAME'] : ['A', 'AAAA'];
      return { code: 'challenge_proxied', seen, action: recordAction('replace', view, removes) };
    }
    case 'elsewhere':
    case 'conflicting':
      return { code: 'challenge_elsewhere', seen: reading.chain, action: recordAction('change', view) };
    default:
      return null;
  }
}

/** The record is there, but with the zone twice in its name, or as a TXT record. */
function misplacedOf(view: RecordView, around: Probe[]): Mistake | null {
  const doubled = around.find(({ type, answer }) => type === 'A' && answer.chain.includes(view.expected));
  if (doubled !== undefined) {
    const { name, answer } = doubled;
    return { code: 'name_doubled', name, seen: answer.chain, action: recordAction('change', view) };
  }
  const texts = around.filter(({ type }) => type === 'TXT').map(({ answer }) => answer);
  const [text] = texts.flatMap((answer) => (answer.kind === 'found' ? answer.values : []));
  if (text === undefined) return null;
  const isOurs = text.replace(/\.$/, '').toLowerCase() === view.expected;
  // Nothing can be beside a CNAME: a TXT record of another program has to go as well.
  const action = recordAction('replace', view, ['TXT']);
  return { code: isOurs ? 'wrong_type' : 'challenge_missing', seen: [text], action };
}
