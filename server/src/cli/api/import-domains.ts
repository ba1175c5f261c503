import { constants } from 'node:fs';
import { access, rm } from 'node:fs/promises';
import { dirname, format, parse, resolve } from 'node:path';
import type { Command } from 'commander';
import { isId } from '../../base/ids.ts';
import { CliError, EXIT, messageOf } from '../cli-error.ts';
import { type ApiOptions, apiCommand } from '../options.ts';
import { type Column, printable, show, table } from '../output/output.ts';
import { type ApiClient, connect } from './api-client.ts';
import type { Refusal } from './domains-csv.ts';
import type { Imported, Place } from './import-rows.ts';
import { importRows, type SourceRow } from './run-import.ts';
import { type Level, type PathOptions, pathFrom } from './tree-commands.ts';

interface ImportOptions extends ApiOptions, PathOptions {
  dryRun?: true;
  report?: string;
}

export const LEVELS: Level[] = ['project', 'app', 'environment'];

export function addImport(domains: Command): void {
  const summary =
    'Add the domains in a CSV file. Its first line names the columns: "domain" and, optionally, "project", "app", "environment", "externalId" and "metadata". After an interruption, run the command again: it adds no name twice. Exits with 3 if names were refused.';
  const examples = ['names.csv --project shop --app storefront --environment production', 'names.csv --dry-run'];
  const command = apiCommand(domains, 'import <file>', summary, examples)
    .option(
      '--dry-run',
      "show which names would be refused, and add nothing. Does not check the workspace's limit of domains",
    )
    .option(
      '--report <path>',
      'file for the line, name and reason of each refusal (default: FILE.report.csv, next to FILE.csv; none with --dry-run)',
    );
  for (const level of LEVELS) {
    command.option(
      `--${level} <id or slug>`,
      `${level} of all names (default: the column, else that of the playground)`,
    );
  }
  command.action(async (file: string, options: ImportOptions) => {
    const report = reportOf(file, options);
    if (report !== undefined) await checkReport(report, file);
    const api = await connect(options);
    // Removes the report of an earlier import.
    if (report !== undefined) await rm(report, { force: true });
    const imported = await importFile(api, file, options);
    if (report !== undefined) {
      const { writeReport } = await import('./domains-csv.ts');
      await writeReport(report, imported.refusals);
    }
    const { created, existing, refusals } = imported;
    const counts = { [options.dryRun ? 'new' : 'created']: created, existing, refused: refusals.length };
    const details = { ...(options.dryRun && { refusals }), ...(report !== undefined && { report }) };
    show({ ...options }, { ...counts, ...details }, () => describe(file, report, imported, options));
    if (refusals.length > 0) process.exitCode = EXIT.blocked;
  });
}

/** Undefined: no file is written. */
export function reportOf(
  file: string,
  { report, dryRun }: Pick<ImportOptions, 'report' | 'dryRun'>,
): string | undefined {
  return report ?? (dryRun ? undefined : format({ ...parse(file), base: '', ext: '.report.csv' }));
}

export async function checkReport(report: string, file: string): Promise<void> {
  if (resolve(report) === resolve(file))
    throw new CliError('The report would replace the file.', { exitCode: EXIT.usage });
  await access(dirname(report), constants.W_OK).catch((error) => {
    throw new CliError(`Cannot write ${report}: ${messageOf(error)}`);
  });
}

function describe(
  file: string,
  report: string | undefined,
  { created, existing, refusals }: Imported,
  { dryRun }: ImportOptions,
): string {
  const number = (count: number) => count.toLocaleString('en-US');
  const counts = [
    `${number(created)} ${dryRun ? 'would be added' : 'added'}`,
    `${number(existing)} already there`,
    `${number(refusals.length)} refused`,
  ].join(', ');
  const lines = [`${printable(file)}: ${counts}.`];
  if (refusals.length > 0 && dryRun) lines.push('', table(REFUSAL_COLUMNS, refusals.slice(0, MOST_SHOWN)));
  if (refusals.length > MOST_SHOWN && dryRun && report === undefined)
    lines.push(`${number(refusals.length - MOST_SHOWN)} more: --report PATH writes all of them to a file.`);
  if (refusals.length > 0 && report !== undefined)
    lines.push(`The refused names and the reasons are in ${printable(report)}.`);
  return lines.join('\n');
}

/** Refused names that a dry run prints. */
export const MOST_SHOWN = 50;

export const REFUSAL_COLUMNS: Column<Refusal>[] = [
  { title: 'Line', text: ({ line }) => String(line) },
  { title: 'Name', text: ({ domain }) => domain },
  { title: 'Reason', text: ({ reason }) => reason },
];

async function importFile(api: ApiClient, file: string, options: ImportOptions): Promise<Imported> {
  const { readRows } = await import('./domains-csv.ts');
  async function* rows(): AsyncGenerator<SourceRow> {
    for await (const { path, ...row } of readRows(file)) yield { ...row, place: placeOf(path, api, options) };
  }
  const { dryRun } = options;
  return importRows(api, rows, { dryRun, doing: dryRun ? 'Checking' : 'Importing' });
}

/**
 * The environment of a name: options win over columns. A text says which level is empty, where it is needed. Throws
 * `CliError` if nothing could name it.
 */
export function placeOf(path: PathOptions, api: ApiClient, options: PathOptions): Place | string {
  const named: PathOptions = Object.fromEntries(LEVELS.map((level) => [level, options[level] ?? path[level]]));
  const { environment } = named;
  if (environment !== undefined && isId(environment)) {
    return { environment, project: named.project || undefined, app: named.app || undefined };
  }
  const place = pathFrom(api, named, LEVELS);
  const empty = LEVELS.find((level) => place[level] === '');
  return empty === undefined ? (place as Place) : `The row has no ${empty}.`;
}
