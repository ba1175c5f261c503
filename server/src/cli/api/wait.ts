import { clearScreenDown, moveCursor } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { type Clock, systemClock } from '../../base/clock.ts';
import { WINDOW_MS } from '../../domain/domain.ts';
import { paint, printable, shortDuration } from '../output/output.ts';
import { describeCertificate, type ShownCertificate } from '../output/show-certificate.ts';
import { describeFinding, type ShownDiagnosis, type ShownFinding } from '../output/show-diagnosis.ts';
import { paintStatus, progressTable, type ShownDomain } from '../output/show-domain.ts';
import { type ApiClient, ApiError, ServerUnreachable } from './api-client.ts';

const POLL_MS = 1000;
/** Longest pause between two polls, whatever Retry-After says. */
const MAX_POLL_MS = 60_000;
/** Polls of a domain between two of its findings, unless it has changed. */
const POLLS_PER_FINDINGS = 5;
/** Findings that are shown: what is redrawn has to fit on the terminal. */
const MOST_FINDINGS = 3;

const LOST = 'The server is unreachable; trying again.';

/** Shows the state of a domain or its certificate after each poll. `note`: why there is no newer state. */
export interface Progress {
  show(state: DomainState, note?: string): void;
  showCertificate(certificate: ShownCertificate, note?: string): void;
}

/** A domain, and the findings of the last check. */
export interface DomainState {
  domain: ShownDomain;
  findings: ShownFinding[];
  /** The stream has told them, with this state of the domain. */
  isTold?: boolean;
}

interface Waited {
  outcome: 'verified' | 'failed' | 'timed out';
  domain: ShownDomain;
}

interface WaitedForCertificate {
  /** `not wanted`: the domain is no longer verified. */
  outcome: 'issued' | 'not wanted' | 'timed out';
  certificate: ShownCertificate;
}

/**
 * Polls a domain until it is verified or failed, or until the deadline (Unix ms). After the first response, polls go on
 * while the server is unreachable or busy. Throws `CliError` for any other error of the API.
 */
export async function waitUntilVerified(
  api: Pick<ApiClient, 'call'>,
  name: string,
  progress: Progress,
  deadline: number,
): Promise<Waited> {
  const isOver = ({ domain: { status } }: DomainState) => status === 'verified' || status === 'failed';
  const { last } = await poll(domainReader(api, name), isOver, progress.show, deadline, systemClock);
  const { domain } = last;
  const { status } = domain;
  return { outcome: status === 'verified' || status === 'failed' ? status : 'timed out', domain };
}

/** Reads a domain, and its findings less often: they change with a check. */
function domainReader(api: Pick<ApiClient, 'call'>, name: string): () => Promise<DomainState> {
  let before: DomainState | undefined;
  let polls = 0;
  return async () => {
    const domain = await api.call<ShownDomain>('domains.getDomain', { domain: name });
    let findings = before?.findings ?? [];
    if (domain.updatedAt !== before?.domain.updatedAt || polls % POLLS_PER_FINDINGS === 0) {
      findings = (await findingsOf(api, name)) ?? findings;
    }
    polls += 1;
    before = { domain, findings };
    return before;
  };
}

/** The findings of the last check. Null where they cannot be read: the domain's own error is enough then. */
async function findingsOf(api: Pick<ApiClient, 'call'>, name: string): Promise<ShownFinding[] | null> {
  const diagnosis = await api
    .call<ShownDiagnosis>('domains.diagnoseDomain', { domain: name, cached: true })
    .catch(() => null);
  return diagnosis?.findings ?? null;
}

/**
 * Shows a domain with each change, and what the stream says that the checks have found; until it says anything, the
 * findings of the last check. Ends with `CliError`, such as when the domain
 * is deleted.
 */
export async function watchDomain(
  api: Pick<ApiClient, 'call' | 'watch'>,
  name: string,
  progress: Pick<Progress, 'show'>,
): Promise<void> {
  let last: DomainState | undefined;
  const onLost = () => {
    if (last !== undefined) progress.show(last, LOST);
  };
  let told: ShownFinding[] | undefined;
  const onDiagnosis = ({ findings }: { findings: ShownFinding[] }) => {
    told = findings;
  };
  for await (const domain of api.watch(name, onLost, onDiagnosis)) {
    const findings = told ?? (await findingsOf(api, name)) ?? [];
    last = { domain, findings, isTold: told !== undefined };
    progress.show(last);
  }
}

/**
 * Polls until a valid certificate is in use, the domain is no longer verified, or the deadline. A failed attempt does
 * not end it: it is retried.
 */
export async function waitUntilIssued(
  api: Pick<ApiClient, 'call'>,
  name: string,
  progress: Progress,
  deadline: number,
  clock: Clock = systemClock,
): Promise<WaitedForCertificate> {
  const read = () => api.call<ShownCertificate>('domains.getCertificate', { domain: name });
  const isServed = ({ issued }: ShownCertificate) => issued !== undefined && issued.notAfter > clock.now();
  const isOver = (certificate: ShownCertificate) => certificate.state === 'none' || isServed(certificate);
  const { last: certificate, over } = await poll(read, isOver, progress.showCertificate, deadline, clock);
  return { outcome: isServed(certificate) ? 'issued' : over ? 'not wanted' : 'timed out', certificate };
}

async function poll<T extends object>(
  read: () => Promise<T>,
  isOver: (value: T) => boolean,
  show: (value: T, note?: string) => void,
  deadline: number,
  clock: Clock,
): Promise<{ last: T; over: boolean }> {
  let last = await read();
  let [note, pauseMs]: [string | undefined, number] = [undefined, POLL_MS];
  for (;;) {
    show(last, note);
    if (isOver(last)) return { last, over: true };
    const leftMs = deadline - clock.now();
    if (leftMs <= 0) return { last, over: false };
    await sleep(Math.min(pauseMs, leftMs));
    try {
      last = await read();
      [note, pauseMs] = [undefined, POLL_MS];
    } catch (error) {
      [note, pauseMs] = retry(error);
    }
  }
}

/** The note to show and the pause before the next poll, for a temporary error; any other is thrown. */
function retry(error: unknown): [note: string, pauseMs: number] {
  if (error instanceof ServerUnreachable) return [LOST, POLL_MS];
  if (error instanceof ApiError && (error.status === 429 || error.status >= 500)) {
    const pauseMs = Math.min((error.retryAfter ?? 1) * 1000, MAX_POLL_MS);
    return [`The server returned status ${error.status}; trying again.`, pauseMs];
  }
  throw error;
}

/** Progress for people: redrawn in place on a terminal, otherwise printed again after a change. */
export function createProgress(output: NodeJS.WriteStream, windowMs = WINDOW_MS, clock: Clock = systemClock): Progress {
  let rows = 0;
  let before = '';

  /** `state`: without a terminal, the lines are printed again only when this changes. */
  function draw(lines: string[], state: unknown): void {
    const picture = [...lines, ''].join('\n');
    const change = output.isTTY ? picture : JSON.stringify(state);
    if (change === before) return;
    if (output.isTTY && rows > 0) {
      moveCursor(output, 0, -rows);
      clearScreenDown(output);
    }
    output.write(`${picture}\n`);
    rows = rowsOf(picture, output.columns);
    before = change;
  }

  const noted = (note: string | undefined) => (note === undefined ? [] : ['', paint('dim', note)]);

  return {
    show({ domain, findings }, note) {
      const leftMs = domain.createdAt + windowMs - clock.now();
      const { status, verificationError, dnsRecords } = domain;
      const reasons = status === 'verified' ? [] : reasonsOf(verificationError, findings);
      const lines = [headline(domain, leftMs), '', progressTable(dnsRecords), ...reasons, ...noted(note)];
      draw(lines, [status, dnsRecords, reasons, note]);
    },
    showCertificate(certificate, note) {
      const { state, problem, failures, selfCheck } = certificate;
      const lines = [describeCertificate(certificate, clock.now()), ...noted(note)];
      draw(lines, [state, problem?.message, failures, selfCheck?.answers, note]);
    },
  };
}

/** The findings of the last check, with the domain's own error where it says more, as at the end of the window. */
function reasonsOf(verificationError: string | undefined, findings: ShownFinding[]): string[] {
  const shown = findings.filter(({ severity }) => severity !== 'info');
  const isCovered = shown.some(({ message }) => verificationError?.startsWith(message));
  const own = verificationError === undefined || isCovered ? [] : ['', printable(verificationError)];
  const rest = shown.length - MOST_FINDINGS;
  return [
    ...own,
    ...shown.slice(0, MOST_FINDINGS).flatMap((finding) => ['', describeFinding(finding)]),
    ...(rest > 0 ? ['', paint('dim', `${rest} more: see "nameplate domains diagnose".`)] : []),
  ];
}

function headline({ domain, status }: ShownDomain, leftMs: number): string {
  const start = `${printable(domain)} is ${paintStatus(status)}`;
  if (status !== 'pending' && status !== 'verifying') return `${start}.`;
  // After domains.verifyDomain there is a new window, and the API does not return its end.
  const left = leftMs >= 1000 ? `; ${shortDuration(leftMs)} left` : '';
  return `${start}: ${status === 'pending' ? 'no check has completed yet' : 'its records are being checked'}${left}.`;
}

/** Rows of the terminal that a text takes. */
function rowsOf(text: string, columns: number): number {
  const lengths = text.split('\n').map((line) => [...stripVTControlCharacters(line)].length);
  return lengths.reduce((rows, length) => rows + Math.max(1, Math.ceil(length / columns)), 0);
}
