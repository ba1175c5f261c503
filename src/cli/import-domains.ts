import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, format, parse, resolve } from 'node:path';
import type { Command } from 'commander';
import { type ApiClient, connect } from './api-client.ts';
import { CliError, EXIT, messageOf } from './cli-error.ts';
import type { ImportRow } from './domains-csv.ts';
import type { Imported, Place, ShownOutcome } from './import-rows.ts';
import { type ApiOptions, apiCommand } from './options.ts';
import { printable, show } from './output.ts';
import { patiently } from './patience.ts';
import { withBar } from './progress-bar.ts';
import { type Level, type PathOptions, pathFrom } from './tree-commands.ts';

interface ImportOptions extends ApiOptions, PathOptions {
  dryRun?: true;
  report?: string;
}

const LEVELS: Level[] = ['project', 'app', 'environment'];

export function addImport(domains: Command): void {
  const summary =
    'Add the domains of a CSV file. Its first line names the columns: "domain", and optionally "project", "app" and "environment". Run the command again after an interruption: names that are there already are not added twice. Exits with 1 if names were refused.';
  const examples = [
    'nameplate domains import names.csv --project shop --app storefront --environment production',
    'nameplate domains import names.csv --dry-run',
  ];
  const command = apiCommand(domains, 'import <file>', summary, examples)
    .option('--dry-run', 'say what would be refused, and add nothing')
    .option(
      '--report <path>',
      'file for refused names: line, name and reason (default: FILE.report.csv, beside FILE.csv)',
    );
  for (const level of LEVELS) {
    command.option(`--${level} <id or slug>`, `${level} of all names (default: the column, else the playground's own)`);
  }
  command.action(async (file: string, options: ImportOptions) => {
    const report = options.report ?? format({ ...parse(file), base: '', ext: '.report.csv' });
    if (resolve(report) === resolve(file))
      throw new CliError('The report would replace the file.', { exitCode: EXIT.usage });
    await access(dirname(report), constants.W_OK).catch((error) => {
      throw new CliError(`Cannot write ${report}: ${messageOf(error)}`);
    });
    const api = await connect(options);
    const { created, existing, refusals } = await importFile(api, file, options);
    const { writeReport } = await import('./domains-csv.ts');
    await writeReport(report, refusals);
    const refused = refusals.length;
    const counts = { [options.dryRun ? 'new' : 'created']: created, existing, refused };
    show({ ...options }, { ...counts, report }, () => describe({ file, report, created, existing, refused }, options));
    if (refused > 0) process.exitCode = EXIT.failed;
  });
}

interface Summary {
  file: string;
  report: string;
  created: number;
  existing: number;
  refused: number;
}

function describe({ file, report, created, existing, refused }: Summary, { dryRun }: ImportOptions): string {
  const number = (count: number) => count.toLocaleString('en-US');
  const counts = [
    `${number(created)} ${dryRun ? 'would be added' : 'added'}`,
    `${number(existing)} already there`,
    `${number(refused)} refused`,
  ].join(', ');
  const why = refused === 0 ? '' : `\nThe refused names and the reasons are in ${printable(report)}.`;
  return `${printable(file)}: ${counts}.${why}`;
}

async function importFile(api: ApiClient, file: string, options: ImportOptions): Promise<Imported> {
  const [{ readRows }, { createImporter }] = await Promise.all([
    import('./domains-csv.ts'),
    import('./import-rows.ts'),
  ]);
  const { size } = await stat(file).catch((error) => {
    throw new CliError(`Cannot read ${file}: ${messageOf(error)}`);
  });
  const { dryRun } = options;
  const importer = createImporter((place, domains) =>
    patiently(() =>
      api.call<ShownOutcome[]>('domains.createDomains', { ...place, domains, ...(dryRun && { dryRun }) }),
    ),
  );
  return withBar(async (bar, interrupted) => {
    for await (const row of readRows(file)) {
      if (interrupted.aborted) throw new CliError('Interrupted. Run the same command again to go on.');
      const place = placeOf(row, api, options);
      if (row.domain === '') importer.refuse(row, 'The row has no name.');
      else if (typeof place === 'string') importer.refuse(row, `The row has no ${place}.`);
      else await importer.add({ ...row, place });
      bar.show(dryRun ? 'Checking' : 'Importing', row.bytes / size);
    }
    return importer.end();
  });
}

/** Where a name belongs: by the options before the columns. The level that is empty, where one is. Throws `CliError` if nothing could name it. */
function placeOf({ path }: ImportRow, api: ApiClient, options: PathOptions): Place | Level {
  const named = LEVELS.map((level) => [level, options[level] ?? path[level]]);
  const place = pathFrom(api, Object.fromEntries(named), LEVELS);
  return LEVELS.find((level) => !place[level]) ?? (place as Place);
}
