import { type Command, InvalidArgumentError } from 'commander';
import { readCommandConfig } from '../../config/config.ts';
import { type CommandCall, connect, typedCommand } from '../api/api-client.ts';
import { checkReport, LEVELS, MOST_SHOWN, placeOf, REFUSAL_COLUMNS, reportOf } from '../api/import-domains.ts';
import type { Retrying } from '../api/run-import.ts';
import type { PathOptions } from '../api/tree-commands.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { type ApiOptions, apiCommand, define } from '../options.ts';
import { paint, printable, show, table } from '../output/output.ts';
import type { MoveSummary, PlacedName } from './move-names.ts';
import type { MoveReport } from './move-report.ts';
import type { OldName, Source } from './old-name.ts';

interface MoveFromOptions extends ApiOptions, PathOptions {
  dryRun?: true;
  report?: string;
  target?: string;
  fromUrl?: string;
  team?: string;
}

interface SourceCommand {
  source: Source;
  argument: string;
  summary: string;
  examples: string[];
  /** Address of its API. */
  api?: string;
  names(
    argument: string,
    options: MoveFromOptions,
    retrying: Retrying,
  ): Promise<AsyncIterable<OldName & { path?: PathOptions }>>;
}

const PLACE = '--project shop --app storefront --environment production';

const SOURCES: SourceCommand[] = [
  {
    source: 'cloudflare',
    argument: 'zone-id',
    summary:
      'Add the custom hostnames of a zone at Cloudflare (Cloudflare for SaaS). Set NAMEPLATE_MOVE_TOKEN to an API token that may read them.',
    examples: [`023e105f4ecef8ad9ca31a8372d0c353 ${PLACE} --target customers.example.net`],
    api: 'https://api.cloudflare.com/client/v4',
    async names(zone, { fromUrl: base = '' }, retrying) {
      if (!/^[0-9a-f]{32}$/i.test(zone))
        throw new CliError(
          'A zone id of Cloudflare has 32 characters from 0 to 9 and a to f: it is on the page of the zone.',
          { exitCode: EXIT.usage },
        );
      const { cloudflareNames } = await import('./cloudflare-names.ts');
      const advice =
        'Make an API token that may read "SSL and Certificates" of the zone, and set NAMEPLATE_MOVE_TOKEN to it.';
      return cloudflareNames(await vendor('Cloudflare', base, advice, retrying), zone);
    },
  },
  {
    source: 'vercel',
    argument: 'project',
    summary:
      'Add the domains of a project at Vercel, by its id or name, and their redirects. Set NAMEPLATE_MOVE_TOKEN to an access token that may read the project.',
    examples: [`storefront --team team_1a2b3c ${PLACE} --target customers.example.net`],
    api: 'https://api.vercel.com',
    async names(project, { fromUrl: base = '', team }, retrying) {
      const { vercelNames } = await import('./vercel-names.ts');
      const advice =
        'Make an access token in the settings of your account, for the team of the project, and set NAMEPLATE_MOVE_TOKEN to it.';
      return vercelNames(await vendor('Vercel', base, advice, retrying), project, team);
    },
  },
  {
    source: 'caddy',
    argument: 'directory',
    summary:
      'Add the names in Caddy\'s storage, with their certificates and keys. The storage is the directory that contains "certificates".',
    examples: [`/var/lib/caddy/.local/share/caddy ${PLACE} --target customers.example.net`],
    async names(directory) {
      const { caddyNames } = await import('./caddy-names.ts');
      return caddyNames(directory, Date.now());
    },
  },
  {
    source: 'csv',
    argument: 'file',
    summary:
      'Add the names in a CSV file, as "domains import" does. The file may also have the columns "certificate" and "key": paths of PEM files, relative to its directory.',
    examples: [`names.csv ${PLACE} --target customers.example.net`],
    async names(file) {
      const { csvNames } = await import('./csv-names.ts');
      return csvNames(file, Date.now());
    },
  },
];

async function vendor(vendor: string, base: string, advice: string, retrying: Retrying) {
  const { vendorApi } = await import('./vendor-api.ts');
  return vendorApi({ vendor, base, advice, token: readCommandConfig().moveToken }, retrying);
}

/** The commands `move from`, one for each source. */
export function addMoveFrom(move: Command): void {
  const summary =
    'Add the names of another service, with their metadata and certificates where the service provides them.';
  const from = define(move, 'from', summary, [`nameplate move from caddy /var/lib/caddy/.local/share/caddy ${PLACE}`]);
  for (const source of SOURCES) addSource(from, source);
}

function addSource(from: Command, source: SourceCommand): void {
  const { source: name, argument, summary, examples, api } = source;
  const again = 'After an interruption, run the command again. Exits with 3 if anything was refused.';
  const command = apiCommand(from, `${name} <${argument}>`, `${summary} ${again}`, [
    `${examples[0]} --dry-run`,
    ...examples,
  ])
    .option('--target <host>', 'shared target that the names already lead to (default: each name gets its own target)')
    .option('--dry-run', 'show what would happen, and change nothing')
    .option(
      '--report <path>',
      `file for the names that were refused or have a note (default: ${name === 'csv' ? 'FILE.report.csv, next to FILE.csv' : `move-${name}.report.csv`}; none with --dry-run)`,
    );
  for (const level of LEVELS)
    command.option(
      `--${level} <id or slug>`,
      `${level} of all names (default: ${name === 'csv' ? 'the column, else ' : ''}that of the playground)`,
    );
  if (api !== undefined) command.option('--from-url <url>', 'address of the API to read from', parseUrl, api);
  if (name === 'vercel') command.option('--team <id>', 'team that the project belongs to');
  command.action((named: string, options: MoveFromOptions) => moveFrom(source, named, options));
}

function parseUrl(text: string): string {
  if (!URL.canParse(text)) throw new InvalidArgumentError('Expected an https URL.');
  return text;
}

async function moveFrom({ source, names }: SourceCommand, named: string, options: MoveFromOptions): Promise<void> {
  const path = reportOf(source === 'csv' ? named : `move-${source}.csv`, options);
  if (path !== undefined) await checkReport(path, named);
  const api = await connect(options);
  const [{ moveNames }, { openReport }] = await Promise.all([import('./move-names.ts'), import('./move-report.ts')]);
  async function* placed(retrying: Retrying): AsyncGenerator<PlacedName> {
    for await (const { path = {}, ...name } of await names(named, options, retrying))
      yield { ...name, place: placeOf(path, api, options) };
  }
  const report = openReport(path);
  const { dryRun, target } = options;
  // Also after an interruption: what is known by then is in its place.
  let written: string | undefined;
  const moved = await moveNames(api, placed, { dryRun, target, report }).finally(() => {
    written = report.end();
  });
  const { created, ...counts } = moved;
  const details = { ...(dryRun && { notes: report.shown }), ...(written !== undefined && { report: written }) };
  show({ ...options }, { [dryRun ? 'new' : 'created']: created, ...counts, ...details }, () =>
    describe(named, moved, report, written, { api, options }),
  );
  const { refused, certificates, redirects } = moved;
  if (refused + certificates.refused + redirects.refused > 0) process.exitCode = EXIT.blocked;
}

function describe(
  named: string,
  { created, existing, refused, leftOut, certificates, redirects }: MoveSummary,
  report: MoveReport,
  path: string | undefined,
  { api, options }: CommandCall<MoveFromOptions>,
): string {
  const { dryRun } = options;
  const number = (count: number) => count.toLocaleString('en-US');
  const would = dryRun ? 'would be ' : '';
  const list = (of: string, counts: [number, string][]) =>
    counts.some(([count]) => count > 0)
      ? [`${of}: ${counts.map(([count, what]) => `${number(count)} ${what}`).join(', ')}.`]
      : [];
  const lines = [
    ...list(printable(named), [
      [created, `${would}added`],
      [existing, 'already there'],
      [refused, 'refused'],
      [leftOut, 'left out'],
    ]),
    ...list('Certificates', [
      [certificates.uploaded, `${would}uploaded`],
      [certificates.existing, 'already there'],
      [certificates.refused, 'refused'],
    ]),
    ...list('Redirects', [
      [redirects.set, `${would}set`],
      [redirects.refused, 'refused'],
    ]),
  ];
  if (lines.length === 0) lines.push(`${printable(named)} has no names.`);
  if (report.count() > 0 && dryRun) lines.push('', table(REFUSAL_COLUMNS, report.shown));
  if (report.count() > MOST_SHOWN && dryRun && path === undefined)
    lines.push(`${number(report.count() - MOST_SHOWN)} more: --report PATH writes all of them to a file.`);
  if (path !== undefined) lines.push(`What was refused, and what to know of other names, is in ${printable(path)}.`);
  const next = dryRun ? 'the same command without --dry-run' : typedCommand(api, options, 'move status');
  return [...lines, '', `Next: ${paint('bold', next)}`].join('\n');
}
