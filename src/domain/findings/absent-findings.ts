import { registrableDomain } from '../name.ts';
import type { FindingDraft } from './finding-draft.ts';
import { addRecord, listServers, type RecordView, typedName, typedRecord, whereOf } from './record-view.ts';
import type { Rule, Subject } from './subject.ts';

/** Records that are nowhere. Only where no other rule has found them. */
export const absentFindings: Rule = (subject) => {
  const { domain, ownership, routing, claim } = subject;
  const isApex = domain.kind === 'apex';
  const found: FindingDraft[] = [];
  if (isAbsent(ownership) && (isApex || (claim !== undefined && routing.isRight)))
    found.push(missing(subject, ownership));
  // An apex is verified first, and pointed here afterwards.
  if (isAbsent(routing) && (!isApex || ownership.isRight)) found.push(missing(subject, routing));
  return found;
};

function isAbsent({ reading, answer }: RecordView): boolean {
  return reading.kind === 'absent' && (answer === null || answer.chain.length === 0);
}

function missing(subject: Subject, view: RecordView): FindingDraft {
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
  const there = `${view.type} record at ${view.name}`;
  const isApexRouting = view.role === 'routing' && domain.kind === 'apex';
  const seen = `There is no ${there}${nodata ? '' : ': the name does not exist'}.`;
  const at = view.servers.length === 0 ? [] : [`Asked nameservers: ${listServers(view.servers)}.`];
  if (cut !== null) {
    return {
      ...common,
      code: 'record_below_cut',
      message: () => [
        `There is no ${there}.`,
        `${view.zone.apex} is a zone of its own: what is published in the zone ${cut} is not seen there.`,
        ...at,
      ],
      fix:
        view.role === 'routing' && view.zone.apex === view.name
          ? `Delete the NS records of ${view.zone.apex} in the zone ${cut}, and add the CNAME record there. ${typedRecord({ ...view, zone: { ...view.zone, apex: cut }, provider: undefined })}`
          : addRecord(view),
    };
  }
  return {
    ...common,
    code: isOwnership ? 'txt_missing' : 'record_missing',
    message: () => [isApexRouting ? `${view.name} has no address, so nobody reaches it.` : seen, ...at],
    fix: isApexRouting ? apexFix(subject) : addRecord(view),
  };
}

/** The zone above, where the record's zone is delegated from within the domain that its owner registered. */
function zoneCut({ name, zone }: RecordView): string | null {
  const registrable = registrableDomain(name);
  if (registrable === null || zone.failure !== null) return null;
  return zone.apex !== registrable && zone.apex.endsWith(`.${registrable}`) ? registrable : null;
}

/** What leads an apex here: a record of its own type where the provider has one, the addresses of the edge where they are known. */
export function apexFix({ routing: view, context }: Subject): string {
  const type = view.provider?.apexRecord;
  const addresses = context.edgeAddresses.slice(0, MAX_ADDRESSES);
  if (type === undefined && addresses.length > 0) {
    const each = addresses.map((address) => `${address.includes(':') ? 'AAAA' : 'A'} \`${address}\``);
    return `${whereOf(view)}, give ${view.name} these addresses and no others: ${each.join(', ')}. ${typedName(view)}.`;
  }
  const record =
    type === undefined ? 'the record that is called ALIAS, ANAME or flattened CNAME' : `the ${type} record`;
  return `${whereOf(view)}, add ${record}, and no A or AAAA records. ${typedRecord(view)}`;
}

/** Addresses named in a fix. */
const MAX_ADDRESSES = 4;
