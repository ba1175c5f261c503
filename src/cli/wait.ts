import { clearScreenDown, moveCursor } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { type Clock, systemClock } from '../clock.ts';
import { WINDOW_MS } from '../domain/domain.ts';
import { type ApiClient, ApiError, ServerUnreachable } from './api-client.ts';
import { harmless, paint, span } from './output.ts';
import { describeCertificate, type ShownCertificate } from './show-certificate.ts';
import { paintStatus, progressTable, type ShownDomain } from './show-domain.ts';

const POLL_MS = 1000;
/** Longest time between two polls, however long the server asks to wait. */
const MAX_POLL_MS = 60_000;

/** Shows how far a domain or its certificate is, over and over. */
export interface Progress {
  show(domain: ShownDomain, note?: string): void;
  showCertificate(certificate: ShownCertificate, note?: string): void;
}

export interface Waited {
  outcome: 'verified' | 'failed' | 'timed out';
  domain: ShownDomain;
}

export interface WaitedForCertificate {
  /** `not wanted`: the domain is verified no longer. */
  outcome: 'issued' | 'not wanted' | 'timed out';
  certificate: ShownCertificate;
}

/** When waiting ends without what was waited for. */
export interface Patience {
  givesUpAt: number;
  clock: Clock;
}

/** Without a time, for ever. */
export function patienceOf(timeoutMs = Number.POSITIVE_INFINITY, clock: Clock = systemClock): Patience {
  return { givesUpAt: clock.now() + timeoutMs, clock };
}

/**
 * Polls a domain until it is verified or failed, or the patience ends. Once the domain has been read, a server that is away or asks for
 * patience is asked again. Throws `CliError` for anything else that the server refuses.
 */
export async function waitUntilVerified(
  server: Pick<ApiClient, 'call'>,
  name: string,
  progress: Progress,
  patience = patienceOf(),
): Promise<Waited> {
  const read = () => server.call<ShownDomain>('domains.getDomain', { domain: name });
  const isOver = ({ status }: ShownDomain) => status === 'verified' || status === 'failed';
  const { last: domain } = await poll(read, isOver, progress.show, patience);
  const { status } = domain;
  return { outcome: status === 'verified' || status === 'failed' ? status : 'timed out', domain };
}

/** Likewise until a certificate is in use that is good at present. One that could not be issued is tried again, so that is no end. */
export async function waitUntilIssued(
  server: Pick<ApiClient, 'call'>,
  name: string,
  progress: Progress,
  patience = patienceOf(),
): Promise<WaitedForCertificate> {
  const read = () => server.call<ShownCertificate>('domains.getCertificate', { domain: name });
  const isServed = ({ issued }: ShownCertificate) => issued !== undefined && issued.notAfter > patience.clock.now();
  const isOver = (certificate: ShownCertificate) => certificate.state === 'none' || isServed(certificate);
  const { last: certificate, over } = await poll(read, isOver, progress.showCertificate, patience);
  return { outcome: isServed(certificate) ? 'issued' : over ? 'not wanted' : 'timed out', certificate };
}

async function poll<T extends object>(
  read: () => Promise<T>,
  isOver: (value: T) => boolean,
  show: (value: T, note?: string) => void,
  { givesUpAt, clock }: Patience,
): Promise<{ last: T; over: boolean }> {
  let last = await read();
  for (;;) {
    show(last);
    if (isOver(last)) return { last, over: true };
    let pauseMs = POLL_MS;
    for (;;) {
      const leftMs = givesUpAt - clock.now();
      if (leftMs <= 0) return { last, over: false };
      await sleep(Math.min(pauseMs, leftMs));
      const next = await read().catch(afterRefusal);
      if (!(next instanceof TryAgain)) {
        last = next;
        break;
      }
      pauseMs = Math.min(next.afterMs, MAX_POLL_MS);
      show(last, next.note);
    }
  }
}

class TryAgain {
  readonly afterMs: number;
  readonly note: string;

  constructor(afterMs: number, note: string) {
    this.afterMs = afterMs;
    this.note = note;
  }
}

/** How long to wait after a refusal that passes by itself; throws any other again. */
function afterRefusal(error: unknown): TryAgain {
  if (error instanceof ServerUnreachable)
    return new TryAgain(POLL_MS, 'The server cannot be reached at the moment; trying again.');
  if (error instanceof ApiError && (error.status === 429 || error.status >= 500)) {
    return new TryAgain((error.retryAfter ?? 1) * 1000, 'The server asked for patience; trying again.');
  }
  throw error;
}

/** Progress for people: redrawn in place on a terminal, otherwise printed again when something changed. */
export function createProgress(output: NodeJS.WriteStream, windowMs = WINDOW_MS, clock: Clock = systemClock): Progress {
  let rows = 0;
  let before = '';

  /** `about`: what makes it another picture, where the passing of time alone is no change. */
  function draw(lines: string[], about: unknown): void {
    const picture = [...lines, ''].join('\n');
    const change = output.isTTY ? picture : JSON.stringify(about);
    if (change === before) return;
    if (output.isTTY && rows > 0) {
      moveCursor(output, 0, -rows);
      clearScreenDown(output);
    }
    output.write(`${picture}\n`);
    rows = rowsOf(picture, output.columns);
    before = change;
  }

  return {
    show(domain, note) {
      const leftMs = domain.createdAt + windowMs - clock.now();
      const { status, verificationError, dnsRecords } = domain;
      draw([headline(domain, leftMs), '', ...body(domain, note)], [status, verificationError, dnsRecords, note]);
    },
    showCertificate(certificate, note) {
      const { state, problem, failures, selfCheck } = certificate;
      const noted = note === undefined ? [] : ['', paint('dim', note)];
      const about = [state, problem?.message, failures, selfCheck?.answers, note];
      draw([describeCertificate(certificate, clock.now()), ...noted], about);
    },
  };
}

function headline({ domain, status }: ShownDomain, leftMs: number): string {
  const name = harmless(domain);
  switch (status) {
    case 'pending':
    case 'verifying': {
      // After a retry the window is a new one, whose end the API does not tell.
      const left = leftMs > 0 ? `; ${span(leftMs)} left` : '';
      const meaning = status === 'pending' ? 'no check has completed yet' : 'its records are being checked';
      return `${name} is ${paintStatus(status)}: ${meaning}${left}.`;
    }
    case 'verified':
    case 'failed':
      return `${name} is ${paintStatus(status)}.`;
    default:
      return status satisfies never;
  }
}

function body({ dnsRecords, verificationError }: ShownDomain, note: string | undefined): string[] {
  const lines = [progressTable(dnsRecords)];
  if (verificationError !== undefined) lines.push('', harmless(verificationError));
  if (note !== undefined) lines.push('', paint('dim', note));
  return lines;
}

/** Rows of the terminal that a text takes. */
function rowsOf(text: string, columns: number): number {
  const lengths = text.split('\n').map((line) => [...stripVTControlCharacters(line)].length);
  return lengths.reduce((rows, length) => rows + Math.max(1, Math.ceil(length / columns)), 0);
}
