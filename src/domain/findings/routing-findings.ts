import { isSameAddress } from '../ip-address.ts';
import { isProxy, proxyAt } from '../proxy-zones.ts';
import { ownershipValue } from '../records.ts';
import { joinList } from '../text.ts';
import { valueMistake } from './cname-value.ts';
import type { FindingDraft } from './finding-draft.ts';
import {
  addRecord,
  chainOf,
  editRecord,
  isFromWildcard,
  listAddresses,
  probesOf,
  type ReadableAnswer,
  type RecordView,
  shown,
  typedRecord,
  whereOf,
} from './record-view.ts';
import type { Rule, Subject } from './subject.ts';

type Common = Pick<FindingDraft, 'severity' | 'record' | 'name' | 'expected' | 'retryable'>;

/** Mistakes at the name of a subdomain's CNAME record. */
export const routingFindings: Rule = (subject) => {
  const { routing: view, domain } = subject;
  const { answer } = view;
  if (domain.kind === 'apex' || view.isRight || answer === null) return [];
  const common: Common = {
    severity: 'blocking',
    record: 'routing',
    name: view.name,
    expected: view.expected,
    retryable: false,
  };
  switch (view.reading.kind) {
    case 'conflicting':
      return [conflict(view, answer, common)];
    case 'elsewhere':
      return [elsewhere(subject, view, answer, common)];
    case 'hidden':
      return hidden(subject, view, answer, common);
    default:
      return [];
  }
};

function conflict(view: RecordView, { chain, ...answer }: ReadableAnswer, common: Common): FindingDraft {
  const beside = 'beside' in answer ? (answer.beside ?? []) : [];
  return {
    ...common,
    code: 'conflicting_records',
    seen: [...chain.slice(0, 1), ...beside],
    message: (quote) => [
      `${view.name} has a CNAME record to ${quote(chain[0] ?? '')} and other records beside it: ${joinList(beside.map(quote))}.`,
      'Visitors reach one or the other by chance.',
    ],
    fix: `${whereOf(view)}, delete every other CNAME, A and AAAA record at this name, and keep one CNAME record. ${typedRecord(view)}`,
  };
}

/** A CNAME that does not lead to the target: the shape of its value first. */
export function elsewhere(subject: Subject, view: RecordView, answer: ReadableAnswer, common: Common): FindingDraft {
  const { domain, isTarget } = subject;
  const { chain } = answer;
  const [first = ''] = chain;
  const mistake = valueMistake(first, {
    target: domain.target,
    ownershipValue: ownershipValue(domain),
    zone: view.zone.apex,
  });
  const record = { ...common, seen: chain };
  if (mistake !== null) {
    return {
      ...record,
      code: mistake.code,
      message: (quote) => [`${view.name} is a CNAME to ${quote(first)}, ${mistake.what}.`],
      fix: mistake.code === 'value_doubled_zone' ? withFinalDot(view) : editRecord(view),
    };
  }
  if (isFromWildcard(view, answer)) {
    return {
      ...record,
      code: 'wildcard_answers',
      message: (quote) => [
        `${view.name} has no record of its own: a wildcard record (*) makes it a CNAME to ${chainOf(chain, quote)}.`,
      ],
      fix: addRecord(view),
    };
  }
  const other = chain.find(isTarget);
  if (other !== undefined) {
    return {
      ...record,
      code: 'cname_other_target',
      message: (quote) => [
        `${view.name} is a CNAME to ${quote(other)}, which is not the target of this domain.`,
        'It belongs to another domain, to this one before it was deleted and added again, or is mistyped.',
      ],
      fix: editRecord(view),
    };
  }
  return {
    ...record,
    code: 'cname_elsewhere',
    message: (quote) => [
      `${view.name} is a CNAME to ${chainOf(chain, quote)}${endOf(answer)}.`,
      `It has to lead to ${view.expected}.`,
    ],
    fix: editRecord(view),
  };
}

function endOf(answer: ReadableAnswer): string {
  if (answer.kind === 'found') return '';
  return answer.reason === 'nxdomain' ? ', which does not exist' : ', which has no address';
}

/** A name that ends with a dot is complete: nothing is appended to it. */
function withFinalDot(view: RecordView): string {
  const value = `\`${view.expected}.\``;
  return `${whereOf(view)}, end the value of the CNAME record with a dot. ${typedRecord(view).replace(/Value: .*$/, `Value: ${value}.`)}`;
}

/** Addresses in place of the CNAME, or a CNAME into a provider that proxies. */
function hidden(subject: Subject, view: RecordView, answer: ReadableAnswer, common: Common): FindingDraft[] {
  const addresses = answer.kind === 'found' ? answer.values : [];
  const seen = answer.chain.length > 0 ? answer.chain : addresses;
  const known = hiddenBy(subject, answer);
  const ownership = subject.ownership.reading.kind;
  if (known !== null) {
    if (ownership === 'absent') return [withoutTxt(subject, seen, known.what)];
    return [{ ...information(view, seen), ...known.information }];
  }
  if (isFromWildcard(view, answer)) {
    return [
      {
        ...common,
        severity: subject.isProven ? 'info' : 'blocking',
        code: 'wildcard_answers',
        seen,
        message: () => [
          `${view.name} has no record of its own: a wildcard record (*) gives it the address${addresses.length > 1 ? 'es' : ''} ${listAddresses(addresses)}.`,
        ],
        fix: addRecord(view),
      },
    ];
  }
  return [
    {
      ...common,
      severity: subject.isProven ? 'info' : 'blocking',
      code: 'address_instead_of_cname',
      seen,
      message: () => [
        `${view.name} has the address${addresses.length > 1 ? 'es' : ''} ${listAddresses(addresses)}, not a CNAME record to ${view.expected}.`,
        ...(subject.isProven
          ? [
              `The TXT record verifies the domain. Visitors reach it only if these addresses pass them on to ${view.expected}.`,
            ]
          : []),
      ],
      fix: subject.isProven
        ? `If these are not the addresses of a proxy of yours, replace them by a CNAME record. ${typedRecord(view)}`
        : `${whereOf(view)}, delete the A and AAAA records at this name and add a CNAME record. ${typedRecord(view)} ${orText(subject)}`,
    },
  ];
}

/** Behind a proxy the CNAME cannot be seen, and the TXT record is what counts. */
function orText({ ownership }: Subject): string {
  return ownership.reading.kind === 'absent'
    ? `Or, if a proxy of yours has these addresses, add a TXT record. ${typedRecord(ownership)}`
    : 'Or, if a proxy of yours has these addresses, publish the right TXT record.';
}

interface HiddenBy {
  /** The end of a sentence that begins with the name. */
  what: string;
  information: Pick<FindingDraft, 'code' | 'message'>;
}

/** Why the CNAME cannot be read back, where that is known. */
export function hiddenBy(subject: Subject, answer: ReadableAnswer): HiddenBy | null {
  const { routing, domain, context } = subject;
  const { name } = routing;
  const verifies = subject.ownership.isRight
    ? 'The TXT record verifies the domain.'
    : 'Only the TXT record can verify the domain.';
  const [proxied] = answer.chain.filter(isProxy);
  const addresses = answer.kind === 'found' ? answer.values : [];
  const proxy = proxyAt(addresses);
  if (proxied !== undefined || (answer.chain.length === 0 && proxy !== undefined)) {
    const by = proxied === undefined ? `is proxied by ${proxy}` : `leads to a proxy, ${shown(proxied)}`;
    return {
      what: `${by}, so its CNAME record cannot be seen`,
      information: {
        code: 'proxied',
        message: () => [`${name} ${by}, so it cannot be seen whether it leads here. ${verifies}`],
      },
    };
  }
  const targets = [...context.edgeAddresses, ...addressesOfTarget(routing)];
  const isOurs = (address: string) => targets.some((target) => isSameAddress(address, target));
  if (answer.chain.length > 0 || addresses.length === 0 || !addresses.every(isOurs)) return null;
  return {
    what: `has the addresses of ${domain.target} in place of a CNAME record (the DNS provider flattens it)`,
    information: {
      code: 'flattened',
      message: () => [`${name} has the addresses of ${domain.target}, so it leads here. ${verifies}`],
    },
  };
}

export function addressesOfTarget(routing: RecordView): string[] {
  return probesOf(routing, 'target').flatMap(({ answer }) => (answer.kind === 'found' ? answer.values : []));
}

export function information(
  view: RecordView,
  seen: string[],
): Pick<FindingDraft, 'severity' | 'record' | 'name' | 'seen' | 'retryable' | 'fix'> {
  return { severity: 'info', record: 'routing', name: view.name, seen, retryable: false, fix: '' };
}

function withoutTxt({ ownership, routing }: Subject, seen: string[], what: string): FindingDraft {
  return {
    code: 'proxied_without_txt',
    severity: 'blocking',
    record: 'ownership',
    name: ownership.name,
    seen,
    expected: ownership.expected,
    retryable: false,
    message: () => [
      `${routing.name} ${what}.`,
      `Only a TXT record can verify the domain then, and there is none at ${ownership.name}.`,
    ],
    fix: addRecord(ownership),
  };
}
