import { constants } from 'node:fs';
import { access, rm } from 'node:fs/promises';
import { dirname, format, parse, resolve } from 'node:path';
import type { Command } from 'commander';
import { pause } from '../../../../client/retry.ts';
import { isId } from '../../base/ids.ts';
import { CliError, EXIT, messageOf } from '../cli-error.ts';
import { type ApiOptions, apiCommand } from '../options.ts';
import { type Column, printable, shortDuration, show, table } from '../output/output.ts';
import { withBar } from '../output/terminal.ts';
import { type ApiClient, connect } from './api-client.ts';
import type { ImportRow, Refusal } from './domains-csv.ts';
import type { Imported, NewDomain, Place, ShownOutcome } from './import-rows.ts';
import { type Level, type PathOptions, pathFrom } from './tree-commands.ts';
import { withRetries } from './with-retries.ts';

interface ImportOptions extends ApiOptions, PathOptions {
  dryRun?: true;
  report?: string;
}

/**
 * In characters. A domain has 253 at most: the server refuses this one too, and the request stays below its size limit.
 */
const LONGEST_NAME = 1000;

const LEVELS: Level[] = ['project', 'app', 'environment'];

export function addImport(domains: Command): void {
  const summary =
    'Add the domains of a CSV file. Its first line names the columns: "domain", and optionally "project", "app", "environment", "externalId" and "metadata". Run the command again after an interruption: names that are there already are not added twice. Exits with 3 if names were refused.';
  const examples = ['names.csv --project shop --app storefront --environment production', 'names.csv --dry-run'];
  const command = apiCommand(domains, 'import <file>', summary, examples)
    .option(
      '--dry-run',
      'print what would be refused, and add nothing. The limit of domains of the workspace is not looked at',
    )
    .option(
      '--report <path>',
      'file for refused names: line, name and reason (default: FILE.report.csv, beside FILE.csv; with --dry-run, none)',
    );
  for (const level of LEVELS) {
    command.option(`--${level} <id or slug>`, `${level} of all names (default: the column, else the playground's own)`);
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
function reportOf(file: string, { report, dryRun }: ImportOptions): string | undefined {
  return report ?? (dryRun ? undefined : format({ ...parse(file), base: '', ext: '.report.csv' }));
}

async function checkReport(report: string, file: string): Promise<void> {
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
  if (refusals.length > 0 && dryRun) lines.push('', table(COLUMNS, refusals.slice(0, MOST_SHOWN)));
  if (refusals.length > MOST_SHOWN && dryRun && report === undefined)
    lines.push(`${number(refusals.length - MOST_SHOWN)} more: --report PATH writes all of them to a file.`);
  if (refusals.length > 0 && report !== undefined)
    lines.push(`The refused names and the reasons are in ${printable(report)}.`);
  return lines.join('\n');
}

/** Refused names that a dry run prints. */
const MOST_SHOWN = 50;

const COLUMNS: Column<Refusal>[] = [
  { title: 'Line', text: ({ line }) => String(line) },
  { title: 'Name', text: ({ domain }) => domain },
  { title: 'Reason', text: ({ reason }) => reason },
];

async function importFile(api: ApiClient, file: string, options: ImportOptions): Promise<Imported> {
  const [{ readRows }, { createImporter }] = await Promise.all([
    import('./domains-csv.ts'),
    import('./import-rows.ts'),
  ]);
  const { dryRun } = options;
  return withBar(async (bar, interrupted) => {
    // No Idempotency-Key: the server tells names that are there already, and would keep each outcome for a day.
    const call = { signal: interrupted, idempotencyKey: null };
    let done = 0;
    const wait = (ms: number, signal?: AbortSignal) => {
      bar.show(`Waiting ${shortDuration(ms)} for the server`, done);
      return pause(ms, signal);
    };
    const send = (place: Place, domains: NewDomain[]) =>
      withRetries(
        () => api.call<ShownOutcome[]>('domains.createDomains', { ...place, domains, ...(dryRun && { dryRun }) }, call),
        { signal: interrupted, wait },
      );
    const importer = createImporter(send);
    try {
      for await (const row of readRows(file)) {
        interrupted.throwIfAborted();
        const place = placeOf(row, api, options);
        if (row.problem !== null) importer.refuse(row, row.problem);
        else if (row.domain === '') importer.refuse(row, 'The row has no name.');
        else if (typeof place === 'string') importer.refuse(row, `The row has no ${place}.`);
        else if (row.domain.length > LONGEST_NAME) importer.refuse(row, 'The name is far too long.');
        else await importer.add({ ...row, place });
        done = row.share;
        bar.show(dryRun ? 'Checking' : 'Importing', done);
      }
      return await importer.end();
    } catch (error) {
      if (interrupted.aborted) throw new CliError('Interrupted. Run the same command again to go on.');
      throw error;
    }
  });
}

/**
 * The environment of a name: options win over columns. Returns the level that is empty, where it is needed. Throws
 * `CliError` if nothing could name it.
 */
function placeOf({ path }: ImportRow, api: ApiClient, options: PathOptions): Place | Level {
  const named: PathOptions = Object.fromEntries(LEVELS.map((level) => [level, options[level] ?? path[level]]));
  const { environment } = named;
  if (environment !== undefined && isId(environment)) {
    return { environment, project: named.project || undefined, app: named.app || undefined };
  }
  const place = pathFrom(api, named, LEVELS);
  return LEVELS.find((level) => place[level] === '') ?? (place as Place);
}
