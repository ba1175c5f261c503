import type { Static } from 'typebox';
import type { OutcomeSchema } from '../api/domains/createDomains.ts';
import type { InputViolation } from '../client/client.ts';
import { canonicalName } from '../domain/name.ts';
import { ApiError } from './api-client.ts';
import type { Refusal } from './domains-csv.ts';
import type { Level } from './tree-commands.ts';

/** Most names of one domains.createDomains. */
const BATCH = 100;

export type Place = Record<Level, string>;

/** A name, and the environment that it is attached to. */
export interface PlacedRow {
  line: number;
  domain: string;
  place: Place;
}

/** An outcome of domains.createDomains. */
export type ShownOutcome = Static<typeof OutcomeSchema>;

export interface Imported {
  created: number;
  /** The environment had them already. */
  existing: number;
  /** In order of lines. */
  refusals: Refusal[];
}

/** Attaches names: called again, it finds those of its own that are already there. */
export interface Importer {
  add(row: PlacedRow): Promise<void>;
  refuse(row: Pick<PlacedRow, 'line' | 'domain'>, reason: string): void;
  /** Sends what was added and not sent yet. */
  end(): Promise<Imported>;
}

/** Why an environment cannot be used. */
type Unusable = Pick<Refusal, 'status' | 'reason'>;

/** `send` attaches up to 100 names to one environment. Where the API refuses the request, only the rows that it refuses are lost, not the import. */
export function createImporter(send: (place: Place, names: string[]) => Promise<ShownOutcome[]>): Importer {
  const result: Imported = { created: 0, existing: 0, refusals: [] };
  const queues = new Map<string, PlacedRow[]>();
  const unusable = new Map<string, Unusable>();
  /** Lines of the names that are attached. */
  const attached = new Map<string, number>();
  /** The names in the queues, each with later rows that have it too: if it is refused, it may be attached to another environment. */
  const pending = new Map<string, PlacedRow[]>();

  function refuse(
    { line, domain }: Pick<PlacedRow, 'line' | 'domain'>,
    reason: string,
    status: number | '' = '',
  ): void {
    result.refusals.push({ line, domain, status, reason });
  }

  async function add(row: PlacedRow): Promise<void> {
    const name = nameOf(row);
    const line = attached.get(name);
    if (line !== undefined) return refuse(row, isIn(line));
    const later = pending.get(name);
    if (later !== undefined) {
      later.push(row);
      return;
    }
    const key = keyOf(row);
    const why = unusable.get(key);
    if (why !== undefined) return refuse(row, why.reason, why.status);
    pending.set(name, []);
    const queue = queues.get(key) ?? [];
    queue.push(row);
    queues.set(key, queue);
    if (queue.length === BATCH) await flush(queue);
  }

  async function flush(queue: PlacedRow[]): Promise<void> {
    const rows = queue.splice(0);
    await sendAll(rows);
    for (const row of rows) {
      const later = pending.get(nameOf(row)) ?? [];
      pending.delete(nameOf(row));
      for (const other of later) {
        if (keyOf(other) === keyOf(row)) refuse(other, isIn(row.line));
        else await add(other);
      }
    }
  }

  async function sendAll(rows: PlacedRow[]): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    const names = rows.map(({ domain }) => domain);
    const outcomes = await send(first.place, names).catch((error: unknown) => {
      const scope = scopeOf(error);
      if (scope === null) throw error;
      return { error: error as ApiError, scope };
    });
    // Names beyond the rate limit are sent again: `send` waits until the next window.
    if (Array.isArray(outcomes)) return sendAll(rows.filter((row, at) => !settle(row, outcomes[at])));
    const { error, scope } = outcomes;
    if (scope === 'environment') unusable.set(keyOf(first), { status: error.status, reason: reasonOf(error) });
    if (scope === 'environment' || rows.length === 1) {
      for (const row of rows) refuse(row, reasonOf(error), error.status);
      return;
    }
    const half = Math.ceil(rows.length / 2);
    await sendAll(rows.slice(0, half));
    await sendAll(rows.slice(half));
  }

  /** False: to be sent again. */
  function settle(row: PlacedRow, outcome: ShownOutcome | undefined): boolean {
    if (outcome === undefined) throw new Error('the API returned fewer outcomes than names');
    const { error, domainId } = outcome;
    if (error?.status === 429) return false;
    const isHere = error?.status === 409 && domainId !== undefined;
    if (error === undefined) result.created += 1;
    else if (isHere) result.existing += 1;
    else refuse(row, reasonOf(error), error.status);
    if (error === undefined || isHere) attached.set(nameOf(row), row.line);
    return true;
  }

  return {
    refuse,
    add,
    async end() {
      while (pending.size > 0) for (const queue of queues.values()) await flush(queue);
      result.refusals.sort((a, b) => a.line - b.line);
      return result;
    },
  };
}

function nameOf({ domain }: PlacedRow): string {
  return canonicalName(domain) ?? domain;
}

function keyOf({ place: { project, app, environment } }: PlacedRow): string {
  return JSON.stringify([project, app, environment]);
}

function isIn(line: number): string {
  return `The name is in line ${line} already.`;
}

/** What an error of a request is about: its environment, which is not there or has no valid name, or one of its names; null: neither. */
function scopeOf(error: unknown): 'environment' | 'names' | null {
  if (!(error instanceof ApiError)) return null;
  if (error.status === 404) return 'environment';
  if (error.status === 413) return 'names';
  if (error.status !== 400) return null;
  const parts = error.errors.map(({ location }) => location.split('.')[1] ?? '');
  if (parts.some((part) => ['project', 'app', 'environment'].includes(part))) return 'environment';
  return parts.includes('domains') ? 'names' : null;
}

function reasonOf({ detail, errors = [] }: { detail: string; errors?: readonly InputViolation[] }): string {
  if (errors.length === 0) return detail;
  return errors.map((violation) => `${ruleOf(violation)}.`).join(' ');
}

function ruleOf({ location, message, fix }: InputViolation): string {
  const [, part = ''] = location.split('.');
  const rule = ['project', 'app', 'environment'].includes(part) ? `The ${part} ${message}` : message;
  return fix === undefined ? rule : `${rule}; ${fix}`;
}
