import { isSameAddress } from '../ip-address.ts';
import { apexFix } from './absent-findings.ts';
import { chainOf, listAddresses } from './record-view.ts';
import { addressesOfTarget, hiddenBy, information } from './routing-findings.ts';
import type { Rule } from './subject.ts';

/** Where an apex leads. It is verified by its TXT record alone, and served only if its addresses lead here. */
export const apexFindings: Rule = (subject) => {
  const { domain, routing: view, context } = subject;
  const { answer } = view;
  if (domain.kind !== 'apex' || answer === null) return [];
  const severity = domain.status === 'verified' ? 'blocking' : 'warning';
  const common = { record: 'routing', name: view.name, expected: view.expected, retryable: false } as const;
  if (answer.chain.length > 0) {
    return [
      {
        ...common,
        severity: view.isRight ? 'warning' : severity,
        code: 'cname_at_apex',
        seen: answer.chain,
        message: (quote) => [
          `${view.name} is a CNAME to ${chainOf(answer.chain, quote)}.`,
          'The name of a zone must not be a CNAME: other records there, such as those for e-mail, may stop working.',
        ],
        fix: `Delete the CNAME record. ${apexFix(subject)}`,
      },
    ];
  }
  if (answer.kind === 'absent') return [];
  const known = hiddenBy(subject, answer);
  if (known !== null) return [{ ...information(view, answer.values), ...known.information }];
  const targets = [...context.edgeAddresses, ...addressesOfTarget(view)];
  if (targets.length === 0) return [];
  const foreign = answer.values.filter((address) => !targets.some((target) => isSameAddress(address, target)));
  const plural = foreign.length > 1;
  return [
    {
      ...common,
      severity,
      code: 'apex_elsewhere',
      seen: foreign,
      message: () => [
        `${view.name} has the address${plural ? 'es' : ''} ${listAddresses(foreign)}, which ${plural ? 'are' : 'is'} not of this service.`,
        'Visitors go to another server, unless a proxy of yours passes them on.',
      ],
      fix: apexFix(subject),
    },
  ];
};
