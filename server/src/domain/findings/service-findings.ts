import { judgeCaa } from '../caa.ts';
import type { CaaRecord } from '../certificate-state.ts';
import type { FindingAction, FindingFields } from '../finding.ts';
import { answerMatches } from '../read-observation.ts';
import { isWildcard } from '../wildcard.ts';
import { nameAction, type RecordView, recordAction, zoneAction } from './record-view.ts';
import type { Rule, Subject } from './subject.ts';

/** Obstacles besides the two records: another workspace, CAA, caches. An owner of a domain knows no workspaces: to them it is an account. */
export const serviceFindings: Rule = (subject) => [
  ...heldElsewhere(subject),
  ...caaForbids(subject),
  ...staleCache(subject),
];

function heldElsewhere(subject: Subject): FindingFields[] {
  const { claim, domain, ownership, routing } = subject;
  if (claim === undefined) return [];
  const { name } = domain;
  const common = { code: 'held_elsewhere', severity: 'blocking', name, retryable: false } as const;
  if (claim.olderClaim) {
    const action = { kind: 'recreate', at: 'zone', zone: routing.zone.apex } as const;
    return [{ ...common, action, facts: { reason: 'older_claim' } }];
  }
  if (claim.proven && ownership.isRight && claim.incumbentGone) return [];
  const unread = ownership.isRight ? readThroughResolver(subject) : undefined;
  if (unread !== undefined) {
    const { apex, nameservers } = unread.zone;
    return [
      {
        ...common,
        nameservers: nameservers.map((nameserver) => nameserver.name),
        retryable: true,
        action: zoneAction('ask', apex),
        facts: { reason: 'nameservers_silent' },
      },
    ];
  }
  if (claim.proven && ownership.isRight) {
    return [
      {
        ...common,
        action: nameAction('delete', { ...ownership, zone: routing.zone, provider: routing.provider }),
        second: recordAction('change', routing),
        facts: { reason: 'other_records_left' },
      },
    ];
  }
  const action = recordAction('add', ownership);
  const isTextEnough = routing.isRight || domain.kind === 'apex';
  return [{ ...common, action, ...(!isTextEnough && { facts: { reason: 'both_needed' } }) }];
}

/** A record of which a resolver has what a takeover needs, while no nameserver answers. */
function readThroughResolver({ reading, ownership, routing }: Subject): RecordView | undefined {
  return [ownership, routing].find(({ role }) =>
    [reading[role], reading.incumbent?.[role]].some(
      (each) => each?.kind === 'unconfirmed' && each.reason === 'resolver',
    ),
  );
}

/** The nearest name that has CAA records decides (RFC 8659 section 3). */
function caaForbids({ observation, reading, domain, context, routing }: Subject): FindingFields[] {
  const { caNames } = context;
  const probes = (observation.probes ?? []).filter(({ purpose }) => purpose === 'caa');
  const nearest = probes
    .toSorted((a, b) => b.name.length - a.name.length)
    .find(({ answer }) => answer.kind === 'found' && answer.values.length > 0);
  if (caNames.length === 0 || nearest?.answer.kind !== 'found') return [];
  const { values } = nearest.answer;
  const records = values.map(parseCaa);
  const wildcard = isWildcard(domain.name);
  const tag = wildcard && records.some((record) => record.tag === 'issuewild') ? 'issuewild' : 'issue';
  const ca = { names: caNames, accountUrl: null };
  const challenge = wildcard || reading.challenge?.kind === 'matched' ? 'dns-01' : 'http-01';
  const verdict = judgeCaa(records, ca, { wildcard, challenge });
  // Whether the account is ours is known only where the certificate is ordered.
  if (verdict.kind === 'allowed' || verdict.because === 'account') return [];
  const [issuer = ''] = caNames;
  return [
    {
      code: 'caa_forbids',
      severity: domain.status === 'verified' ? 'blocking' : 'warning',
      name: nearest.name,
      seen: values,
      expected: `0 ${tag} "${issuer}"`,
      retryable: false,
      action:
        verdict.because === 'unknown'
          ? { ...caaAction('delete', routing, nearest.name), tag: verdict.record.tag.slice(0, MAX_TAG) }
          : { ...caaAction('add', routing, nearest.name), flags: '0', tag, value: issuer },
    },
  ];
}

/** Longest tag of a CAA record that is kept, in characters. */
const MAX_TAG = 255;

function caaAction(kind: 'add' | 'delete', view: RecordView, name: string): FindingAction {
  const isInZone = name === view.zone.apex || name.endsWith(`.${view.zone.apex}`);
  // It may be above the zone of the records.
  if (!isInZone) return { kind, at: 'zone', zone: name, type: 'CAA', name };
  return { ...nameAction(kind, { ...view, name }), type: 'CAA' };
}

/** `0 issue "ca.example"`. */
function parseCaa(text: string): CaaRecord {
  const [, flags = '0', tag = '', value = ''] = /^(\d+)\s+(\S+)\s*(.*)$/s.exec(text) ?? [];
  return { critical: Number(flags) >= 128, tag: tag.toLowerCase(), value: value.replace(/^"(.*)"$/s, '$1') };
}

/** The nameservers have the record; resolvers still answer from before. */
function staleCache({ observation, domain, ownership, routing, context }: Subject): FindingFields[] {
  return [routing, ownership].flatMap((view): FindingFields[] => {
    const { validation } = observation[view.role];
    if (!view.isRight || validation?.answer == null || validation.ttl === null || validation.ttl <= 0) return [];
    if (validation.answer.kind === 'unreadable' || answerMatches(domain, view.role, validation.answer)) return [];
    return [
      {
        code: 'stale_cache',
        severity: 'info',
        record: view.role,
        name: view.name,
        expected: view.expected,
        retryable: true,
        action: nameAction('wait', view),
        facts: {
          until: context.now + validation.ttl * 1000,
          ...(view.zone.unasked !== undefined && { reason: 'some_asked' }),
        },
      },
    ];
  });
}
