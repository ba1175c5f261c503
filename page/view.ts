import type { Diagnosis, DiagnosisRecord, DnsRecord, Finding } from '../client/client.ts';
import { type ToldFinding, VOICE } from './languages/voice.ts';
import { isServed, type SetupState } from './setup-state.ts';

/** Decides the content of the page. Pure. */

export type StepState = 'done' | 'current' | 'problem' | 'waiting';

/** The steps of the name, for the picture. */
export type Steps = Record<'dns' | 'verified' | 'certificate' | 'live', StepState>;

/** The step to take, or to wait for. */
export type Stage =
  /** No record is there. */
  | 'publish'
  /** One record is there, and another is needed. */
  | 'one_found'
  /** The service could not look. */
  | 'unseen'
  /** A mistake has to be fixed: waiting does not help. */
  | 'fix'
  /** The needed records were found; the checks that confirm them go on. */
  | 'confirming'
  /** The certificate is ordered before the name is moved here. */
  | 'preparing'
  /** It is there: the routing record may be changed. */
  | 'ready'
  /** Checks have ended without success. */
  | 'failed'
  | 'certificate'
  | 'certificate_blocked'
  | 'live'
  /** The domain is served, but its DNS leads elsewhere. */
  | 'live_at_risk';

export interface View {
  stage: Stage;
  steps: Steps;
  /** The first mistake to fix. */
  finding: ToldFinding | null;
  records: RecordView[];
  /** The CAA record that has to be added, for the certificate. */
  caa: CaaView | null;
  /** The optional record of a name that leads elsewhere: with it, the site stays up while it moves. Null: it is not offered. */
  moving: RecordView | null;
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

export type RecordState =
  | 'unknown'
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
  /** As the panel of the provider wants it; empty: nothing is entered. */
  entered: string;
  /** Fully qualified. */
  name: string;
  /** The exact value, and the text to type in the provider's panel. */
  expected: string;
  value: string;
  state: RecordState;
  needed: DiagnosisRecord['needed'];
  /** Values that were seen, each with the nameservers that have it. */
  seen: Seen[];
  /** The fix, where it does not stand above the records, and its language where it is not the page's. */
  fix: string;
  fixLang?: 'en';
  /** Records in its place, where the provider has none of this type. */
  instead: { type: 'A' | 'AAAA'; value: string }[];
}

export interface Seen {
  /** `leads_here`: addresses of the service, in place of the record. */
  outcome: 'matched' | 'leads_here' | 'other' | 'absent' | 'unreadable';
  values: string[];
  nameservers: string[];
}

/** These findings say that a record is not there yet: that is no mistake while checks run. */
const ABSENT = new Set(['record_missing', 'txt_missing', 'challenge_missing']);

/** These findings say that a record is there under another name. */
const MISPLACED = new Set(['name_doubled', 'record_at_other_name']);

/** The values that were found beside the expected one: names where the record is at the wrong one, otherwise values. */
export interface Comparison {
  found: readonly string[];
  /** The text to type at the provider; an empty name: the field stays empty. */
  expected: string;
}

/** Null where there is nothing to compare. */
export function comparisonOf({ code, name, seen = [], expected, action }: Finding): Comparison | null {
  // The parts of a CAA record are typed one by one: it has a card of its own.
  if (code === 'caa_forbids') return null;
  if (MISPLACED.has(code) && name !== undefined && action?.nameInZone !== undefined) {
    return { found: [name], expected: action.nameInZone };
  }
  return expected === undefined ? null : { found: seen, expected: action?.valueInZone ?? expected };
}

/** Undefined until a domain is known. In the language of the page. */
export function viewOf(seen: SetupState): View | undefined {
  const diagnosis = told(seen.diagnosis);
  const state = { ...seen, diagnosis };
  const { domain } = state;
  if (domain === null) return undefined;
  const findings = diagnosis?.findings ?? [];
  const blocking = findings.filter(({ severity }) => severity === 'blocking');
  // While checks run, what is absent is no mistake.
  const isOver = domain.status === 'verified' || domain.status === 'failed';
  const first = blocking.find(({ code }) => isOver || !ABSENT.has(code)) ?? null;
  const records = domain.dnsRecords.map((record, at) =>
    viewRecord(record, RECORDS[at] ?? 'challenge', { diagnosis, first }),
  );
  const moving = viewMoving(state, records);
  const stage = stageOf(state, records, first, moving);
  const finding = SHOWS_FINDING.has(stage) ? first : null;
  // A change at this moment would leave visitors without a certificate.
  if (stage === 'preparing' && records[0] !== undefined) records[0].state = 'later';
  return { stage, steps: stepsOf(stage), finding, records, caa: viewCaa(findings), moving };
}

type ToldState = SetupState & { diagnosis: ToldDiagnosis | null };
type ToldDiagnosis = Diagnosis & { findings: ToldFinding[] };

function told(diagnosis: Diagnosis | null): ToldDiagnosis | null {
  return diagnosis && { ...diagnosis, findings: diagnosis.findings.map(VOICE.tellFinding) };
}

/** Who sets up a name that leads nowhere has no use for it. */
function viewMoving({ domain, diagnosis }: ToldState, [routing]: RecordView[]): RecordView | null {
  const record = diagnosis?.challengeRecord;
  const isWaiting = domain?.status === 'pending' || domain?.status === 'verifying';
  if (!diagnosis || record === undefined || routing === undefined || !isWaiting) return null;
  const leadsElsewhere = routing.state === 'wrong' || routing.state === 'hidden';
  if (!leadsElsewhere && !record.verified) return null;
  const records = [{ ...record, needed: 'yes' as const }];
  const published = { ...record, type: 'CNAME' as const, value: record.expected };
  return viewRecord(published, 'challenge', { diagnosis: { ...diagnosis, records }, first: null });
}

const SHOWS_FINDING = new Set<Stage>(['fix', 'failed', 'certificate_blocked', 'live_at_risk']);

/** Null also where a record has to be deleted: then none is added. */
function viewCaa(findings: readonly Finding[]): CaaView | null {
  const { action, seen = [] } = findings.find(({ code }) => code === 'caa_forbids') ?? {};
  const { kind, name, nameInZone: entered = null, flags, tag, value } = action ?? {};
  if (kind !== 'add' || name === undefined || flags === undefined || tag === undefined || value === undefined)
    return null;
  return { name, entered, flags, tag, value, seen };
}

function stageOf(
  { domain, diagnosis, certificate }: SetupState,
  records: RecordView[],
  finding: Finding | null,
  moving: RecordView | null,
): Stage {
  if (domain?.status === 'verified') {
    if (isServed(certificate)) return finding === null ? 'live' : 'live_at_risk';
    const isBlocked = certificate?.problem !== undefined || certificate?.state === 'waiting_for_routing';
    // Shown before the first attempt too.
    return isBlocked || finding?.code === 'caa_forbids' || finding?.record === 'challenge'
      ? 'certificate_blocked'
      : 'certificate';
  }
  if (domain?.status === 'failed') return 'failed';
  if (isServed(certificate)) return 'ready';
  const [routing, ownership] = records;
  const isProved = ownership?.state === 'found' && routing?.state !== 'found';
  if (isProved && moving?.state === 'found') return 'preparing';
  if (finding !== null) return 'fix';
  if (diagnosis?.findings.some(({ code }) => code === 'resolvers_unreachable')) return 'unseen';
  const found = records.filter(isThere);
  if (found.length === 0) return 'publish';
  return records.every((record) => !isLacking(record)) ? 'confirming' : 'one_found';
}

/** Whether it has to be added, and is not there. */
export function isLacking(record: RecordView): boolean {
  return record.needed === 'yes' && !isThere(record);
}

export function isThere({ state }: RecordView): boolean {
  return state === 'found' || state === 'hidden';
}

function stepsOf(stage: Stage): Steps {
  switch (stage) {
    case 'publish':
    case 'one_found':
    case 'unseen':
      return { dns: 'current', verified: 'waiting', certificate: 'waiting', live: 'waiting' };
    case 'confirming':
      return { dns: 'done', verified: 'current', certificate: 'waiting', live: 'waiting' };
    case 'preparing':
      return { dns: 'waiting', verified: 'waiting', certificate: 'current', live: 'waiting' };
    case 'ready':
      return { dns: 'current', verified: 'waiting', certificate: 'done', live: 'waiting' };
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

/** `first`: the first mistake to fix. */
function viewRecord(
  { type, name, value, verified }: Pick<DnsRecord, 'type' | 'name' | 'value' | 'verified'>,
  record: RecordView['record'],
  { diagnosis, first }: { diagnosis: ToldDiagnosis | null; first: Finding | null },
): RecordView {
  const diagnosed = diagnosis?.records.find((each) => each.record === record);
  const findings = (diagnosis?.findings ?? ([] as ToldFinding[])).filter((each) => each.record === record);
  const codes = findings.map(({ code }) => code);
  const ours = findings.find(({ code }) => code === 'flattened')?.seen ?? [];
  const seen = grouped(diagnosed?.seen ?? [], ours);
  const needed = diagnosed?.needed ?? 'yes';
  const isToldAbove = first?.record === record;
  const more = findings.find(({ code, severity }) => severity === 'warning' && !ABSENT.has(code));
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
    fix: isToldAbove || more === undefined ? '' : more.fix,
    ...(more?.lang && { fixLang: more.lang }),
    instead: isToldAbove || more !== undefined ? [] : addressRecords(diagnosed?.addresses ?? []),
  };
}

function addressRecords(addresses: readonly string[]): RecordView['instead'] {
  return addresses.map((value) => ({ type: value.includes(':') ? 'AAAA' : 'A', value }));
}

function stateOf(needed: RecordView['needed'], seen: Seen[], codes: string[]): RecordState {
  if (needed === 'no') return 'not_needed';
  if (seen.length > 0 && seen.every(({ outcome }) => outcome === 'leads_here')) return 'found';
  if (codes.includes('proxied')) return 'hidden';
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
