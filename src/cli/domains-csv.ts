import { createReadStream, type ReadStream } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { CsvError, parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import type { Static } from 'typebox';
import type { ListedDomainSchema } from '../api/domains/listWorkspaceDomains.ts';
import { CliError, messageOf } from './cli-error.ts';
import type { Level, PathOptions } from './tree-commands.ts';

/** The CSV files (RFC 4180, UTF-8) of `domains import` and `domains export`. */

/** A row of a file to import. */
export interface ImportRow {
  /** Where it ends in the file; the header is line 1. */
  line: number;
  domain: string;
  /** What the row says; a level without a column is absent, one without a value is empty. */
  path: PathOptions;
  /** Why the row cannot be read; null where it can. */
  problem: string | null;
  /** Of the file, up to the end of the row. */
  bytes: number;
}

const LEVELS: Level[] = ['project', 'app', 'environment'];

const DELIMITERS = [',', ';', '\t'] as const;

/** Longest row, in bytes: a quotation mark that never ends would otherwise take the whole file into memory. */
const LONGEST_ROW = 65_536;

/** Reads a file whose first line names the columns, separated by commas, semicolons or tabs. Throws `CliError`. */
export async function* readRows(path: string): AsyncGenerator<ImportRow> {
  let header: string[] | undefined;
  let line = 0;
  let source: ReadStream | undefined;
  try {
    const delimiter = await findDelimiter(path);
    const parser = parse({
      bom: true,
      delimiter,
      info: true,
      max_record_size: LONGEST_ROW,
      relax_column_count: true,
      // A quotation mark in the middle is part of what the cell says: its row is refused, and no other.
      relax_quotes: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      trim: true,
    });
    source = createReadStream(path);
    source.on('error', (error) => parser.destroy(error)).pipe(parser);
    for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
      line = info.lines;
      if (header === undefined) header = readHeader(record, path);
      else yield { line, bytes: info.bytes, ...readRow(record, header) };
    }
    if (header === undefined) throw noHeader(path);
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (error instanceof CsvError && error.code === 'CSV_MAX_RECORD_SIZE') {
      const where = `The row after line ${line} of ${path}`;
      throw new CliError(`${where} is longer than ${LONGEST_ROW / 1024} KiB. Does a quotation mark have no end?`);
    }
    throw new CliError(`Cannot read ${path}: ${messageOf(error)}`);
  } finally {
    source?.destroy();
  }
}

interface CsvRecord {
  record: string[];
  info: { lines: number; bytes: number };
}

/** What separates the columns: the delimiter that the first line has most often outside of quotation marks. */
async function findDelimiter(path: string): Promise<string> {
  let text = '';
  for await (const chunk of createReadStream(path, { encoding: 'utf8', end: LONGEST_ROW })) text += chunk;
  const unquoted = text.replace(/"[^"]*"/g, '').trimStart();
  const [first = ''] = unquoted.split(/[\r\n]/, 1);
  const counts = DELIMITERS.map((delimiter) => first.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

function readHeader(record: string[], path: string): string[] {
  const header = record.map((name) => name.toLowerCase());
  if (!header.includes('domain')) throw noHeader(path);
  return header;
}

function noHeader(path: string): CliError {
  return new CliError(
    `The first line of ${path} must name the columns: "domain", and where names belong into several environments "project", "app" and "environment".`,
  );
}

function readRow(record: string[], header: string[]): Pick<ImportRow, 'domain' | 'path' | 'problem'> {
  const cell = (column: string) => record[header.indexOf(column)] ?? '';
  const levels = LEVELS.filter((level) => header.includes(level));
  const path = Object.fromEntries(levels.map((level) => [level, cell(level)]));
  const isWhole = record.length === header.length;
  const problem = isWhole ? null : `The row has ${record.length} columns, and the first line ${header.length}.`;
  return { domain: cell('domain'), path, problem };
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
