import type { Diagnosis, DiagnosisRecord, DnsRecord, Finding } from '../src/client/client.ts';
import { type Followed, isServed } from './follow.ts';

/** What the page shows: pure, from what is known. */

export type StepState = 'done' | 'current' | 'problem' | 'waiting';

/** The picture: where the name stands on its way. */
export type Steps = Record<'dns' | 'verified' | 'certificate' | 'live', StepState>;

/** What there is to do, or to wait for. */
export type Stage =
  /** No record is there. */
  | 'publish'
  /** One is, and another is needed. */
  | 'one_found'
  /** Something is wrong that waiting will not mend. */
  | 'fix'
  /** What is needed was found; the checks that confirm it go on. */
  | 'confirming'
  /** Checks have ended without success. */
  | 'failed'
  | 'certificate'
  | 'certificate_blocked'
  | 'live'
  /** It is served, but its DNS leads elsewhere. */
  | 'live_at_risk';

export interface View {
  stage: Stage;
  steps: Steps;
  /** The mistake to mend first. */
  finding: Finding | null;
  records: RecordView[];
}

export type RecordState =
  | 'unknown'
  | 'found'
  /** The provider answers in its place, as it may: it cannot be read back. */
  | 'hidden'
  | 'missing'
  | 'wrong'
  | 'unreadable'
  | 'not_needed';

export interface RecordView {
  record: 'routing' | 'ownership';
  type: DnsRecord['type'];
  /** As the panel of the provider wants it; empty: nothing is entered. */
  entered: string;
  /** Fully qualified. */
  name: string;
  /** Exactly, and as the panel of the provider wants it. */
  expected: string;
  value: string;
  state: RecordState;
  needed: DiagnosisRecord['needed'];
  /** What is there, each with the nameservers that say so. */
  seen: Seen[];
}

export interface Seen {
  outcome: 'matched' | 'other' | 'absent' | 'unreadable';
  values: string[];
  nameservers: string[];
}

/** These say that a record is not there yet: that is no mistake while checks run. */
const ABSENT = new Set(['record_missing', 'txt_missing']);

/** These say that a record is there under another name. */
const MISPLACED = new Set(['name_doubled', 'record_at_other_name']);

/** What is there beside what should be: names where the record is at the wrong one, otherwise values. */
export interface Comparison {
  found: readonly string[];
  expected: string;
  /** Whether `expected` is what is typed at the provider; a whole name may not be. */
  isTyped: boolean;
}

/** Null where there is nothing to compare. */
export function comparisonOf(finding: Finding, records: readonly RecordView[]): Comparison | null {
  const { code, name, seen = [], expected } = finding;
  const record = records.find((each) => each.record === finding.record);
  if (MISPLACED.has(code) && name !== undefined && record !== undefined) {
    return { found: [name], expected: record.name, isTyped: false };
  }
  if (expected === undefined) return null;
  const typed = records.find((each) => each.expected === expected)?.value ?? expected;
  return { found: seen, expected: typed, isTyped: true };
}

/** Undefined until a domain is known. */
export function viewOf(followed: Followed): View | undefined {
  const { domain, diagnosis } = followed;
  if (domain === null) return undefined;
  const records = domain.dnsRecords.map((record, at) =>
    viewRecord(record, at === 0 ? 'routing' : 'ownership', diagnosis),
  );
  const blocking = (diagnosis?.findings ?? []).filter(({ severity }) => severity === 'blocking');
  const finding = blocking.find(({ code }) => domain.status === 'verified' || !ABSENT.has(code)) ?? null;
  const stage = stageOf(followed, records, finding);
  return { stage, steps: stepsOf(stage), finding: SHOWS_FINDING.has(stage) ? finding : null, records };
}

const SHOWS_FINDING = new Set<Stage>(['fix', 'failed', 'certificate_blocked', 'live_at_risk']);

function stageOf({ domain, certificate }: Followed, records: RecordView[], finding: Finding | null): Stage {
  if (domain?.status === 'verified') {
    if (isServed(certificate)) return finding === null ? 'live' : 'live_at_risk';
    return certificate?.problem === undefined && certificate?.state !== 'waiting_for_routing'
      ? 'certificate'
      : 'certificate_blocked';
  }
  if (domain?.status === 'failed') return 'failed';
  if (finding !== null) return 'fix';
  const found = records.filter(isThere);
  const lacking = records.filter((record) => record.needed === 'yes' && !isThere(record));
  if (found.length === 0) return 'publish';
  return lacking.length === 0 ? 'confirming' : 'one_found';
}

function isThere({ state }: RecordView): boolean {
  return state === 'found' || state === 'hidden';
}

function stepsOf(stage: Stage): Steps {
  switch (stage) {
    case 'publish':
    case 'one_found':
      return { dns: 'current', verified: 'waiting', certificate: 'waiting', live: 'waiting' };
    case 'confirming':
      return { dns: 'done', verified: 'current', certificate: 'waiting', live: 'waiting' };
    case 'fix':
    case 'failed':
      return { dns: 'problem', verified: 'waiting', certificate: 'waiting', live: 'waiting' };
    case 'certificate':
      return { dns: 'done', verified: 'done', certificate: 'current', live: 'waiting' };
    case 'certificate_blocked':
      return { dns: 'done', verified: 'done', certificate: 'problem', live: 'waiting' };
    case 'live':
      return { dns: 'done', verified: 'done', certificate: 'done', live: 'done' };
    case 'live_at_risk':
      return { dns: 'problem', verified: 'done', certificate: 'done', live: 'problem' };
    default:
      return stage satisfies never;
  }
}

function viewRecord(
  { type, name, value, verified }: DnsRecord,
  record: RecordView['record'],
  diagnosis: Diagnosis | null,
): RecordView {
  const diagnosed = diagnosis?.records.find((each) => each.record === record);
  const seen = grouped(diagnosed?.seen ?? []);
  const codes = (diagnosis?.findings ?? []).filter((each) => each.record === record).map(({ code }) => code);
  const needed = diagnosed?.needed ?? 'yes';
  return {
    record,
    type,
    entered: diagnosed?.nameInZone ?? name,
    name,
    expected: value,
    value: diagnosed?.valueInZone ?? value,
    state: verified || diagnosed?.verified ? 'found' : stateOf(needed, seen, codes),
    needed,
    seen,
  };
}

function stateOf(needed: RecordView['needed'], seen: Seen[], codes: string[]): RecordState {
  if (needed === 'no') return 'not_needed';
  if (codes.includes('flattened') || codes.includes('proxied')) return 'hidden';
  if (seen.some(({ outcome }) => outcome === 'other' || outcome === 'matched')) return 'wrong';
  if (seen.some(({ outcome }) => outcome === 'absent')) return 'missing';
  return seen.length > 0 ? 'unreadable' : 'unknown';
}

const OUTCOMES: Partial<Record<DiagnosisRecord['seen'][number]['outcome'], Seen['outcome']>> = {
  matched: 'matched',
  other: 'other',
  changing: 'other',
  nxdomain: 'absent',
  nodata: 'absent',
};

/** Nameservers that say the same are shown together. */
function grouped(seen: DiagnosisRecord['seen']): Seen[] {
  const groups = new Map<string, Seen>();
  for (const { nameserver, outcome, values, cname = [] } of seen) {
    const all = [...values, ...cname];
    const kind = OUTCOMES[outcome] ?? 'unreadable';
    const key = JSON.stringify([kind, all]);
    const group = groups.get(key) ?? { outcome: kind, values: all, nameservers: [] };
    group.nameservers.push(nameserver);
    groups.set(key, group);
  }
  return [...groups.values()];
}
