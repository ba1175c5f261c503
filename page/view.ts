import type { Diagnosis, DiagnosisRecord, DnsRecord, Finding } from '../client/client.ts';
import { UNREADY } from '../words/reasons.ts';
import { type ToldFinding, VOICE } from './languages/voice.ts';
import { isServed, type SetupState } from './setup-state.ts';

/** Decides the content of the page: header, steps, buttons and cards follow from one state. Pure. */

export type StepState = 'done' | 'current' | 'problem' | 'waiting';

/** The steps of the name, in the order of the properties: a name that moves gets its certificate first. */
export type Steps = Record<'dns' | 'certificate' | 'live', StepState>;

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
  /** Something outside the service keeps the certificate from being issued. */
  | 'certificate_blocked'
  /** The certificate authority did not issue it: the platform has to find out why. */
  | 'certificate_refused'
  | 'live'
  /** The domain is served, but its DNS leads elsewhere. */
  | 'live_at_risk';

export interface View {
  stage: Stage;
  steps: Steps;
  /** The first mistake to fix. */
  finding: ToldFinding | null;
  /** The visitor's change at the DNS provider; null: there is none. */
  task: Task | null;
  main: MainButton | null;
  /** Whether a check can be asked for, and is of use. */
  canCheck: boolean;
  records: RecordView[];
  /** The CAA record that has to be added, for the certificate. */
  caa: CaaView | null;
  /** The optional record of a name that leads elsewhere: with it, the site stays up while it moves. Null: it is not offered. */
  moving: RecordView | null;
}

/** `panel`: opens the provider's website. `restart`: starts the checks again. `visit`: opens the site. */
export type MainButton = 'panel' | 'restart' | 'visit' | 'support';

export interface Task {
  /** The change to make. `records`: those that are shown are added. `caa`: a CAA record is added beside others. */
  kind: 'records' | 'add' | 'change' | 'rename' | 'exchange' | 'replace' | 'delete' | 'caa' | 'told';
  /** Type of the record. */
  type: string;
  /** How many records have something to be replaced. */
  count: number;
  /** Types of the records that are deleted before. */
  removes: readonly string[];
  /** Types of the records that are not there yet, and are added besides. */
  adds: readonly string[];
  /** The TXT record is enough where a proxy of the visitor has the address. */
  mayKeep: boolean;
  /** The zone of the record at its provider; null: not known yet. */
  zone: NonNullable<Diagnosis['zone']> | null;
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

/** These findings say that a record is not there yet: that is no mistake while checks run. */
const ABSENT = new Set(['record_missing', 'txt_missing', 'challenge_missing']);

/** These findings say that a record is there under another name. */
const MISPLACED = new Set(['name_doubled', 'record_at_other_name']);

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

/** Undefined until a domain is known. In the language of the page. */
export function viewOf(seen: SetupState): View | undefined {
  const diagnosis = told(seen.diagnosis);
  const state = { ...seen, diagnosis };
  const { domain } = state;
  if (domain === null) return undefined;
  const findings = diagnosis?.findings ?? [];
  // While checks run, what is absent is no mistake.
  const isOver = domain.status === 'verified' || domain.status === 'failed';
  const blocking = findings.filter(({ severity }) => severity === 'blocking');
  const records = domain.dnsRecords.map((record, at) => viewRecord(record, RECORDS[at] ?? 'challenge', state));
  const first =
    blocking.find(({ code }) => isOver || !ABSENT.has(code)) ??
    // A record that is shown as wrong is the mistake to fix, even where another one is enough to prove the domain.
    records.find(({ state, needed }) => needed === 'yes' && (state === 'wrong' || state === 'misplaced'))?.problem ??
    null;
  const moving = viewMoving(state, records);
  const stage = stageOf(state, records, first, moving);
  const finding = SHOWS_FINDING.has(stage) ? first : null;
  const caa = viewCaa(findings);
  const task = taskOf(stage, { finding, caa, diagnosis, records });
  for (const record of records) {
    record.isTask = task !== null && isPartOf(stage, record, finding);
    // It is told above the records; a record that may stay for now, or is changed as planned, is no mistake.
    // A CAA record has a card of its own, and is no fault of another record at its name.
    const isToldElsewhere = record.problem?.code === finding?.code || record.problem?.code === 'caa_forbids';
    if (isToldElsewhere || stage === 'preparing' || stage === 'ready') record.problem = null;
  }
  // A change at this moment would leave visitors without a certificate.
  if (stage === 'preparing' && records[0] !== undefined) records[0].state = 'later';
  const steps = stepsOf(stage, finding);
  const panel = task?.zone?.provider?.panel?.startsWith('https://') ? 'panel' : null;
  const main = mainOf(stage, state) ?? panel;
  return { stage, steps, finding, task, main, canCheck: CHECKED.has(stage), records, caa, moving };
}

/** Stages with a mistake to fix, or records that are checked. */
const CHECKED = new Set<Stage>([
  'publish',
  'one_found',
  'unseen',
  'fix',
  'confirming',
  'preparing',
  'ready',
  'failed',
  'certificate_blocked',
  'live_at_risk',
]);

function mainOf(stage: Stage, { domain, brand }: SetupState): MainButton | null {
  if (stage === 'failed') return 'restart';
  if (stage === 'live') return domain?.domain.startsWith('*.') ? null : 'visit';
  return stage === 'certificate_refused' && isContact(brand.support) ? 'support' : null;
}

/** Whether it is an address that may be linked to. */
export function isContact(address: string | undefined): address is string {
  return /^(mailto|https):/.test(address ?? '');
}

/** Records that are to be added together; one that is there shows how far the visitor is. */
const ADDS = new Set<Stage>(['publish', 'one_found', 'failed']);

function isPartOf(stage: Stage, record: RecordView, finding: Finding | null): boolean {
  if (stage === 'ready') return record.record === 'routing';
  if (ADDS.has(stage)) return record.needed !== 'no';
  const isOffered = stage === 'fix' && record.needed === 'alternative';
  return isAbout(finding, record) || ((record.needed === 'yes' || isOffered) && !isThere(record));
}

function isAbout(finding: Finding | null, { record, name }: Pick<RecordView, 'record' | 'name'>): boolean {
  if (finding === null) return false;
  return finding.record === record || finding.action?.name === name || finding.second?.name === name;
}

/** Each of the two records is at the name of the other. */
function isExchange({ code, second }: Finding): boolean {
  return code === 'records_swapped' && second !== undefined;
}

/** Changes of a record in its zone. */
const RECORD_KINDS = ['add', 'change', 'replace', 'delete'] as const;

/** The fix of these says more than the fields of the record do. */
const TOLD = new Set([
  'challenge_proxied',
  'conflicting_records',
  'held_elsewhere',
  'nameservers_disagree',
  'other_certificate',
  'proxied',
  'tls_unreachable',
]);

interface TaskSource {
  finding: ToldFinding | null;
  caa: CaaView | null;
  diagnosis: Diagnosis | null;
  records: readonly RecordView[];
}

function taskOf(stage: Stage, { finding, caa, diagnosis, records }: TaskSource): Task | null {
  const zone = diagnosis?.zone ?? null;
  const count = records.filter(({ was }) => was !== null).length;
  const mayKeep = finding?.code === 'address_instead_of_cname' && finding.second !== undefined;
  const addedCaa = caa === null || finding?.code === 'caa_forbids' ? [] : ['CAA'];
  const task = (kind: Task['kind'], type = '', removes: readonly string[] = []) => ({
    kind,
    type,
    count,
    removes,
    adds: stage === 'fix' && !mayKeep && !ADDING.has(kind) ? [...absentOf(records, finding), ...addedCaa] : [],
    mayKeep,
    zone,
  });
  if (stage === 'ready') {
    const [routing] = records;
    // At the apex an address may stand for an ALIAS record.
    const isReplaced = routing?.type === 'CNAME' && leadsToAddresses(routing);
    return isReplaced ? task('replace', 'CNAME', ['A', 'AAAA']) : task('change', routing?.type);
  }
  if (stage === 'confirming') return caa === null ? null : task('caa', 'CAA');
  if (ADDS.has(stage) && (finding === null || ABSENT.has(finding.code))) return task('records');
  const { kind, at, type = '', removes = [] } = finding?.action ?? {};
  const change = RECORD_KINDS.find((each) => each === kind);
  if (finding === null || at !== 'zone' || change === undefined) return null;
  if (finding.code === 'caa_forbids' && change === 'add') return task('caa', type);
  if (isExchange(finding)) return task('exchange', type);
  if (TOLD.has(finding.code)) return task('told', type);
  return task(MISPLACED.has(finding.code) && change === 'change' ? 'rename' : change, type, removes);
}

/** Their sentence names the records to add itself. */
const ADDING = new Set<Task['kind']>(['add', 'told']);

/** Beside the record that the finding is about, which may be there as another type. */
function absentOf(records: readonly RecordView[], finding: Finding | null): string[] {
  const isAbsent = (record: RecordView) => isLacking(record) && record.state === 'missing';
  const isOther = ({ record, name }: RecordView) => finding?.record !== record && finding?.action?.name !== name;
  return records.filter((record) => isAbsent(record) && isOther(record)).map(({ type }) => type);
}

function leadsToAddresses({ seen }: RecordView): boolean {
  const values = seen.flatMap((each) => (each.outcome === 'other' ? each.values : []));
  return values.length > 0 && values.every((value) => /^[\d.]+$|:/.test(value));
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
  const shown = viewRecord(published, 'challenge', { domain, diagnosis: { ...diagnosis, records }, certificate: null });
  return { ...shown, isTask: true };
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
    // Proved by the TXT record, while visitors still get another server.
    const isElsewhere = records[0]?.state === 'wrong' && domain.verificationError !== undefined;
    if (isServed(certificate) && finding === null && isElsewhere) return 'ready';
    if (isServed(certificate)) return finding === null ? 'live' : 'live_at_risk';
    const { problem } = certificate ?? {};
    const isOutside =
      problem !== undefined ? UNREADY.has(problem.reason) : certificate?.state === 'waiting_for_routing';
    // Shown before the first attempt too.
    if (isOutside || finding?.code === 'caa_forbids' || finding?.record === 'challenge') return 'certificate_blocked';
    if (problem === undefined) return 'certificate';
    return finding === null ? 'certificate_refused' : 'certificate_blocked';
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

/** A line without a gap: what is done, then one step, then what waits. */
function stepsOf(stage: Stage, finding: Finding | null): Steps {
  switch (stage) {
    case 'publish':
    case 'one_found':
    case 'unseen':
    case 'confirming':
      return { dns: 'current', certificate: 'waiting', live: 'waiting' };
    case 'preparing':
      return { certificate: 'current', dns: 'waiting', live: 'waiting' };
    case 'ready':
      return { certificate: 'done', dns: 'current', live: 'waiting' };
    case 'fix':
    case 'failed':
      return { dns: 'problem', certificate: 'waiting', live: 'waiting' };
    case 'certificate':
    case 'certificate_refused':
      return { dns: 'done', certificate: 'current', live: 'waiting' };
    case 'certificate_blocked':
      return finding === null
        ? { dns: 'done', certificate: 'problem', live: 'waiting' }
        : { dns: 'problem', certificate: 'waiting', live: 'waiting' };
    case 'live':
      return { dns: 'done', certificate: 'done', live: 'done' };
    case 'live_at_risk':
      return { dns: 'done', certificate: 'done', live: 'problem' };
    default:
      return stage satisfies never;
  }
}

function viewRecord(
  { type, name, value, verified }: Pick<DnsRecord, 'type' | 'name' | 'value' | 'verified'>,
  record: RecordView['record'],
  { diagnosis, certificate }: Pick<ToldState, 'domain' | 'diagnosis' | 'certificate'>,
): RecordView {
  const diagnosed = diagnosis?.records.find((each) => each.record === record);
  const findings = (diagnosis?.findings ?? []).filter((each) => isAbout(each, { record, name }));
  const ours = findings.find(({ code }) => code === 'flattened')?.seen ?? [];
  // A finding about the TXT record, and yet the reason why the routing record cannot be read back.
  const isHidden = record === 'routing' && diagnosis?.findings.some(({ code }) => code === 'proxied_without_txt');
  const seen = grouped(diagnosed?.seen ?? [], ours);
  const needed = diagnosed?.needed ?? 'yes';
  const problem = findings.find(({ severity, code }) => severity !== 'info' && !ABSENT.has(code)) ?? null;
  // Once the domain is verified, it stays so for a while without its records.
  const isSeen = diagnosis?.status === 'verified' && seen.length > 0;
  const isFound = diagnosed?.verified || (verified && !isSeen);
  const state = isFound ? 'found' : isHidden ? 'hidden' : stateOf(needed, seen, findings);
  const isLive = diagnosis?.status === 'verified' && isServed(certificate);
  const comparison = problem === null ? null : comparisonOf(problem);
  const isOwn = problem?.record === record && !isExchange(problem);
  const found = (isOwn && comparison?.found) || [];
  return {
    record,
    type,
    entered: diagnosis?.zone === undefined ? null : (diagnosed?.nameInZone ?? name),
    name,
    expected: value,
    // Where the provider was seen to append the zone, the finding has the dot that prevents it.
    value: (isOwn ? problem?.action?.valueInZone : undefined) ?? diagnosed?.valueInZone ?? value,
    state: state === 'missing' && needed === 'yes' && isLive ? 'gone' : state,
    needed,
    seen,
    problem,
    was: comparison !== null && found.length > 0 ? { field: comparison.field, found } : null,
    isTask: false,
    instead:
      problem === null ? addressRecords(diagnosed?.addresses ?? []) : addressRecords(problem.action?.addresses ?? []),
  };
}

function addressRecords(addresses: readonly string[]): RecordView['instead'] {
  return addresses.map((value) => ({ type: value.includes(':') ? 'AAAA' : 'A', value }));
}

function stateOf(needed: RecordView['needed'], seen: Seen[], findings: readonly Finding[]): RecordState {
  if (needed === 'no') return 'not_needed';
  if (seen.length > 0 && seen.every(({ outcome }) => outcome === 'leads_here')) return 'found';
  if (findings.some(({ code }) => code === 'proxied')) return 'hidden';
  if (findings.some((finding) => MISPLACED.has(finding.code) || isExchange(finding))) return 'misplaced';
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
