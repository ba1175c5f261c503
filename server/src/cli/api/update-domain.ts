import { type Command, InvalidArgumentError, Option } from 'commander';
import { MAX_HSTS_AGE, type SiteSettings, type SiteSettingsPatch, TLS_VERSIONS } from '../../domain/site-settings.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { addPair, apiCommand, parseCount } from '../options.ts';
import { printable } from '../output/output.ts';
import { apiAction, type CommandCall } from './api-client.ts';

/** The words of `--remove`, and the settings that they remove; further words are the external id, and keys of metadata. */
const SETTINGS = {
  origin: 'origin',
  hsts: 'hsts',
  'min-tls': 'minTlsVersion',
  'https-redirect': 'redirectToHttps',
} as const satisfies Record<string, keyof SiteSettings>;
const REMOVABLE = [...Object.keys(SETTINGS), 'external-id'];

export interface OwnDataOptions {
  externalId?: string | undefined;
  metadata?: Record<string, string> | undefined;
}

interface UpdateOptions extends OwnDataOptions {
  origin?: string;
  hstsMaxAge?: number;
  hstsIncludeSubdomains?: true;
  hstsPreload?: true;
  minTls?: (typeof TLS_VERSIONS)[number];
  httpsRedirect?: boolean;
  remove?: (keyof typeof SETTINGS | 'external-id')[];
  removeMetadata?: string[];
}

interface UpdatedDomain extends OwnDataOptions {
  domain: string;
  settings?: SiteSettings;
}

export function ownDataOptions(command: Command): Command {
  return command
    .option('--external-id <id>', 'your own id for the domain')
    .option('--metadata <key=value>', 'a pair of your own data; repeat it for several', addPair);
}

export function addUpdate(domains: Command): void {
  const summary =
    'Change your own data and the settings of one domain: its own origin, HSTS, the lowest TLS version, and whether HTTP is redirected. Everything else stays as it is. Without options, show them.';
  const command = apiCommand(domains, 'update <domain>', summary, [
    'shop.example.com --external-id customer_42 --metadata plan=pro',
    'shop.example.com --origin https://blue.origin.example.com',
    'shop.example.com --hsts-max-age 31536000 --min-tls 1.3',
    'shop.example.com --no-https-redirect',
    'shop.example.com --remove origin --remove hsts --remove-metadata trial',
  ]);
  ownDataOptions(command)
    .option('--origin <url>', "origin for this domain alone, in place of its environment's deployment")
    .option('--hsts-max-age <seconds>', 'how long browsers use only HTTPS, in seconds; 0 ends the policy', parseAge)
    .option('--hsts-include-subdomains', 'apply HSTS to every name below the domain too, wherever it is served')
    .option('--hsts-preload', 'allow browsers to build in the name (HSTS preloading)')
    .addOption(new Option('--min-tls <version>', 'lowest TLS version that visitors may use').choices(TLS_VERSIONS))
    .option('--https-redirect', 'redirect HTTP to HTTPS, which is the default')
    .option('--no-https-redirect', 'send HTTP requests to the origin instead of redirecting them')
    .addOption(
      new Option('--remove <what>', 'a setting to remove, or the external id; repeat it for several')
        .choices(REMOVABLE)
        .argParser(collectRemoved),
    )
    .option('--remove-metadata <key...>', 'keys of metadata to remove')
    .hook('preAction', (_, command) => {
      const { hstsMaxAge, hstsIncludeSubdomains, hstsPreload } = command.opts<UpdateOptions>();
      if (hstsMaxAge === undefined && (hstsIncludeSubdomains || hstsPreload))
        throw new CliError('Give --hsts-max-age too: HSTS is set as a whole.', { exitCode: EXIT.usage });
    })
    .action(
      apiAction(({ api, options }: CommandCall<UpdateOptions>, domain) => {
        const input = { domain, ...ownDataFrom(options), settings: settingsFrom(options) };
        return api.call<UpdatedDomain>('domains.updateDomain', input);
      }, describeUpdated),
    );
}

function parseAge(text: string): number {
  const age = parseCount(text);
  if (age > MAX_HSTS_AGE) throw new InvalidArgumentError(`Expected ${MAX_HSTS_AGE} seconds at most: two years.`);
  return age;
}

function collectRemoved(text: string, before: string[] = []): string[] {
  if (!REMOVABLE.includes(text)) throw new InvalidArgumentError(`Allowed choices are ${REMOVABLE.join(', ')}.`);
  return [...before, text];
}

function ownDataFrom({ externalId, metadata, remove = [], removeMetadata = [] }: UpdateOptions) {
  const removed = Object.fromEntries(removeMetadata.map((key) => [key, null]));
  return { externalId: remove.includes('external-id') ? null : externalId, metadata: { ...removed, ...metadata } };
}

function settingsFrom(options: UpdateOptions): SiteSettingsPatch {
  const { origin, hstsMaxAge, hstsIncludeSubdomains, hstsPreload, minTls, httpsRedirect, remove = [] } = options;
  return {
    ...Object.fromEntries(remove.flatMap((word) => (word === 'external-id' ? [] : [[SETTINGS[word], null]]))),
    ...(origin !== undefined && { origin }),
    ...(hstsMaxAge !== undefined && {
      hsts: {
        maxAge: hstsMaxAge,
        ...(hstsIncludeSubdomains && { includeSubDomains: true }),
        ...(hstsPreload && { preload: true }),
      },
    }),
    ...(minTls !== undefined && { minTlsVersion: minTls }),
    ...(httpsRedirect !== undefined && { redirectToHttps: httpsRedirect }),
  };
}

export function ownDataLines({ externalId, metadata = {} }: OwnDataOptions): string[] {
  return [
    ...(externalId === undefined ? [] : [`external id: ${printable(externalId)}`]),
    ...Object.entries(metadata).map(([key, value]) => `metadata ${key}: ${printable(value)}`),
  ];
}

function describeUpdated({ domain, externalId, metadata, settings = {} }: UpdatedDomain): string {
  const { origin, hsts, minTlsVersion, redirectToHttps } = settings;
  const lines = [
    ...ownDataLines({ externalId, metadata }),
    origin !== undefined && `origin: ${printable(origin)}`,
    hsts &&
      `HSTS: ${hsts.maxAge} seconds${hsts.includeSubDomains ? ', with all names below it' : ''}${hsts.preload ? ', preload' : ''}`,
    minTlsVersion !== undefined && `lowest TLS version: ${minTlsVersion}`,
    redirectToHttps !== undefined && `HTTP: ${redirectToHttps ? 'redirected to HTTPS' : 'goes to the origin'}`,
  ].filter((line) => typeof line === 'string');
  if (lines.length === 0) return `${printable(domain)} has no data and no settings of its own.`;
  return `${printable(domain)} has\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
