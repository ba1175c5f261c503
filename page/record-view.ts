import type { Certificate, Diagnosis, DiagnosisRecord, DnsRecord, Domain, Finding } from '../client/client.ts';
import type { ToldFinding } from './languages/voice.ts';
import { isServed } from './setup-state.ts';

/** The records as the page shows them: what is to be typed, what is there, and what is wrong. Pure. */

export type RecordState =
  | 'unknown'
  /** It is at another name. */
  | 'misplaced'
  /** It was there, and is no longer. */
  | 'gone'
  | 'found'
  /** The provider answers in its place, which is allowed: the record cannot be read back. */
  | 'hidden'
  | 'missing'
  | 'wrong'
  | 'unreadable'
  | 'not_needed'
  /** To be changed once the certificate is there. */
  | 'later';

/** In the order in which a domain has them. */
const RECORDS = ['routing', 'ownership', 'challenge'] as const;

export interface RecordView {
  record: (typeof RECORDS)[number];
  type: DnsRecord['type'];
  /** As the panel of the provider wants it; empty: nothing is entered. Null: that is not known yet. */
  entered: string | null;
  /** Fully qualified. */
  name: string;
  /** The exact value, and the text to type in the provider's panel. */
  expected: string;
  value: string;
  state: RecordState;
  needed: DiagnosisRecord['needed'];
  /** Values that were seen, each with the nameservers that have it. */
  seen: Seen[];
  /** The mistake in it, where that does not stand above the records. */
  problem: ToldFinding | null;
  /** The texts that are there in place of the name, or of the value. */
  was: { field: 'name' | 'value'; found: readonly string[] } | null;
  /** Whether the step to take is about it. */
  isTask: boolean;
  /** Records in its place, where the provider has none of this type. */
  instead: { type: 'A' | 'AAAA'; value: string }[];
}

export interface Seen {
  /** `leads_here`: addresses of the service, in place of the record. */
  outcome: 'matched' | 'leads_here' | 'other' | 'absent' | 'unreadable';
  values: string[];
  nameservers: string[];
}

/** A CAA record (RFC 8659), as it is typed at the provider. */
export interface CaaView {
  /** Fully qualified. */
  name: string;
  /** As the panel of the provider wants it; empty: nothing is entered. Null: that is not known. */
  entered: string | null;
  flags: string;
  tag: string;
  value: string;
  /** The CAA records that are there, which forbid the certificate. */
  seen: readonly string[];
}

/** These findings say that a record is not there yet: that is no mistake while checks run. */
export const ABSENT = new Set(['record_missing', 'txt_missing', 'challenge_missing']);

/** These findings say that a record is there under another name. */
export const MISPLACED = new Set(['name_doubled', 'record_at_other_name']);

/** The values that were found beside the expected one: names where the record is at the wrong one, otherwise values. */
export interface Comparison {
  field: 'name' | 'value';
  found: readonly string[];
  /** The text to type at the provider; an empty name: the field stays empty. */
  expected: string;
}

/** Null where there is nothing to compare. */
export function comparisonOf({ code, name, seen = [], expected, action }: Finding): Comparison | null {
  // The parts of a CAA record are typed one by one: it has a card of its own. Behind a proxy, what was seen is at another name.
  if (code === 'caa_forbids' || code === 'proxied_without_txt') return null;
  if (MISPLACED.has(code) && name !== undefined && action?.nameInZone !== undefined) {
    return { field: 'name', found: [name], expected: action.nameInZone };
  }
  if (expected === undefined) return null;
  // The right value may be in a record of another type.
  const found = seen.filter((value) => value !== expected);
  return { field: 'value', found, expected: action?.valueInZone ?? expected };
}

export function isAbout(finding: Finding | null, { record, name }: Pick<RecordView, 'record' | 'name'>): boolean {
  // A CAA record has a card of its own, and is no fault of another record at its name.
  if (finding === null || finding.code === 'caa_forbids') return false;
  return finding.record === record || finding.action?.name === name || finding.second?.name === name;
}

/** Each of the two records is at the name of the other. */
export function isExchange({ code, second }: Finding): boolean {
  return code === 'records_swapped' && second !== undefined;
}

/** Whether it has to be added, and is not there. */
export function isLacking(record: RecordView): boolean {
  return record.needed === 'yes' && !isThere(record);
}

export function isThere({ state }: RecordView): boolean {
  return state === 'found' || state === 'hidden';
}

export type ToldDiagnosis = Diagnosis & { findings: ToldFinding[] };

interface KnownState {
  diagnosis: ToldDiagnosis | null;
  certificate: Certificate | null;
}

type Published = Pick<DnsRecord, 'type' | 'name' | 'value' | 'verified'>;

/** The records of a domain, each as the diagnosis has it. */
export function viewRecords(state: KnownState & { domain: Domain }): RecordView[] {
  return state.domain.dnsRecords.map((record, at) => viewRecord(record, RECORDS[at] ?? 'challenge', state));
}

function viewRecord(published: Published, record: RecordView['record'], state: KnownState): RecordView {
  const { type, name, value } = published;
  const { diagnosis } = state;
  const diagnosed = diagnosis?.records.find((each) => each.record === record);
  const findings = (diagnosis?.findings ?? []).filter((each) => isAbout(each, { record, name }));
  const ours = findings.find(({ code }) => code === 'flattened')?.seen ?? [];
  const seen = grouped(diagnosed?.seen ?? [], ours);
  const problem = findings.find(({ severity, code }) => severity !== 'info' && !ABSENT.has(code)) ?? null;
  // The finding may be about another record, and this one be named in it.
  const own = problem?.record === record && !isExchange(problem) ? problem : null;
  const comparison = own && comparisonOf(own);
  return {
    record,
    type,
    entered: diagnosis?.zone === undefined ? null : (diagnosed?.nameInZone ?? name),
    name,
    expected: value,
    // Where the provider was seen to append the zone, the finding has the dot that prevents it.
    value: own?.action?.valueInZone ?? diagnosed?.valueInZone ?? value,
    state: stateOf({ record, verified: published.verified, diagnosed, findings, seen }, state),
    needed: diagnosed?.needed ?? 'yes',
    seen,
    problem,
    was: comparison && comparison.found.length > 0 ? { field: comparison.field, found: comparison.found } : null,
    isTask: false,
    instead: addressRecords((problem === null ? diagnosed?.addresses : problem.action?.addresses) ?? []),
  };
}

/** Who sets up a name that leads nowhere has no use for it. */
export function viewMoving(
  { status }: Domain,
  diagnosis: ToldDiagnosis | null,
  [routing]: RecordView[],
): RecordView | null {
  const record = diagnosis?.challengeRecord;
  const isWaiting = status === 'pending' || status === 'verifying';
  if (!diagnosis || record === undefined || routing === undefined || !isWaiting) return null;
  const leadsElsewhere = routing.state === 'wrong' || routing.state === 'hidden';
  if (!leadsElsewhere && !record.verified) return null;
  const records = [{ ...record, needed: 'yes' as const }];
  const published = { ...record, type: 'CNAME' as const, value: record.expected };
  const shown = viewRecord(published, 'challenge', { diagnosis: { ...diagnosis, records }, certificate: null });
  return { ...shown, isTask: true };
}

/** Null also where a record has to be deleted: then none is added. */
export function viewCaa(findings: readonly Finding[]): CaaView | null {
  const { action, seen = [] } = findings.find(({ code }) => code === 'caa_forbids') ?? {};
  const { kind, name, nameInZone: entered = null, flags, tag, value } = action ?? {};
  if (kind !== 'add' || name === undefined || flags === undefined || tag === undefined || value === undefined)
    return null;
  return { name, entered, flags, tag, value, seen };
}

function addressRecords(addresses: readonly string[]): RecordView['instead'] {
  return addresses.map((value) => ({ type: value.includes(':') ? 'AAAA' : 'A', value }));
}

interface RecordFacts {
  record: RecordView['record'];
  verified: boolean;
  diagnosed: DiagnosisRecord | undefined;
  /** Those about this record. */
  findings: readonly Finding[];
  seen: Seen[];
}

function stateOf({ record, verified, diagnosed, findings, seen }: RecordFacts, known: KnownState): RecordState {
  const { diagnosis, certificate } = known;
  const isVerified = diagnosis?.status === 'verified';
  // Once the domain is verified, it stays so for a while without its records.
  if (diagnosed?.verified || (verified && !(isVerified && seen.length > 0))) return 'found';
  // A finding about the TXT record, and yet the reason why the routing record cannot be read back.
  if (record === 'routing' && diagnosis?.findings.some(({ code }) => code === 'proxied_without_txt')) return 'hidden';
  const needed = diagnosed?.needed ?? 'yes';
  if (needed === 'no') return 'not_needed';
  if (seen.length > 0 && seen.every(({ outcome }) => outcome === 'leads_here')) return 'found';
  if (findings.some(({ code }) => code === 'proxied')) return 'hidden';
  if (findings.some((finding) => MISPLACED.has(finding.code) || isExchange(finding))) return 'misplaced';
  if (seen.some(({ outcome }) => outcome === 'other' || outcome === 'matched')) return 'wrong';
  if (seen.some(({ outcome }) => outcome === 'absent'))
    return needed === 'yes' && isVerified && isServed(certificate) ? 'gone' : 'missing';
  return seen.length > 0 ? 'unreadable' : 'unknown';
}

const OUTCOMES: Partial<Record<DiagnosisRecord['seen'][number]['outcome'], Seen['outcome']>> = {
  matched: 'matched',
  other: 'other',
  changing: 'other',
  nxdomain: 'absent',
  nodata: 'absent',
};

/**
 * Nameservers with the same answer are shown together. `ours`: addresses of the service, which stand in place of the
 * record.
 */
function grouped(seen: DiagnosisRecord['seen'], ours: readonly string[]): Seen[] {
  const groups = new Map<string, Seen>();
  for (const { nameserver, outcome, values, cname = [] } of seen) {
    const all = [...values, ...cname];
    const shown = OUTCOMES[outcome] ?? 'unreadable';
    const kind = shown === 'other' && all.some((value) => ours.includes(value)) ? 'leads_here' : shown;
    const key = JSON.stringify([kind, all]);
    const group = groups.get(key) ?? { outcome: kind, values: all, nameservers: [] };
    group.nameservers.push(nameserver);
    groups.set(key, group);
  }
  return [...groups.values()];
}
