import { clearScreenDown, moveCursor } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { type Clock, systemClock } from '../clock.ts';
import { WINDOW_MS } from '../domains/domain.ts';
import { ApiFailure, type Server, Unreachable } from './api.ts';
import { type Domain, paintStatus, progressTable } from './domain.ts';
import { harmless, paint, span } from './output.ts';

const POLL_MS = 1000;
/** Longest time between two polls, however long the server asks to wait. */
const MAX_POLL_MS = 60_000;

/** Shows how far a domain is, over and over. */
export interface Progress {
  show(domain: Domain, note?: string): void;
}

export interface Waited {
  outcome: 'verified' | 'failed' | 'timed out';
  domain: Domain;
}

/**
 * Polls a domain until it is verified or failed, or `timeoutMs` has passed. Once the domain has been read, a server that is away or
 * asks for patience is asked again. Throws `Failure` for anything else that the server refuses.
 */
export async function waitUntilVerified(
  server: Server,
  name: string,
  progress: Progress,
  timeoutMs = Number.POSITIVE_INFINITY,
  clock: Clock = systemClock,
): Promise<Waited> {
  const givesUpAt = clock.now() + timeoutMs;
  const read = () => server.call<Domain>('domains.getDomain', { domain: name });
  let domain = await read();
  for (;;) {
    progress.show(domain);
    const { status } = domain;
    if (status === 'verified' || status === 'failed') return { outcome: status, domain };
    let pauseMs = POLL_MS;
    for (;;) {
      const leftMs = givesUpAt - clock.now();
      if (leftMs <= 0) return { outcome: 'timed out', domain };
      await sleep(Math.min(pauseMs, leftMs));
      const next = await read().catch(patience);
      if (!('afterMs' in next)) {
        domain = next;
        break;
      }
      pauseMs = Math.min(next.afterMs, MAX_POLL_MS);
      progress.show(domain, next.note);
    }
  }
}

/** How long to wait after a refusal that passes by itself; throws any other again. */
function patience(error: unknown): { afterMs: number; note: string } {
  if (error instanceof Unreachable)
    return { afterMs: POLL_MS, note: 'The server cannot be reached at the moment; trying again.' };
  if (error instanceof ApiFailure && (error.status === 429 || error.status >= 500)) {
    return { afterMs: (error.retryAfter ?? 1) * 1000, note: 'The server asked for patience; trying again.' };
  }
  throw error;
}

/** Progress for people: redrawn in place on a terminal, otherwise printed again when something changed. */
export function createProgress(output: NodeJS.WriteStream, windowMs = WINDOW_MS, clock: Clock = systemClock): Progress {
  let rows = 0;
  let before = '';
  return {
    show(domain, note) {
      const leftMs = domain.createdAt + windowMs - clock.now();
      const picture = [headline(domain, leftMs), '', ...body(domain, note), ''].join('\n');
      // Off a terminal the passing of time alone is no change.
      const change = output.isTTY
        ? picture
        : JSON.stringify([domain.status, domain.verificationError, domain.dnsRecords, note]);
      if (change === before) return;
      if (output.isTTY && rows > 0) {
        moveCursor(output, 0, -rows);
        clearScreenDown(output);
      }
      output.write(`${picture}\n`);
      rows = rowsOf(picture, output.columns);
      before = change;
    },
  };
}

function headline({ domain, status }: Domain, leftMs: number): string {
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

function body({ dnsRecords, verificationError }: Domain, note: string | undefined): string[] {
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
