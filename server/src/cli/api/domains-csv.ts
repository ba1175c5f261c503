import { rename, writeFile } from 'node:fs/promises';
import { stringify } from 'csv-stringify/sync';
import type { Static } from 'typebox';
import type { SiteSchema } from '../../api/domains/site.ts';
import { CliError, messageOf } from '../cli-error.ts';
import { printable } from '../output/output.ts';
import { type CsvRow, readCsv } from './csv-rows.ts';
import type { Level, PathOptions } from './tree-commands.ts';

/** The CSV files (RFC 4180, UTF-8) of `domains import` and `domains export`. */

/** A row of a file to import. */
export interface ImportRow extends Pick<CsvRow, 'line' | 'share'> {
  domain: string;
  /** Data that the row gives the domain; absent: none. */
  own?: ImportedData;
  /** The path that the row gives. A level without a column is absent; one without a value is empty. */
  path: PathOptions;
  /**
   * Paths of PEM files; empty where the row has none. Absent without a column "key": in an export, "certificate" is a
   * state.
   */
  files?: { certificate: string; key: string };
  /** Why the row cannot be used; null where it can. */
  problem: string | null;
}

/** The platform's own data of a domain. */
export interface ImportedData {
  externalId?: string;
  metadata?: Record<string, string>;
}

const LEVELS: Level[] = ['project', 'app', 'environment'];

/** Reads a file whose first line names the columns, separated by commas, semicolons or tabs. Throws `CliError`. */
export async function* readRows(path: string): AsyncGenerator<ImportRow> {
  let header: string[] | undefined;
  try {
    for await (const row of readCsv(path)) {
      if (header === undefined) header = readHeader(row, path);
      else yield importRow(row, header);
    }
    if (header === undefined) throw noHeader(path);
  } catch (error) {
    throw error instanceof CliError ? error : new CliError(`Cannot read ${path}: ${messageOf(error)}`);
  }
}

function readHeader({ cells }: CsvRow, path: string): string[] {
  const header = cells.map((name) => name.toLowerCase());
  if (!header.includes('domain')) throw noHeader(path);
  return header;
}

function noHeader(path: string): CliError {
  return new CliError(
    `The first line of ${path} must name the columns: "domain", and where names belong into several environments "project", "app" and "environment".`,
  );
}

function importRow({ line, share, cells, problem }: CsvRow, header: string[]): ImportRow {
  const cell = (column: string) => cells[header.indexOf(column)] ?? '';
  const levels = LEVELS.filter((level) => header.includes(level));
  const path = Object.fromEntries(levels.map((level) => [level, cell(level)]));
  const isWhole = cells.length === header.length;
  const odd = isWhole ? null : `The row has ${cells.length} columns, and the first line ${header.length}.`;
  const externalId = cell('externalid');
  const metadata = readMetadata(cell('metadata'));
  const own = (externalId || metadata) && { ...(externalId && { externalId }), ...(metadata && { metadata }) };
  const unread = metadata === null ? 'The metadata must be a JSON object of texts.' : null;
  const files = header.includes('key') && { files: { certificate: cell('certificate'), key: cell('key') } };
  const row = { line, share, domain: cell('domain'), path, ...files, problem: problem ?? odd ?? unread };
  return own ? { ...row, own } : row;
}

/** Undefined: there is none; null: it is something else than a JSON object of texts. */
function readMetadata(cell: string): Record<string, string> | null | undefined {
  if (cell === '') return undefined;
  try {
    const parsed: unknown = JSON.parse(cell);
    // The API refuses a body with such a key as a whole, and with it the other rows of a batch.
    const isObject =
      typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) && !Object.hasOwn(parsed, '__proto__');
    if (isObject && Object.values(parsed).every((value) => typeof value === 'string'))
      return parsed as Record<string, string>;
  } catch {
    // It is no JSON.
  }
  return null;
}

/** A name that was not imported. */
export interface Refusal {
  line: number;
  domain: string;
  /** The environment that the API names; empty where the API was not asked. */
  status: number | '';
  reason: string;
}

/** Writes all of the file or none of it. */
export async function writeReport(path: string, refusals: readonly Refusal[]): Promise<void> {
  await writeFile(`${path}.part`, renderRefusals(refusals, { header: true }));
  await rename(`${path}.part`, path);
}

/** Lines of a report; the first of them names the columns. */
export function renderRefusals(refusals: readonly Refusal[], { header }: { header: boolean }): string {
  // A name in the file may be a formula, or reorder the text around it.
  const rows = refusals.map((row) => ({ ...row, domain: printable(row.domain), reason: printable(row.reason) }));
  return stringify(rows, { header, columns: ['line', 'domain', 'status', 'reason'], escape_formulas: true });
}

/** An item of domains.listWorkspaceDomains. */
export type ExportedDomain = Static<typeof SiteSchema>;

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
  'externalId',
  'metadata',
] as const;

/** Lines for domains, which `domains import` reads; the first of them names the columns. */
export function renderDomains(items: readonly ExportedDomain[], { header }: { header: boolean }): string {
  return stringify(items.map(rowOf), { header, columns: [...COLUMNS] });
}

function rowOf({
  domain,
  certificate,
  externalId = '',
  metadata,
}: ExportedDomain): Record<(typeof COLUMNS)[number], string> {
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
    externalId,
    metadata: metadata === undefined ? '' : JSON.stringify(metadata),
  };
}
