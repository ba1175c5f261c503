import type { FindingFields } from '../finding.ts';
import { registrableDomain } from '../name.ts';
import type { Probe } from '../observation.ts';
import { answerMatches } from '../read-observation.ts';
import { isShared } from '../shared-target.ts';
import { apexAction } from './absent-findings.ts';
import { valuesThere } from './ownership-findings.ts';
import { namedIn, probesOf, type RecordView, recordAction } from './record-view.ts';
import { elsewhere } from './routing-findings.ts';
import { needsOwnership, type Rule, type Subject } from './subject.ts';
import { txtDifference } from './txt-difference.ts';

/** Records that are at another name than their own, or of another type. */
export const misplacedFindings: Rule = (subject) => {
  const { ownership, routing, domain } = subject;
  const misplacedRouting = domain.kind === 'subdomain' ? misplaced(subject, routing) : apexElsewhere(subject);
  if (subject.routing.isRight && !needsOwnership(subject)) return misplacedRouting;
  const misplacedOwnership = misplaced(subject, ownership);
  return [...withTheOther(misplacedRouting, misplacedOwnership), ...misplacedOwnership];
};

/** The record of an apex, at www. Of a shared target, that may be another domain. */
function apexElsewhere(subject: Subject): FindingFields[] {
  const { domain, routing, isProven } = subject;
  if (routing.reading.kind !== 'absent' || isShared(domain)) return [];
  const severity = isProven && domain.status === 'verified' ? 'blocking' : 'warning';
  const action = apexAction('add', subject);
  return (elsewhereNamed(subject, routing) ?? []).map((draft) => ({ ...draft, severity, action }));
}

/** Who makes this mistake makes it with both records. */
function withTheOther(routing: FindingFields[], ownership: FindingFields[]): FindingFields[] {
  const other = ownership.find(({ code }) => code === 'name_doubled');
  if (other === undefined) return routing;
  return routing.map((draft) =>
    draft.code === 'name_doubled'
      ? { ...draft, facts: { ...draft.facts, ...(other.name !== undefined && { otherName: other.name }) } }
      : draft,
  );
}

function misplaced(subject: Subject, view: RecordView): FindingFields[] {
  const { kind } = view.reading;
  if (isDelegatedToTarget(view)) return [textForCname(above(view), 'NS')];
  if (view.isRight || kind === 'disagree' || kind === 'bogus' || kind === 'unreadable') return [];
  const found =
    doubled(subject, view) ?? unencoded(subject, view) ?? targetAsText(view) ?? elsewhereNamed(subject, view);
  return found ?? [];
}

type Common = Pick<FindingFields, 'severity' | 'record' | 'expected' | 'retryable'>;

function commonOf(subject: Subject, view: RecordView): Common {
  return {
    severity: subject.isProven ? 'warning' : 'blocking',
    record: view.role,
    expected: view.expected,
    retryable: false,
  };
}

/** At the name with its zone appended: the panel appends the zone to what is entered. */
function doubled(subject: Subject, view: RecordView): FindingFields[] | null {
  const probe = probesOf(view, 'doubled').find((each) => isPublished(subject, view, each));
  if (probe === undefined) return null;
  const draft: FindingFields = {
    ...commonOf(subject, view),
    code: 'name_doubled',
    name: probe.name,
    seen: valuesAt(probe),
    action: recordAction('change', view),
  };
  return [draft, ...wrongThere(subject, view, probe)];
}

/** Further mistakes of a record that is at another name. */
function wrongThere(subject: Subject, view: RecordView, probe: Probe): FindingFields[] {
  const { answer } = probe;
  if (answer.kind === 'unreadable' || answerMatches(subject.domain, view.role, answer)) return [];
  const there = { ...view, answer, probes: [] };
  if (view.role === 'routing') {
    if (answer.chain.length === 0) return [];
    return [
      { ...elsewhere(subject, there, answer, { ...commonOf(subject, view), name: view.name }), name: probe.name },
    ];
  }
  if (answer.kind !== 'found') return [];
  return valuesThere(subject, there, answer.values)
    .filter(({ code }) => code !== 'wildcard_answers')
    .map((draft) => ({ ...draft, name: probe.name }));
}

/** With the letters of the name itself in place of its `xn--` form. */
function unencoded(subject: Subject, view: RecordView): FindingFields[] | null {
  const probe = probesOf(view, 'raw_name').find((each) => isPublished(subject, view, each));
  if (probe === undefined) return null;
  return [
    {
      ...commonOf(subject, view),
      code: 'name_not_punycode',
      name: probe.name,
      seen: valuesAt(probe),
      action: recordAction('change', view),
    },
  ];
}

/** The target in an NS record: then it is asked as a nameserver, and cannot answer. */
export function isDelegatedToTarget({ role, expected, zone }: RecordView): boolean {
  return role === 'routing' && expected !== '' && namedIn(zone).includes(expected);
}

/** The record in the zone in which it was delegated. */
function above(view: RecordView): RecordView {
  const apex = registrableDomain(view.name) ?? view.zone.apex;
  return { ...view, zone: { ...view.zone, apex }, provider: undefined };
}

/** The target in a TXT record. */
function targetAsText(view: RecordView): FindingFields[] | null {
  if (view.role !== 'routing' || view.expected === '') return null;
  const text = probesOf(view, 'other_type').find(
    ({ type, answer }) =>
      type === 'TXT' && answer.kind === 'found' && answer.values.some((value) => isHost(value, view.expected)),
  );
  return text === undefined ? null : [textForCname(view, 'TXT')];
}

function textForCname(view: RecordView, type: 'NS' | 'TXT'): FindingFields {
  return {
    severity: 'blocking',
    code: 'wrong_type',
    record: 'routing',
    name: view.name,
    seen: [view.expected],
    expected: view.expected,
    retryable: false,
    action: recordAction('replace', view, [type]),
  };
}

function isHost(value: string, host: string): boolean {
  return value.trim().replace(/\.$/, '').toLowerCase() === host;
}

/** The right value at another name. */
function elsewhereNamed(subject: Subject, view: RecordView): FindingFields[] | null {
  const { domain } = subject;
  const probe = probesOf(view, 'other_name', 'www').find(
    ({ answer }) => answerMatches(domain, view.role, answer) && !isWildcardAnswer(view, answer),
  );
  if (probe === undefined || isSwapped(subject, view, probe)) return null;
  return [
    {
      ...commonOf(subject, view),
      code: 'record_at_other_name',
      name: probe.name,
      seen: valuesAt(probe),
      action: recordAction(view.role === 'routing' ? 'add' : 'change', view),
    },
  ];
}

/** The TXT record at the host while the CNAME is at the name of the TXT record: that is one mistake, told elsewhere. */
function isSwapped({ domain, ownership }: Subject, view: RecordView, probe: Probe): boolean {
  return view.role === 'ownership' && probe.name === domain.name && !!ownership.answer?.chain.includes(domain.target);
}

/** Whether somebody published this record at that name: a wildcard answers for names that nobody entered. */
function isPublished(subject: Subject, view: RecordView, { answer }: Probe): boolean {
  if (answer.kind === 'unreadable' || isWildcardAnswer(view, answer)) return false;
  if (answerMatches(subject.domain, view.role, answer)) return true;
  if (view.role === 'routing') {
    const [first = ''] = answer.chain;
    if (first !== '' && (subject.isTarget(first) || first.startsWith(`${view.expected}.`))) return true;
    return answer.kind === 'found' && cannotBeWildcard(view);
  }
  const expected = { ...subject.domain, value: view.expected, domainOfToken: () => null };
  return answer.kind === 'found' && answer.values.some((value) => txtDifference(value, expected) !== null);
}

/** Directly below the zone, a wildcard would have answered for the record's own name too. */
function cannotBeWildcard(view: RecordView): boolean {
  const isDirectlyBelow = view.name.slice(view.name.indexOf('.') + 1) === view.zone.apex;
  return isDirectlyBelow && view.answer?.kind === 'absent' && view.answer.reason === 'nxdomain';
}

function isWildcardAnswer(view: RecordView, answer: Probe['answer']): boolean {
  return probesOf(view, 'sibling').some((sibling) => JSON.stringify(sibling.answer) === JSON.stringify(answer));
}

function valuesAt({ answer }: Probe): string[] {
  return answer.chain.length > 0 || answer.kind !== 'found' ? answer.chain : answer.values;
}
