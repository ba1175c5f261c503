import { judgeCaa } from '../caa.ts';
import type { CaaRecord } from '../certificate-state.ts';
import { answerMatches } from '../read-observation.ts';
import { quote } from '../text.ts';
import type { FindingDraft, Quote } from './finding-draft.ts';
import { listServers, type RecordView, typedName, typedRecord, whereOf } from './record-view.ts';
import type { Rule, Subject } from './subject.ts';

/** What stands in the way besides the two records: another workspace, CAA, caches. Who owns a domain knows no workspaces: to them it is an account. */
export const serviceFindings: Rule = (subject) => [
  ...heldElsewhere(subject),
  ...caaForbids(subject),
  ...staleCache(subject),
];

function heldElsewhere(subject: Subject): FindingDraft[] {
  const { claim, domain, ownership, routing } = subject;
  if (claim === undefined) return [];
  const { name } = domain;
  const held = `Another account of this service holds ${name} as verified`;
  const common = {
    code: 'held_elsewhere',
    severity: 'blocking',
    name,
    retryable: false,
  } as const;
  if (claim.olderClaim) {
    return [
      {
        ...common,
        message: () => [
          `Another account of this service verified ${name} after you added it here, so your records may be left over from before.`,
        ],
        fix: 'If the name is yours, delete the domain, add it again and publish its new records.',
      },
    ];
  }
  if (claim.proven && ownership.isRight && claim.incumbentGone) return [];
  const unread = ownership.isRight ? readThroughResolver(subject) : undefined;
  if (unread !== undefined) {
    const { apex, nameservers } = unread.zone;
    const servers = nameservers.map((nameserver) => nameserver.name);
    return [
      {
        ...common,
        nameservers: servers,
        retryable: true,
        message: () => [
          `${held}.`,
          `None of the nameservers of ${apex} answers (${listServers(servers)}), and what resolvers have in their caches is not enough to move the name.`,
        ],
        fix: `Ask the DNS provider of ${apex} why its nameservers do not answer. The name moves once they do, and have only the records of this domain.`,
      },
    ];
  }
  if (claim.proven && ownership.isRight) {
    return [
      {
        ...common,
        message: () => [`${held}, and its records are still in place.`],
        fix: `${whereOf(routing)}, remove every other TXT record at ${ownership.name}, and point ${name} to ${domain.target} only.`,
      },
    ];
  }
  return [
    {
      ...common,
      message: () => [`${held}.`],
      fix:
        routing.isRight || domain.kind === 'apex'
          ? `To move the name, publish the TXT record of this domain, and remove the other account's at the same name. ${typedRecord(ownership)}`
          : `To move the name, publish both records of this domain, and remove the other account's TXT record at ${ownership.name}. The new TXT record has ${typedRecord(ownership)}`,
    },
  ];
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
function caaForbids({ observation, domain, context, routing }: Subject): FindingDraft[] {
  const { caNames } = context;
  const probes = (observation.probes ?? []).filter(({ purpose }) => purpose === 'caa');
  const nearest = probes
    .toSorted((a, b) => b.name.length - a.name.length)
    .find(({ answer }) => answer.kind === 'found' && answer.values.length > 0);
  if (caNames.length === 0 || nearest?.answer.kind !== 'found') return [];
  const { values } = nearest.answer;
  const verdict = judgeCaa(values.map(parseCaa), { names: caNames, accountUrl: null });
  // Whether the account is ours is known only where the certificate is ordered.
  if (verdict.kind === 'allowed' || verdict.because === 'account') return [];
  const [ca = ''] = caNames;
  return [
    {
      code: 'caa_forbids',
      severity: domain.status === 'verified' ? 'blocking' : 'warning',
      name: nearest.name,
      seen: values,
      expected: `0 issue "${ca}"`,
      retryable: false,
      message: (quote) => [
        `The CAA records at ${nearest.name} forbid our certificate authority to issue a certificate: ${values
          .slice(0, 3)
          .map((text) => quotedCaa(text, quote))
          .join(', ')}.`,
      ],
      fix:
        verdict.because === 'unknown'
          ? `Delete the CAA record with the tag ${quote(verdict.record.tag, 30)}: as long as its flags are 128 or more, no certificate authority may issue.`
          : caaFix(routing, nearest.name, ca),
    },
  ];
}

function caaFix(view: RecordView, name: string, ca: string): string {
  // It may be above the zone of the records.
  const isInZone = name === view.zone.apex || name.endsWith(`.${view.zone.apex}`);
  const place = isInZone
    ? `${whereOf(view)}, add a CAA record. ${typedName({ ...view, name })},`
    : `In the DNS settings of ${name}, add a CAA record.`;
  return `${place} Flags: \`0\`, Tag: \`issue\`, Value: \`${ca}\`.`;
}

/** With its value in quotation marks, as in zone files. */
function quotedCaa(text: string, quoted: Quote): string {
  const [, property, value] = /^(\d+ [a-z\d]+) "(.*)"$/is.exec(text) ?? [];
  return property === undefined || value === undefined ? quoted(text) : `${property} ${quoted(value)}`;
}

/** `0 issue "ca.example"`. */
function parseCaa(text: string): CaaRecord {
  const [, flags = '0', tag = '', value = ''] = /^(\d+)\s+(\S+)\s*(.*)$/s.exec(text) ?? [];
  return { critical: Number(flags) >= 128, tag: tag.toLowerCase(), value: value.replace(/^"(.*)"$/s, '$1') };
}

/** The nameservers have the record; resolvers still answer from before. */
function staleCache({ observation, domain, ownership, routing, context }: Subject): FindingDraft[] {
  return [routing, ownership].flatMap((view): FindingDraft[] => {
    const { validation } = observation[view.role];
    if (!view.isRight || validation?.answer == null || validation.ttl === null || validation.ttl <= 0) return [];
    if (validation.answer.kind === 'unreadable' || answerMatches(domain, view.role, validation.answer)) return [];
    const until = new Date(context.now + validation.ttl * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
    return [
      {
        code: 'stale_cache',
        severity: 'info',
        record: view.role,
        name: view.name,
        expected: view.expected,
        retryable: true,
        message: () => [
          `${view.zone.unasked === undefined ? 'The nameservers' : 'The nameservers that were asked'} have the ${view.type} record of ${view.name}, but public resolvers may answer from their cache until ${until}.`,
        ],
        fix: 'Wait until then.',
      },
    ];
  });
}
