import type { FindingFields } from '../finding.ts';
import { baseName } from '../wildcard.ts';
import { isFromWildcard, probesOf, type RecordView, recordAction } from './record-view.ts';
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
export function valuesThere(subject: Subject, view: RecordView, values: string[]): FindingFields[] {
  const expected = { ...subject.domain, value: view.expected, domainOfToken: domainOfToken(subject) };
  const differing = values.flatMap((value) => {
    const difference = txtDifference(value, expected);
    const isAtItsOwn = difference?.owner !== undefined && baseName(difference.owner) === baseName(subject.domain.name);
    // A wildcard and its base name have their TXT records at one name.
    return difference === null || isAtItsOwn ? [] : [{ value, difference }];
  });
  const [first] = differing;
  if (first !== undefined) return [wrongValue(subject, view, first.value, first.difference)];
  if (subject.routing.isRight && !needsOwnership(subject)) return [];
  if (values.includes(subject.domain.target)) return [targetAsText(view, subject.domain.target)];
  return otherValues(subject, view, values);
}

/** A value that resembles the expected one. It blocks nothing where the routing record alone verifies the domain. */
function wrongValue(
  subject: Subject,
  view: RecordView,
  value: string,
  { code, ...facts }: TxtDifference,
): FindingFields {
  return {
    code,
    severity: subject.isProven ? 'warning' : 'blocking',
    record: 'ownership',
    name: view.name,
    seen: [value],
    expected: view.expected,
    retryable: false,
    action: recordAction('change', view),
    facts: { ...facts, ...optional(subject) },
  };
}

/** A wrong TXT record need not be corrected where a right CNAME record is enough. */
function optional(subject: Subject): { isOptional?: boolean } {
  return subject.isProven || needsOwnership(subject) ? {} : { isOptional: true };
}

function targetAsText(view: RecordView, target: string): FindingFields {
  return {
    code: 'records_swapped',
    severity: 'blocking',
    record: 'ownership',
    name: view.name,
    seen: [target],
    expected: view.expected,
    retryable: false,
    action: recordAction('change', view),
    facts: { reason: 'values_swapped' },
  };
}

/** Values that have nothing to do with us may stay: several TXT records can be at one name. */
function otherValues(subject: Subject, view: RecordView, values: string[]): FindingFields[] {
  const answer = view.answer;
  const isWildcard = answer !== null && isFromWildcard(view, answer);
  // Nobody published it here, so nothing is wrong yet.
  if (isWildcard && !needsOwnership(subject)) return [];
  return [
    {
      code: isWildcard ? 'wildcard_answers' : 'txt_wrong_value',
      severity: subject.isProven ? 'warning' : 'blocking',
      record: 'ownership',
      name: view.name,
      seen: values,
      expected: view.expected,
      retryable: false,
      action: recordAction('add', view),
      facts: { reason: isWildcard ? 'wildcard_txt' : 'other_values', ...optional(subject) },
    },
  ];
}

/** Where the TXT record should be there is a CNAME, and nothing else can be beside it. */
function cnameThere(subject: Subject): FindingFields[] {
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
  const replace = recordAction('replace', view, ['CNAME']);
  if (first.startsWith(view.expected.toLowerCase())) return [{ ...common, code: 'wrong_type', action: replace }];
  const hostHasText = probesOf(view, 'other_name').some(({ name }) => name === domain.name && holdsValue(view, name));
  if (answer.chain.includes(domain.target) && hostHasText) {
    return [
      {
        ...common,
        code: 'records_swapped',
        action: recordAction('change', view),
        second: recordAction('change', routing),
        facts: { reason: 'names_swapped' },
      },
    ];
  }
  if (isWildcard) {
    const facts = { reason: 'wildcard_cname' } as const;
    return [{ ...common, code: 'wildcard_answers', action: recordAction('add', view), facts }];
  }
  return [{ ...common, code: 'cname_at_txt_name', action: replace, facts: optional(subject) }];
}

function holdsValue(view: RecordView, name: string): boolean {
  return view.probes.some(
    (probe) => probe.name === name && probe.answer.kind === 'found' && probe.answer.values.includes(view.expected),
  );
}

function domainOfToken({ context }: Subject): (token: string) => string | null {
  return context.domainOfToken ?? (() => null);
}
