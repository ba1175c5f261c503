import { isSameAddress } from '../ip-address.ts';
import { sharedAddressesOf } from '../shared-target.ts';
import { apexAction } from './absent-findings.ts';
import { addressesOfTarget, hiddenBy, information } from './routing-findings.ts';
import type { Rule } from './subject.ts';

/** Where an apex leads. It is verified by its TXT record alone, and served only if its addresses lead here. */
export const apexFindings: Rule = (subject) => {
  const { domain, routing: view, context } = subject;
  const { answer } = view;
  if (domain.kind !== 'apex' || answer === null) return [];
  // At the addresses of a shared target.
  if (view.isRight && answer.chain.length === 0) return [];
  const severity = domain.status === 'verified' ? 'blocking' : 'warning';
  const common = { record: 'routing', name: view.name, expected: view.expected, retryable: false } as const;
  if (answer.chain.length > 0) {
    return [
      {
        ...common,
        severity: view.isRight ? 'warning' : severity,
        code: 'cname_at_apex',
        seen: answer.chain,
        action: apexAction('replace', subject, ['CNAME']),
      },
    ];
  }
  if (answer.kind === 'absent') return [];
  const known = hiddenBy(subject, answer);
  if (known !== null) return [information(subject, answer.values, known)];
  const targets = [...context.edgeAddresses, ...sharedAddressesOf(domain), ...addressesOfTarget(view)];
  if (targets.length === 0) return [];
  const foreign = answer.values.filter((address) => !targets.some((target) => isSameAddress(address, target)));
  return [
    {
      ...common,
      severity,
      code: 'apex_elsewhere',
      seen: foreign,
      action: apexAction('replace', subject, ['A', 'AAAA']),
    },
  ];
};
