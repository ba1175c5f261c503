import type { DifferingAnswer, FindingFacts, FindingFields, FindingReason } from '../finding.ts';
import { registeredDomain } from '../name.ts';
import { type Answer, MAX_UNASKED } from '../observation.ts';
import { parkingOf, providerOf } from '../providers.ts';
import { answerMatches } from '../read-observation.ts';
import { limitedTexts, namedIn, probesOf, type RecordView, recordAction, zoneAction } from './record-view.ts';
import { needsOwnership, type Rule, type Subject } from './subject.ts';

/** Why the zone itself does not work: nothing else can be said before that is fixed. */
export const zoneFailures: Rule = (subject) => {
  const { routing, ownership } = subject;
  if (routing.zone.failure?.reason === 'not_registered')
    return [notRegistered(registeredDomain(routing.name), subject.domain.token !== '')];
  return routing.isRight || ownership.isRight ? [] : parked(subject);
};

function notRegistered(name: string, isAttached: boolean): FindingFields {
  return {
    code: 'zone_not_registered',
    severity: 'blocking',
    name,
    retryable: true,
    action: { kind: 'register', at: 'registrar', zone: name },
    ...(!isAttached && { facts: { reason: 'name_not_added' } }),
  };
}

/** The nameservers decide, not their answers: a wildcard is no mistake. */
function parked({ domain, routing }: Subject): FindingFields[] {
  const { zone, answer } = routing;
  const nameservers = namedIn(zone);
  const service = nameservers.length === 0 ? undefined : parkingOf(nameservers);
  if (service === undefined) return [];
  const others = probesOf(routing, 'sibling', 'other_name').map((probe) => JSON.stringify(probe.answer));
  const isAlike =
    answer?.kind === 'found' && others.length > 0 && others.every((one) => one === JSON.stringify(answer));
  // It had records before.
  const hasEnded = service.parking === 'expired' || domain.verifiedAt !== null;
  return [
    {
      code: 'zone_parked',
      severity: 'blocking',
      name: zone.apex,
      nameservers,
      ...(isAlike && { seen: answer.values }),
      retryable: false,
      action: hasEnded ? { kind: 'register', at: 'registrar', zone: zone.apex } : zoneAction('change', zone.apex),
      facts: { provider: service.name, ...(hasEnded && { reason: 'registration_ended' }) },
    },
  ];
}

/** Mistakes between the zone and its parent, among its nameservers, and in its signatures. */
export const zoneFindings: Rule = (subject) => [...bogus(subject), ...delegation(subject), ...disagreements(subject)];

/** Records that are published where the delegation does not lead, and nameservers that the parent does not know. */
function delegation(subject: Subject): FindingFields[] {
  const { zone } = subject.routing;
  const { ownNameservers } = zone;
  const named = namedIn(zone);
  const here = providerOf(named)?.name;
  const common = { name: zone.apex, nameservers: named, retryable: false, action: zoneAction('change', zone.apex) };
  const elsewhere = (seen: string[], more: FindingFacts = {}, record?: RecordView['role']): FindingFields => {
    const there = providerOf(seen)?.name;
    const facts = { ...(here && { provider: here }), ...(there && { seenProvider: there }), ...more };
    return { ...common, code: 'zone_elsewhere', severity: 'blocking', seen, facts, ...(record && { record }) };
  };
  for (const view of [subject.routing, subject.ownership]) {
    const servers = probesOf(view, 'other_server').flatMap(({ server }) => server ?? []);
    if (servers.length > 0) return [elsewhere(servers, { reason: 'record_there', otherName: view.name }, view.role)];
  }
  if (zone.source !== 'parent' || ownNameservers === null || ownNameservers.length === 0 || named.length === 0)
    return [];
  const unknown = ownNameservers.filter((name) => !named.includes(name));
  const unlisted = named.filter((name) => !ownNameservers.includes(name));
  // The parent may name more than are known.
  const isWhole = (zone.unasked?.length ?? 0) < MAX_UNASKED;
  const onlyInZone = isWhole || unknown.length === ownNameservers.length ? unknown : [];
  if (onlyInZone.length === 0 && unlisted.length === 0) return [];
  const isSameProvider = here !== undefined && here === providerOf(ownNameservers)?.name;
  const isElsewhere = unknown.length === ownNameservers.length && !isSameProvider && !subject.isProven;
  if (isElsewhere) return [elsewhere(ownNameservers)];
  const facts = { onlyDelegated: limitedTexts(unlisted), onlyInZone: limitedTexts(onlyInZone) };
  return [{ ...common, seen: ownNameservers, code: 'delegation_mismatch', severity: 'warning', facts }];
}

/** Nameservers of one zone that answer differently, or one that answers differently each time. */
function disagreements(subject: Subject): FindingFields[] {
  const views = [subject.ownership, ...(subject.domain.kind === 'subdomain' ? [subject.routing] : [])];
  return views.flatMap((view): FindingFields[] => {
    if (view.reading.kind !== 'disagree') return [];
    const answers = differing(subject, view);
    const looks = answers.flatMap((each) => each.looks);
    return [
      {
        code: 'nameservers_disagree',
        severity: subject.isProven ? 'warning' : 'blocking',
        record: view.role,
        name: view.name,
        seen: [...new Set(looks.flatMap(({ cname, values, beside }) => [...cname, ...values, ...beside]))],
        expected: view.expected,
        nameservers: answers.map(({ nameserver }) => nameserver),
        retryable: true,
        action: recordAction('change', view),
        facts: { answers },
      },
    ];
  });
}

/** Each nameserver's answer, by its name, where it gave one, or a CNAME to one that could not be read. */
function differing({ domain, observation }: Subject, { role }: RecordView): DifferingAnswer[] {
  const answers = observation[role].nameservers.flatMap(({ server, answers: looks }): DifferingAnswer[] => {
    const told = looks.filter(
      (answer) => answer.kind !== 'unreadable' || answer.chain.length > 0 || answer.reason === 'loop',
    );
    if (told.length === 0) return [];
    const matches = told.every((answer) => answerMatches(domain, role, answer));
    return [{ nameserver: server, matches, looks: told.map((answer) => lookOf(role, answer)) }];
  });
  return answers.toSorted((a, b) => (a.nameserver < b.nameserver ? -1 : 1));
}

function lookOf(role: RecordView['role'], answer: Answer): DifferingAnswer['looks'][number] {
  const { values, beside = [] } = answer.kind === 'found' ? answer : { values: [] };
  // Records at the end of a routing record's chain were not published at its name.
  const isAtEnd = role === 'routing' && answer.chain.length > 0;
  return {
    cname: limitedTexts(answer.chain),
    values: limitedTexts(isAtEnd ? [] : values),
    beside: limitedTexts(beside),
    ...(answer.kind === 'unreadable' && { isLoop: true }),
  };
}

/** Extended DNS Errors of a failed validation (RFC 8914 section 4). */
const VALIDATION_ERRORS: Record<number, FindingReason> = {
  7: 'signature_expired',
  8: 'signature_not_yet_valid',
  9: 'key_missing',
  10: 'signature_missing',
  12: 'proof_missing',
};

function bogus(subject: Subject): FindingFields[] {
  const views = [subject.ownership, subject.routing].filter(({ reading }) => reading.kind === 'bogus');
  // An apex does not need its routing record to be verified.
  const view = views.find(({ role }) => role === 'routing' || needsOwnership(subject)) ?? views[0];
  if (view === undefined) return [];
  const validation = subject.observation[view.role].validation;
  const { error, ttl } = validation ?? { error: null, ttl: null };
  const reason = error === null ? undefined : VALIDATION_ERRORS[error.code];
  const [ds, ...otherDs] = probesOf(subject.routing, 'ds').flatMap(({ answer }) =>
    answer.kind === 'found' ? answer.values : [],
  );
  return [
    {
      code: 'dnssec_bogus',
      severity: subject.isProven ? 'warning' : 'blocking',
      record: view.role,
      name: view.name,
      seen: [
        ...(ds === undefined ? [] : [ds]),
        ...otherDs,
        ...(error === null ? [] : [`EDE ${error.code}${error.text === '' ? '' : `: ${error.text}`}`]),
      ],
      retryable: true,
      action: {
        ...zoneAction('replace', view.zone.apex, 'DS'),
        ...(ds !== undefined && { value: limitedTexts([ds])[0] }),
      },
      facts: { ...(reason && { reason }), ...(ttl !== null && { ttlSeconds: ttl }) },
    },
  ];
}
