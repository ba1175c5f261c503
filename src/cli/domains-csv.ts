import { createReadStream } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import type { Static } from 'typebox';
import type { ListedDomainSchema } from '../api/domains/listWorkspaceDomains.ts';
import { CliError, messageOf } from './cli-error.ts';
import type { Level, PathOptions } from './tree-commands.ts';

/** The CSV files (RFC 4180, UTF-8) of `domains import` and `domains export`. */

/** A row of a file to import. */
export interface ImportRow {
  /** Where it is in the file; the header is line 1. */
  line: number;
  domain: string;
  /** What the row says; a level without a column is absent, one without a value is empty. */
  path: PathOptions;
  /** Of the file, up to the end of the row. */
  bytes: number;
}

const LEVELS: Level[] = ['project', 'app', 'environment'];

/** Reads a file whose first line names the columns, separated by commas, semicolons or tabs. Throws `CliError`. */
export async function* readRows(path: string): AsyncGenerator<ImportRow> {
  let header: string[] = [];
  const source = createReadStream(path);
  const parser = parse({
    bom: true,
    columns: (names: string[]) => {
      header = names.map((name) => name.toLowerCase());
      return header;
    },
    delimiter: [',', ';', '\t'],
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    trim: true,
  });
  source.on('error', (error) => parser.destroy(error)).pipe(parser);
  try {
    for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
      checkHeader(header, path);
      const { domain = '' } = record;
      const levels = LEVELS.filter((level) => header.includes(level));
      const at = Object.fromEntries(levels.map((level) => [level, record[level] ?? '']));
      yield { line: info.lines, domain, path: at, bytes: info.bytes };
    }
    checkHeader(header, path);
  } catch (error) {
    throw error instanceof CliError ? error : new CliError(`Cannot read ${path}: ${messageOf(error)}`);
  } finally {
    source.destroy();
  }
}

interface CsvRecord {
  record: Record<string, string | undefined>;
  info: { lines: number; bytes: number };
}

function checkHeader(header: string[], path: string): void {
  if (header.includes('domain')) return;
  throw new CliError(
    `The first line of ${path} must name the columns: "domain", and where names belong into several environments "project", "app" and "environment".`,
  );
}

/** A name that was not imported. */
export interface Refusal {
  line: number;
  domain: string;
  /** That of the API; empty where it was not asked. */
  status: number | '';
  reason: string;
}

/** Writes all of the file or none of it. */
export async function writeReport(path: string, refusals: readonly Refusal[]): Promise<void> {
  // What was typed in the place of a name may be a formula.
  const text = stringify([...refusals], {
    header: true,
    columns: ['line', 'domain', 'status', 'reason'],
    escape_formulas: true,
  });
  await writeFile(`${path}.part`, text);
  await rename(`${path}.part`, path);
}

/** An item of domains.listWorkspaceDomains. */
export type ExportedDomain = Static<typeof ListedDomainSchema>;

const COLUMNS = [
  'domain',
  'project',
  'app',
  'environment',
  'status',
  'certificate',
  'routingType',
  'routingValue',
  'ownershipName',
  'ownershipValue',
  'id',
  'createdAt',
] as const;

/** Lines for domains, which `domains import` reads; the first of them names the columns. */
export function renderDomains(items: readonly ExportedDomain[], { header }: { header: boolean }): string {
  return stringify(items.map(rowOf), { header, columns: [...COLUMNS] });
}

function rowOf({ domain, certificate }: ExportedDomain): Record<(typeof COLUMNS)[number], string> {
  const routing = domain.dnsRecords.find(({ type }) => type !== 'TXT');
  const ownership = domain.dnsRecords.find(({ type }) => type === 'TXT');
  return {
    domain: domain.domain,
    project: domain.projectId,
    app: domain.appId,
    environment: domain.environmentId,
    status: domain.status,
    certificate: certificate.state,
    routingType: routing?.type ?? '',
    routingValue: routing?.value ?? '',
    ownershipName: ownership?.name ?? '',
    ownershipValue: ownership?.value ?? '',
    id: domain.id,
    createdAt: new Date(domain.createdAt).toISOString(),
  };
}
