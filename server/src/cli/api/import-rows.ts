import type { Static } from 'typebox';
import type { InputViolation } from '../../../../client/client.ts';
import type { BroughtFiles } from '../../api/domains/brought-certificate.ts';
import type { OutcomeSchema } from '../../api/domains/createDomains.ts';
import { canonicalName } from '../../domain/name.ts';
import { ApiError } from './api-client.ts';
import type { ImportedData, Refusal } from './domains-csv.ts';
import type { Level } from './tree-commands.ts';

/** Most names of one domains.createDomains. */
const BATCH = 100;
/** Most bytes of their items, below the API's limit of a body. A single item is never larger. */
const LARGEST_BATCH = 900_000;

export type Place = { [L in Level]?: string | undefined } & { environment: string };

/** A name, and the environment that it is attached to. */
export interface PlacedRow {
  line: number;
  domain: string;
  own?: Omit<NewDomain, 'domain'>;
  place: Place;
}

/** An item of domains.createDomains. */
export type NewDomain = ImportedData & { domain: string; target?: string; certificate?: BroughtFiles };

/** An outcome of domains.createDomains. */
export type ShownOutcome = Static<typeof OutcomeSchema>;

export interface Imported {
  created: number;
  /** The names that the environment had already. */
  existing: number;
  /** In order of lines. */
  refusals: Refusal[];
}

/** Hooks into an import, for each row. */
export interface ImportHooks<Row> {
  /** The name was attached, was there already, or would be. */
  attached?(row: Row, outcome: ShownOutcome): Promise<void>;
  /** Takes a refusal, which is then not in `Imported`. */
  refused?(refusal: Refusal): void;
  /** The API refused the certificate of a name, which is sent again without. */
  stripped?(row: Row, refusal: Refusal): void;
}

/** Attaches names. A second call finds the names of the first already there. */
export interface Importer<Row> {
  add(row: Row): Promise<void>;
  refuse(row: Pick<PlacedRow, 'line' | 'domain'>, reason: string): void;
  /** Sends the rows that were added and not sent yet. */
  end(): Promise<Imported>;
}

/**
 * `send` attaches up to 100 names to one environment. Where the API refuses a request, its rows are lost, not the
 * import.
 */
export function createImporter<Row extends PlacedRow = PlacedRow>(
  send: (place: Place, domains: NewDomain[]) => Promise<ShownOutcome[]>,
  { attached, refused, stripped }: ImportHooks<Row> = {},
): Importer<Row> {
  const result: Imported = { created: 0, existing: 0, refusals: [] };
  const queues = new Map<string, { rows: Row[]; bytes: number }>();
  /** By canonical name. */
  const lines = new Map<string, number>();

  function refuse(
    { line, domain }: Pick<PlacedRow, 'line' | 'domain'>,
    reason: string,
    status: number | '' = '',
  ): void {
    const refusal = { line, domain, status, reason };
    if (refused === undefined) result.refusals.push(refusal);
    else refused(refusal);
  }

  /** False: only its certificate was refused, so the row is to be sent again. */
  function fail(row: Row, error: Reasons, status: number): boolean {
    const reason = reasonOf(error);
    const isOfCertificate = error.errors?.some(({ location }) => OF_CERTIFICATE.test(location));
    if (row.own?.certificate === undefined || !isOfCertificate) {
      refuse(row, reason, status);
      return true;
    }
    delete row.own.certificate;
    stripped?.(row, { line: row.line, domain: row.domain, status, reason });
    return false;
  }

  async function flush(queue: { rows: Row[]; bytes: number }): Promise<void> {
    let rows = queue.rows.splice(0);
    queue.bytes = 0;
    for (let [first] = rows; first !== undefined; [first] = rows) {
      const domains = rows.map(itemOf);
      try {
        const outcomes = await send(first.place, domains);
        // Names beyond the rate limit are sent again: `send` waits until the next window.
        const later: Row[] = [];
        for (const [at, row] of rows.entries()) if (!(await settle(row, outcomes[at]))) later.push(row);
        rows = later;
      } catch (error) {
        if (!(error instanceof ApiError) || ![400, 404].includes(error.status)) throw error;
        // The API refuses a request for data that no domain may have, or because the environment is not there or has no
        // valid name. All else is in outcomes.
        const faults = Map.groupBy(error.errors ?? [], ({ location }) => ITEM.exec(location)?.[1] ?? '');
        faults.delete('');
        rows = rows.filter((row, at) => {
          const errors = faults.size === 0 ? error.errors : faults.get(String(at));
          return errors === undefined || !fail(row, { detail: error.detail, errors }, error.status);
        });
      }
    }
  }

  /** False: to be sent again. */
  async function settle(row: Row, outcome: ShownOutcome | undefined): Promise<boolean> {
    if (outcome === undefined) throw new Error('the API returned fewer outcomes than names');
    const { error, domainId } = outcome;
    if (error?.status === 429) return false;
    const isThere = error?.status === 409 && domainId !== undefined;
    if (error === undefined) result.created += 1;
    else if (isThere) result.existing += 1;
    else if (!fail(row, error, error.status)) return false;
    if (error === undefined || isThere) await attached?.(row, outcome);
    return true;
  }

  return {
    refuse,
    async add(row) {
      const name = canonicalName(row.domain) ?? row.domain;
      const line = lines.get(name);
      if (line !== undefined) return refuse(row, `The name is in line ${line} already.`);
      lines.set(name, row.line);
      const { project, app, environment } = row.place;
      const key = JSON.stringify([project, app, environment]);
      const queue = queues.get(key) ?? { rows: [], bytes: 0 };
      queues.set(key, queue);
      const bytes = Buffer.byteLength(JSON.stringify(itemOf(row))) + 1;
      if (queue.bytes + bytes > LARGEST_BATCH) await flush(queue);
      queue.rows.push(row);
      queue.bytes += bytes;
      if (queue.rows.length === BATCH) await flush(queue);
    },
    async end() {
      for (const queue of queues.values()) await flush(queue);
      result.refusals.sort((a, b) => a.line - b.line);
      return result;
    },
  };
}

function itemOf({ domain, own }: PlacedRow): NewDomain {
  return { domain, ...own };
}

interface Reasons {
  detail: string;
  errors?: readonly InputViolation[];
}

export function reasonOf({ detail, errors = [] }: Reasons): string {
  if (errors.length === 0) return detail;
  return errors.map((violation) => `${ruleOf(violation)}.`).join(' ');
}

/** The place in a request that a violation of one of its domains has. */
const ITEM = /^body\.domains\.(\d+)/;
const OF_CERTIFICATE = /^body\.domains\.\d+\.certificate/;
const NAMED = ['project', 'app', 'environment', 'externalId', 'metadata'];

function ruleOf({ location, message, fix }: InputViolation): string {
  const [, part = '', , ofItem] = location.split('.');
  const named = ofItem ?? part;
  const rule = NAMED.includes(named) ? `The ${named} ${message}` : message;
  return fix === undefined ? rule : `${rule}; ${fix}`;
}
