import { registrableDomain } from '../name.ts';
import { MAX_UNASKED } from '../observation.ts';
import { providerOf } from '../providers.ts';
import { quote } from '../text.ts';
import { type Answering, answeringOf } from './answering.ts';
import type { FindingDraft, Quote } from './finding-draft.ts';
import { listServers, namedIn, parentOf, probesOf, type RecordView, shown, typedRecord } from './record-view.ts';
import { needsOwnership, type Rule, type Subject } from './subject.ts';

/** Why the zone itself does not work: nothing else can be said before that is fixed. */
export const zoneFailures: Rule = (subject) => {
  const { routing, ownership } = subject;
  const { failure } = routing.zone;
  if (failure?.kind === 'not_registered') return [notRegistered(failure.name, subject.domain.token !== '')];
  const provider = routing.provider;
  if (provider?.parking && !routing.isRight && !ownership.isRight) return [parked(routing, provider.name)];
  return [];
};

function notRegistered(name: string, isAttached: boolean): FindingDraft {
  return {
    code: 'zone_not_registered',
    severity: 'blocking',
    name,
    retryable: true,
    message: () => [
      `The domain ${name} does not exist: it is not registered, it has expired, or it has no nameservers.`,
    ],
    fix: `Register or renew ${name} at a registrar, and set its nameservers there. If the name is mistyped, ${isAttached ? 'delete this domain and add the right one' : 'look at the right one'}.`,
  };
}

function parked({ zone }: RecordView, provider: string): FindingDraft {
  const nameservers = zone.nameservers.map(({ name }) => name);
  return {
    code: 'zone_parked',
    severity: 'blocking',
    name: zone.apex,
    nameservers,
    retryable: false,
    message: () => [
      `The domain ${zone.apex} is parked at ${provider}: its nameservers (${listServers(nameservers)}) belong to a service that shows advertisements. No records can be published there.`,
    ],
    fix: `Change the nameservers to those of a DNS provider, ${parentOf(zone.apex).where}. Publish the records at that provider.`,
  };
}

/** What is wrong between the zone and its parent, among its nameservers, and with its signatures. */
export const zoneFindings: Rule = (subject) => [...bogus(subject), ...delegation(subject), ...disagreements(subject)];

/** Records that are published where the delegation does not lead, and nameservers that the parent does not know. */
function delegation(subject: Subject): FindingDraft[] {
  const { zone } = subject.routing;
  const { ownNameservers } = zone;
  const named = namedIn(zone);
  if (zone.source !== 'parent' || ownNameservers === null || ownNameservers.length === 0 || named.length === 0)
    return [];
  const unknown = ownNameservers.filter((name) => !named.includes(name));
  const unlisted = named.filter((name) => !ownNameservers.includes(name));
  // The parent may name more than are known.
  const isWhole = (zone.unasked?.length ?? 0) < MAX_UNASKED;
  const onlyInZone = isWhole || unknown.length === ownNameservers.length ? unknown : [];
  if (onlyInZone.length === 0 && unlisted.length === 0) return [];
  const [here, there] = [providerOf(named)?.name, providerOf(ownNameservers)?.name];
  const isSameProvider = here !== undefined && here === there;
  const isElsewhere = unknown.length === ownNameservers.length && !isSameProvider && !subject.isProven;
  const common = { name: zone.apex, seen: ownNameservers, nameservers: named, retryable: false };
  const { who, where } = parentOf(zone.apex);
  const [Who, Where] = [who, where].map(capitalized);
  if (isElsewhere) {
    return [
      {
        ...common,
        code: 'zone_elsewhere',
        severity: 'blocking',
        message: () => [
          `${Where}, the nameservers are ${listServers(named)}${here ? ` (${here})` : ''}. The zone itself names ${listServers(ownNameservers)}${there ? ` (${there})` : ''}.`,
          `Only what is published at ${here ?? 'the first ones'} is seen.`,
        ],
        fix: `${Where}, set the nameservers to ${listServers(ownNameservers)}. Or publish the records at ${here ?? listServers(named)}.`,
      },
    ];
  }
  return [
    {
      ...common,
      code: 'delegation_mismatch',
      severity: 'warning',
      message: () => [
        `${Who} and the zone ${zone.apex} name different nameservers.`,
        ...(unlisted.length > 0 ? [`Only ${who} names ${listServers(unlisted)}.`] : []),
        ...(onlyInZone.length > 0 ? [`Only the zone names ${listServers(onlyInZone)}.`] : []),
      ],
      fix: `Make both lists the same: ${where}, or in the NS records of the zone ${zone.apex} itself.`,
    },
  ];
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Nameservers of one zone that answer differently, or one that answers differently each time. */
function disagreements(subject: Subject): FindingDraft[] {
  const views = [subject.ownership, ...(subject.domain.kind === 'subdomain' ? [subject.routing] : [])];
  return views.flatMap((view): FindingDraft[] => {
    if (view.reading.kind !== 'disagree') return [];
    const answering = answeringOf(subject, view);
    const isOne = answering.length === 1;
    return [
      {
        code: 'nameservers_disagree',
        severity: subject.isProven ? 'warning' : 'blocking',
        record: view.role,
        name: view.name,
        seen: answering.map(({ server, says }) => `${server}: ${says((text) => quote(text))}`),
        expected: view.expected,
        nameservers: answering.map(({ server }) => server),
        retryable: true,
        message: (quoted) => describeDisagreement(view, answering, quoted),
        fix: isOne
          ? `If you have just changed it, wait a few minutes. Otherwise ask the DNS provider why its answers differ. ${typedRecord(view)}`
          : `If you have just changed it, wait a few minutes. Otherwise publish the same at all of them, or remove those that differ. ${typedRecord(view)}`,
      },
    ];
  });
}

/** Who has the record and who does not comes first: the rest may be left out. */
function describeDisagreement(view: RecordView, answering: Answering[], quoted: Quote): string[] {
  const record = `the ${view.type} record at ${view.name}`;
  const answers = (those: Answering[]) => those.map(({ server, says }) => `${shown(server)} answers ${says(quoted)}.`);
  const [only, ...others] = answering;
  if (only !== undefined && others.length === 0)
    return [`The nameserver ${shown(only.server)} gives different answers for ${record}.`, ...answers(answering)];
  const without = answering.filter(({ isRight }) => !isRight);
  const [first] = answering.filter(({ isRight }) => isRight);
  const [second] = without;
  const who =
    first === undefined || second === undefined
      ? ''
      : `: ${shown(first.server)} has it, ${shown(second.server)} does not`;
  return [`The nameservers of ${view.zone.apex} do not agree on ${record}${who}.`, ...answers(without)];
}

/** Extended DNS Errors of a failed validation (RFC 8914 section 4). */
const VALIDATION_ERRORS: Record<number, string> = {
  7: 'the signature has expired',
  8: 'the signature is not valid yet',
  9: 'the zone has no key that fits its DS record',
  10: 'the signature is missing',
  12: 'the proof that the name does not exist is missing',
};

/** Signatures that are out of date are made anew by the provider; otherwise the DS record mostly belongs to a former provider. */
function bogusFix(zone: string, code: number | undefined): string {
  const registrable = registrableDomain(zone);
  const where =
    registrable === null || registrable === zone ? `At the registrar of ${zone}` : `In the zone above ${zone}`;
  const ds = `${where}, remove the DS record, or replace it by the one that the DNS provider shows`;
  return code === 7 || code === 8
    ? `Ask the DNS provider of ${zone} to sign the zone again. Or: ${ds}.`
    : `${ds}. Or sign the zone again.`;
}

function bogus(subject: Subject): FindingDraft[] {
  const views = [subject.ownership, subject.routing].filter(({ reading }) => reading.kind === 'bogus');
  // An apex does not need its routing record to be verified.
  const view = views.find(({ role }) => role === 'routing' || needsOwnership(subject)) ?? views[0];
  if (view === undefined) return [];
  const validation = subject.observation[view.role].validation;
  const { error, ttl } = validation ?? { error: null, ttl: null };
  const why = error === null ? undefined : VALIDATION_ERRORS[error.code];
  const ds = probesOf(subject.routing, 'ds').flatMap(({ answer }) => (answer.kind === 'found' ? answer.values : []));
  const zone = view.zone.apex;
  return [
    {
      code: 'dnssec_bogus',
      severity: subject.isProven ? 'warning' : 'blocking',
      record: view.role,
      name: view.name,
      seen: [...ds, ...(error === null ? [] : [`EDE ${error.code}${error.text === '' ? '' : `: ${error.text}`}`])],
      retryable: true,
      message: (quote) => [
        `DNSSEC (the signatures of DNS records) of the zone ${zone} is broken${why === undefined ? '' : `: ${why}`}. Most of the Internet does not see its records.`,
        ...(ds[0] === undefined ? [] : [`Its DS record is ${quote(ds[0])}.`]),
        ...(ttl === null ? [] : [`After the fix it may take ${ttl} seconds until that is noticed.`]),
      ],
      fix: bogusFix(zone, error?.code),
    },
  ];
}
