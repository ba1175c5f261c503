import type { FindingAction, FindingFields } from '../finding.ts';
import { registrableDomain } from '../name.ts';
import { isProvenByRouting, isShared, sharedAddressesOf } from '../shared-target.ts';
import { type RecordView, recordAction } from './record-view.ts';
import type { Rule, Subject } from './subject.ts';

/** Records that are nowhere. Only where no other rule has found them. */
export const absentFindings: Rule = (subject) => {
  const { domain, ownership, routing, claim } = subject;
  const isApex = domain.kind === 'apex' && !(isShared(domain) && routing.isRight);
  const found: FindingFields[] = [];
  if (isAbsent(ownership) && (isApex || (claim !== undefined && routing.isRight)))
    found.push(missing(subject, ownership));
  // An apex is verified first, and pointed here afterwards.
  if (isAbsent(routing) && (isProvenByRouting(domain) || ownership.isRight)) found.push(missing(subject, routing));
  return found;
};

function isAbsent({ reading, answer }: RecordView): boolean {
  return reading.kind === 'absent' && (answer === null || answer.chain.length === 0);
}

function missing(subject: Subject, view: RecordView): FindingFields {
  const { domain, isProven } = subject;
  const cut = zoneCut(view);
  const isOwnership = view.role === 'ownership';
  const nodata = view.answer?.kind === 'absent' && view.answer.reason === 'nodata';
  const common = {
    // An apex is verified without its routing record, but not served.
    severity: isProven && domain.status !== 'verified' ? 'warning' : 'blocking',
    record: view.role,
    name: view.name,
    expected: view.expected,
    nameservers: view.servers,
    retryable: true,
  } as const;
  if (cut !== null) {
    const isDelegatedAlone = view.role === 'routing' && view.zone.apex === view.name;
    const above = { ...view, zone: { ...view.zone, apex: cut }, provider: undefined };
    return {
      ...common,
      code: 'record_below_cut',
      action: isDelegatedAlone ? recordAction('replace', above, ['NS']) : recordAction('add', view),
      facts: { zone: view.zone.apex, zoneAbove: cut },
    };
  }
  const isApexRouting = view.role === 'routing' && domain.kind === 'apex';
  return {
    ...common,
    code: isOwnership ? 'txt_missing' : 'record_missing',
    action: isApexRouting ? apexAction('add', subject) : recordAction('add', view),
    facts: { reason: isApexRouting ? 'no_address' : nodata ? 'nodata' : 'nxdomain' },
  };
}

/** The zone above, where the record's zone is delegated from within the domain that its owner registered. */
function zoneCut({ name, zone }: RecordView): string | null {
  const registrable = registrableDomain(name);
  if (registrable === null || zone.failure !== null) return null;
  return zone.apex !== registrable && zone.apex.endsWith(`.${registrable}`) ? registrable : null;
}

/** Says what leads an apex here: a record of its own type where the provider has one, the addresses of the edge where they are known. */
export function apexAction(
  kind: FindingAction['kind'],
  { domain, routing, context }: Subject,
  removes?: string[],
): FindingAction {
  const typeInZone = routing.provider?.apexRecord;
  // The edge may have other addresses than the platform has now.
  const known = isShared(domain) ? sharedAddressesOf(domain) : context.edgeAddresses;
  const addresses = known.slice(0, MAX_ADDRESSES);
  return {
    ...recordAction(kind, routing, removes),
    ...(typeInZone && { typeInZone }),
    ...(typeInZone === undefined && addresses.length > 0 && { addresses }),
  };
}

/** Addresses named in a fix. */
const MAX_ADDRESSES = 4;
