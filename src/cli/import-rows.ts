import type { Static } from 'typebox';
import type { OutcomeSchema } from '../api/domains/createDomains.ts';
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

/** `send` attaches up to 100 names to one environment. An environment that the API does not find costs the names in it, not the import. */
export function createImporter(send: (place: Place, names: string[]) => Promise<ShownOutcome[]>): Importer {
  const result: Imported = { created: 0, existing: 0, refusals: [] };
  const queues = new Map<string, PlacedRow[]>();
  const missing = new Map<string, string>();
  const lines = new Map<string, number>();

  function refuse(
    { line, domain }: Pick<PlacedRow, 'line' | 'domain'>,
    reason: string,
    status: number | '' = '',
  ): void {
    result.refusals.push({ line, domain, status, reason });
  }

  async function sendAll(key: string, rows: PlacedRow[]): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    try {
      // Names beyond the rate limit are sent again: `send` waits until the next window.
      for (let left = rows; left.length > 0; ) {
        const outcomes = await send(
          first.place,
          left.map(({ domain }) => domain),
        );
        left = left.filter((row, at) => !settle(row, outcomes[at]));
      }
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
      missing.set(key, error.detail);
      for (const row of rows) refuse(row, error.detail, 404);
    }
  }

  /** False: to be sent again. */
  function settle(row: PlacedRow, outcome: ShownOutcome | undefined): boolean {
    if (outcome === undefined) throw new Error('the API returned fewer outcomes than names');
    const { error, domainId } = outcome;
    if (error?.status === 429) return false;
    if (error === undefined) result.created += 1;
    else if (error.status === 409 && domainId !== undefined) result.existing += 1;
    else refuse(row, reasonOf(error), error.status);
    return true;
  }

  return {
    refuse: (row, reason) => refuse(row, reason),
    async add(row) {
      const name = canonicalName(row.domain) ?? row.domain;
      const line = lines.get(name);
      if (line !== undefined) return refuse(row, `The name is in line ${line} already.`);
      lines.set(name, row.line);
      const { project, app, environment } = row.place;
      const key = `${project} ${app} ${environment}`;
      const gone = missing.get(key);
      if (gone !== undefined) return refuse(row, gone, 404);
      const queue = queues.get(key) ?? [];
      queue.push(row);
      queues.set(key, queue);
      if (queue.length === BATCH) await sendAll(key, queue.splice(0));
    },
    async end() {
      for (const [key, queue] of queues) await sendAll(key, queue.splice(0));
      result.refusals.sort((a, b) => a.line - b.line);
      return result;
    },
  };
}

function reasonOf({ detail, errors = [] }: NonNullable<ShownOutcome['error']>): string {
  if (errors.length === 0) return detail;
  return errors.map(({ message, fix }) => (fix === undefined ? `${message}.` : `${message}; ${fix}.`)).join(' ');
}
