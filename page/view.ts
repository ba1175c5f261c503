import type { Diagnosis, Domain, Finding } from '../client/client.ts';
import { UNREADY } from '../words/reasons.ts';
import { type ToldFinding, VOICE } from './languages/voice.ts';
import {
  ABSENT,
  type CaaView,
  isAbout,
  isExchange,
  isLacking,
  isThere,
  MISPLACED,
  type RecordView,
  type ToldDiagnosis,
  viewCaa,
  viewMoving,
  viewRecords,
} from './record-view.ts';
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
  /** The other name that a visitor may take for set up with this apex, where that is worth saying. */
  www: string | null;
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

/** Whether a record that routes is added or changed: it is not proxied. */
export function routes({ task, records }: Pick<View, 'task' | 'records'>): boolean {
  if (task === null || task.kind === 'delete') return false;
  return records.some((record) => record.isTask && record.record !== 'ownership' && !isThere(record));
}

/** Undefined until a domain is known. In the language of the page. */
export function viewOf(known: SetupState): View | undefined {
  const { domain } = known;
  if (domain === null) return undefined;
  const diagnosis = told(known.diagnosis);
  const records = viewRecords({ ...known, domain, diagnosis });
  const moving = viewMoving(domain, diagnosis, records);
  const findings = diagnosis?.findings ?? [];
  const mistake = mistakeIn(findings, records, domain);
  const stage = stageOf({ ...known, diagnosis }, records, mistake, moving);
  const finding = SHOWS_FINDING.has(stage) ? mistake : null;
  const caa = viewCaa(findings);
  const task = taskOf(stage, { finding, caa, diagnosis, records });
  return {
    stage,
    steps: stepsOf(stage, finding),
    finding,
    task,
    main: mainOf(stage, known) ?? panelOf(task),
    www: task?.kind === 'records' || stage === 'live' ? wwwOf(domain) : null,
    canCheck: CHECKED.has(stage),
    records: records.map((record) => inStage(record, stage, finding, task)),
    caa,
    moving,
  };
}

/** The first mistake to fix. */
function mistakeIn(
  findings: readonly ToldFinding[],
  records: readonly RecordView[],
  { status }: Domain,
): ToldFinding | null {
  // While checks run, what is absent is no mistake.
  const isOver = status === 'verified' || status === 'failed';
  const blocking = findings.find(({ severity, code }) => severity === 'blocking' && (isOver || !ABSENT.has(code)));
  // A record that is shown as wrong is the mistake to fix, even where another one is enough to prove the domain.
  const wrong = records.find(({ state, needed }) => needed === 'yes' && (state === 'wrong' || state === 'misplaced'));
  return blocking ?? wrong?.problem ?? null;
}

/** The record as the stage has it: whether the task is about it, and whether its problem is told beside it. */
function inStage(record: RecordView, stage: Stage, finding: Finding | null, task: Task | null): RecordView {
  const isTask = task !== null && isPartOf(stage, record, finding);
  // It is told above the records; a record that may stay for now, or is changed as planned, is no mistake.
  const isTold = record.problem === finding || stage === 'preparing' || stage === 'ready';
  // A change at this moment would leave visitors without a certificate.
  const isLater = stage === 'preparing' && record.record === 'routing';
  return { ...record, isTask, ...(isTold && { problem: null }), ...(isLater && { state: 'later' }) };
}

function panelOf(task: Task | null): MainButton | null {
  return task?.zone?.provider?.panel?.startsWith('https://') ? 'panel' : null;
}

/** An apex has no CNAME record. */
function wwwOf({ domain, dnsRecords: [routing] }: Domain): string | null {
  return routing?.type === 'ALIAS' ? `www.${domain}` : null;
}

function told(diagnosis: Diagnosis | null): ToldDiagnosis | null {
  return diagnosis && { ...diagnosis, findings: diagnosis.findings.map(VOICE.tellFinding) };
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

const SHOWS_FINDING = new Set<Stage>(['fix', 'failed', 'certificate_blocked', 'live_at_risk']);

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
