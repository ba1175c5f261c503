import type { FindingDraft } from './finding-draft.ts';
import {
  addRecord,
  chainOf,
  editRecord,
  isFromWildcard,
  probesOf,
  type RecordView,
  typedRecord,
  whereOf,
} from './record-view.ts';
import { needsOwnership, type Rule, type Subject } from './subject.ts';
import { type TxtDifference, txtDifference } from './txt-difference.ts';

/** Mistakes at the name of the TXT record. */
export const ownershipFindings: Rule = (subject) => {
  const { ownership: view } = subject;
  if (view.isRight || view.answer === null) return [];
  if (view.reading.kind !== 'wrong' && view.reading.kind !== 'absent') return [];
  if (view.answer.chain.length > 0) return cnameThere(subject);
  return view.answer.kind === 'found' ? valuesThere(subject, view, view.answer.values) : [];
};

/** Values at the record's own name, or at another where it was published by mistake. */
export function valuesThere(subject: Subject, view: RecordView, values: string[]): FindingDraft[] {
  const expected = { ...subject.domain, value: view.expected, domainOfToken: domainOfToken(subject) };
  const differing = values.flatMap((value) => {
    const difference = txtDifference(value, expected);
    return difference === null ? [] : [{ value, difference }];
  });
  const [first] = differing;
  if (first !== undefined) return [wrongValue(subject, view, first.value, first.difference)];
  if (subject.routing.isRight && !needsOwnership(subject)) return [];
  if (values.includes(subject.domain.target)) return [targetAsText(view, subject.domain.target)];
  return otherValues(subject, view, values);
}

/** A value that resembles the expected one. It blocks nothing where the routing record alone verifies the domain. */
function wrongValue(subject: Subject, view: RecordView, value: string, { code, what }: TxtDifference): FindingDraft {
  return {
    code,
    severity: subject.isProven ? 'warning' : 'blocking',
    record: 'ownership',
    name: view.name,
    seen: [value],
    expected: view.expected,
    retryable: false,
    message: (quote) => [
      `The TXT record at ${view.name} has the value ${quote(value)}, ${what}.`,
      ...unneeded(subject),
    ],
    fix: howToCorrect(code, view),
  };
}

/** Of two wrong records, the one that has to be fixed. */
function unneeded(subject: Subject): string[] {
  return subject.isProven || needsOwnership(subject)
    ? []
    : ['With a right CNAME record the domain needs no TXT record.'];
}

function howToCorrect(code: TxtDifference['code'], view: RecordView): string {
  if (code === 'txt_quoted') {
    return `${whereOf(view)}, change the TXT record: enter the value without quotation marks. ${typedRecord(view)}`;
  }
  return editRecord(view);
}

function targetAsText(view: RecordView, target: string): FindingDraft {
  return {
    code: 'records_swapped',
    severity: 'blocking',
    record: 'ownership',
    name: view.name,
    seen: [target],
    expected: view.expected,
    retryable: false,
    message: (quote) => [`The TXT record at ${view.name} has the value of the CNAME record, ${quote(target)}.`],
    fix: editRecord(view),
  };
}

/** Values that have nothing to do with us may stay: several TXT records can be at one name. */
function otherValues(subject: Subject, view: RecordView, values: string[]): FindingDraft[] {
  const answer = view.answer;
  const isWildcard = answer !== null && isFromWildcard(view, answer);
  // Nobody published it here, so nothing is wrong yet.
  if (isWildcard && !needsOwnership(subject)) return [];
  const plural = values.length > 1;
  return [
    {
      code: isWildcard ? 'wildcard_answers' : 'txt_wrong_value',
      severity: subject.isProven ? 'warning' : 'blocking',
      record: 'ownership',
      name: view.name,
      seen: values,
      expected: view.expected,
      retryable: false,
      message: (quote) => [
        isWildcard
          ? `The TXT record at ${view.name} comes from a wildcard record (*) and has the value ${quote(values[0] ?? '')}.`
          : `The TXT record${plural ? 's' : ''} at ${view.name} ${plural ? 'have the values' : 'has the value'} ${values.slice(0, 3).map(quote).join(', ')}.`,
        'The value that proves ownership is missing.',
        ...(isWildcard ? [] : [`${plural ? 'The other values' : 'The other value'} may stay.`]),
        ...unneeded(subject),
      ],
      fix: addRecord(view),
    },
  ];
}

/** Where the TXT record should be there is a CNAME, and nothing else can be beside it. */
function cnameThere(subject: Subject): FindingDraft[] {
  const { ownership: view, routing, domain } = subject;
  const { answer } = view;
  if (answer === null) return [];
  const isWildcard = isFromWildcard(view, answer);
  // A wildcard for all names below, which leads to us: the TXT record is not needed.
  if (!needsOwnership(subject) && (routing.isRight || isWildcard)) return [];
  const [first = ''] = answer.chain;
  const common = {
    severity: 'blocking',
    record: 'ownership',
    name: view.name,
    seen: answer.chain,
    expected: view.expected,
    retryable: false,
  } as const;
  const replace = `${whereOf(view)}, delete the CNAME record at this name and add a TXT record. ${typedRecord(view)}`;
  if (first.startsWith(view.expected.toLowerCase())) {
    return [
      {
        ...common,
        code: 'wrong_type',
        message: () => [
          `The value that proves ownership is in a CNAME record at ${view.name}; it belongs in a TXT record.`,
        ],
        fix: replace,
      },
    ];
  }
  const hostHasText = probesOf(view, 'other_name').some(({ name }) => name === domain.name && holdsValue(view, name));
  if (answer.chain.includes(domain.target) && hostHasText) {
    return [
      {
        ...common,
        code: 'records_swapped',
        message: () => [
          `The names of the two records are exchanged: the CNAME record is at ${view.name}, and the TXT record at ${domain.name}.`,
        ],
        fix: `Exchange their names. ${whereOf(view)}, the CNAME record gets ${namesOf(routing)}, and the TXT record gets ${namesOf(view)}.`,
      },
    ];
  }
  if (isWildcard) {
    return [
      {
        ...common,
        code: 'wildcard_answers',
        message: (quote) => [
          `${view.name} has no record of its own: a wildcard record (*) makes it a CNAME to ${quote(first)}.`,
        ],
        fix: addRecord(view),
      },
    ];
  }
  return [
    {
      ...common,
      code: 'cname_at_txt_name',
      message: (quote) => [
        `${view.name} is a CNAME to ${chainOf(answer.chain, quote)}.`,
        'A TXT record has to be there instead: nothing else can be beside a CNAME.',
        ...unneeded(subject),
      ],
      fix: replace,
    },
  ];
}

function namesOf(view: RecordView): string {
  return typedRecord(view).replace(/, Value: .*$/, '');
}

function holdsValue(view: RecordView, name: string): boolean {
  return view.probes.some(
    (probe) => probe.name === name && probe.answer.kind === 'found' && probe.answer.values.includes(view.expected),
  );
}

function domainOfToken({ context }: Subject): (token: string) => string | null {
  return context.domainOfToken ?? (() => null);
}
