import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { idMaker } from '../../base/ids.ts';
import { readConnectConfig } from '../../config/config.ts';
import { connectSettingsOf } from '../../config/connect-settings.ts';
import {
  type ConnectSettings,
  keyLabel,
  keyRecords,
  TEMPLATE_KINDS,
  type TemplateKind,
  templateId,
  templateRecords,
} from '../../domain/domain-connect.ts';
import type { ConnectKey } from '../../store/store.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { collectNames, define, parseCount, parseName, storeCommand } from '../options.ts';
import { changeAction } from './open-database.ts';

interface TemplateOptions {
  providerName: string;
  serviceName: string;
  logo?: string;
  redirectDomain?: string[];
  templateVersion: number;
  output?: string;
}

const SUMMARY =
  'Let DNS providers publish the records for your customers (Domain Connect): see docs/guides/domain-connect.md. Needs NAMEPLATE_DOMAIN_CONNECT_PROVIDER and the other settings of the server.';

export function addDomainConnect(program: Command): void {
  const group = define(program, 'domain-connect', SUMMARY, [
    'nameplate domain-connect template --provider-name Acme --service-name "Acme Shops"',
    'nameplate domain-connect rotate-key',
  ]);
  addTemplate(group);
  addRotateKey(group);
}

function addTemplate(group: Command): void {
  const summary =
    'Print the templates for DNS providers, and the TXT records of the key that signs links to providers. The first run creates the key.';
  storeCommand(group, 'template', summary, [
    '--provider-name Acme --service-name "Acme Shops"',
    '--provider-name Acme --service-name "Acme Shops" --logo https://example.net/logo.svg --output templates',
  ])
    .requiredOption('--provider-name <name>', 'your name, as providers show it to customers', parseName)
    .requiredOption('--service-name <name>', 'name of what customers connect to, as providers show it', parseName)
    .option('--logo <url>', 'https URL of your logo, as providers show it', parseLogo)
    .option(
      '--redirect-domain <domain>',
      'a domain that providers may send browsers back to, in addition to that of NAMEPLATE_PUBLIC_URL; repeat it for several',
      collectNames,
    )
    .option('--template-version <n>', 'version of the templates; raise it with every change', parseCount, 1)
    .option('--output <dir>', 'existing directory to write the templates to, with the file names that providers expect')
    .action(
      changeAction(
        async ({ store, options }: { store: KeyStore; options: TemplateOptions }) => {
          const { settings, redirectDomain } = readSettings();
          const [newest = await addKey(store)] = await store.listConnectKeys();
          const domains = [...redirectDomain, ...(options.redirectDomain ?? [])];
          const templates = TEMPLATE_KINDS.flatMap((kind) => templateOf(kind, settings, options, domains));
          for (const { file, template } of options.output === undefined ? [] : templates)
            await writeFile(join(options.output ?? '', file), `${JSON.stringify(template, null, 2)}\n`);
          return { templates, record: recordOf(newest, settings) };
        },
        ({ templates, record }, { output }) =>
          [
            ...templates.map(({ file, template }) =>
              output === undefined
                ? `# ${file}\n${JSON.stringify(template, null, 2)}\n`
                : `Wrote ${join(output, file)}.`,
            ),
            describeRecord(record),
          ].join('\n'),
      ),
    );
}

function addRotateKey(group: Command): void {
  const summary =
    'Create a new key and print its TXT records. Publish them: servers sign with the newest key whose records are published. Delete the records of the old key a day later.';
  storeCommand(group, 'rotate-key', summary, ['']).action(
    changeAction(
      async ({ store }: { store: KeyStore }) => {
        const { settings } = readSettings();
        return { record: recordOf(await addKey(store), settings) };
      },
      ({ record }) => describeRecord(record),
    ),
  );
}

interface KeyStore {
  listConnectKeys(): Promise<ConnectKey[]>;
  addConnectKey(key: ConnectKey): Promise<'added'>;
}

async function addKey(store: KeyStore): Promise<ConnectKey> {
  const pair = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  });
  const key = { ...pair, id: idMaker(systemClock)('dck'), createdAt: systemClock.now() };
  await store.addConnectKey(key);
  return key;
}

function readSettings(): { settings: ConnectSettings; redirectDomain: string[] } {
  const config = readConnectConfig();
  const settings = connectSettingsOf(config);
  if (settings === undefined)
    throw new CliError(
      'NAMEPLATE_DOMAIN_CONNECT_PROVIDER is not set. Set it to a domain of yours, here and on the servers: docs/guides/domain-connect.md.',
      { exitCode: EXIT.usage },
    );
  const { publicUrl, apiHostname } = config;
  const redirectDomain = publicUrl === undefined ? apiHostname : new URL(publicUrl).hostname;
  return { settings, redirectDomain: redirectDomain === undefined ? [] : [redirectDomain] };
}

function templateOf(
  kind: TemplateKind,
  settings: ConnectSettings,
  { providerName, serviceName, logo, templateVersion: version }: TemplateOptions,
  redirectDomains: string[],
) {
  const records = templateRecords(kind, settings);
  if (records === null) return [];
  const { providerId } = settings;
  const serviceId = templateId(settings, kind);
  const template = {
    ...{ providerId, providerName, serviceId, serviceName, version },
    ...(logo !== undefined && { logoUrl: logo }),
    description: `Connects a ${kind === 'wildcard' ? 'wildcard domain' : kind} to ${serviceName}.`,
    variableDescription: `token: proves that the customer owns the domain${kind === 'apex' ? '' : '; target: the label of the domain in our own zones'}`,
    syncPubKeyDomain: providerId,
    ...(redirectDomains.length > 0 && { syncRedirectDomain: redirectDomains.join(',') }),
    hostRequired: kind === 'subdomain',
    // A zone may connect several names.
    multiInstance: true,
    records,
  };
  return [{ file: `${providerId}.${serviceId}.json`.toLowerCase(), template }];
}

interface KeyRecord {
  name: string;
  type: 'TXT';
  values: string[];
}

function recordOf({ id, publicKey }: ConnectKey, { providerId }: ConnectSettings): KeyRecord {
  return { name: `${keyLabel(id)}.${providerId}`, type: 'TXT', values: keyRecords(publicKey) };
}

function describeRecord({ name, values }: KeyRecord): string {
  const lines = values.map((value) => `  ${name}. TXT "${value}"`);
  return ['Publish these records, without which no provider accepts a link:', '', ...lines].join('\n');
}

function parseLogo(text: string): string {
  if (!URL.canParse(text) || !text.startsWith('https://')) throw new InvalidArgumentError('Expected an https URL.');
  return text;
}
