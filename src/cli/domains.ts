import { type Command, Option } from 'commander';
import type { Static } from 'typebox';
import type { ListedDomainSchema } from '../api/domains/listDomains.ts';
import { systemClock } from '../clock.ts';
import { type ApiClient, connect } from './api-client.ts';
import { EXIT } from './cli-error.ts';
import { addDiagnosis } from './diagnose.ts';
import { addEvents } from './events.ts';
import { addExport } from './export-domains.ts';
import { addImport } from './import-domains.ts';
import { addMove } from './move.ts';
import { nextCommand } from './next-command.ts';
import { type ApiOptions, apiCommand, curlCommand, define, parseDuration } from './options.ts';
import { type Column, dateTime, jsonText, paint, print, printable, show, table } from './output.ts';
import { addRedirect } from './redirect-domain.ts';
import { addRestore } from './restore.ts';
import { addSetupLinks } from './setup-links.ts';
import { describeCertificate, type ShownCertificate } from './show-certificate.ts';
import { describeDomain, type PublishedRecord, recordsTable, type ShownDomain, statusStyle } from './show-domain.ts';
import { addSuspend, withSuspensions } from './suspend-domain.ts';
import { type Level, type PathOptions, pathFrom, pathOptions } from './tree-commands.ts';
import { createProgress, type Progress, waitUntilIssued, waitUntilVerified, watchDomain } from './wait.ts';
import { renderZone } from './zone-file.ts';

const PATH: Level[] = ['project', 'app', 'environment'];

const COLUMNS: Column<ShownDomain>[] = [
  { title: 'Domain', text: ({ domain }) => domain },
  { title: 'Status', text: ({ status }) => status, style: ({ status }) => statusStyle(status) },
  { title: 'Id', text: ({ id }) => id },
  { title: 'Created', text: ({ createdAt }) => dateTime(createdAt) },
];

type ListedDomain = Static<typeof ListedDomainSchema>;

export function addDomains(program: Command): void {
  const domains = define(program, 'domains', 'Add custom domains, and follow their verification and certificates.', [
    'nameplate domains create shop.example.com',
    'nameplate domains wait shop.example.com',
  ]);
  addCreate(domains);
  addGet(domains);
  addList(domains);
  addImport(domains);
  addExport(domains);
  addVerify(domains);
  addWait(domains);
  addWatch(domains);
  addDiagnosis(domains);
  addEvents(domains);
  addCertificate(domains);
  addRecords(domains);
  addRedirect(domains);
  addSetupLinks(domains);
  addDelete(domains);
  addRestore(domains);
  addMove(domains);
  addSuspend(domains);
}

function addCreate(domains: Command): void {
  const command = apiCommand(
    domains,
    'create <domain>',
    'Add a domain to an environment, and show the records to publish.',
    [
      'nameplate domains create shop.example.com',
      'nameplate domains create shop.example.com --project shop --app storefront --environment production',
    ],
  );
  pathOptions(command, PATH).action(async (name: string, options: ApiOptions & PathOptions) => {
    const api = await connect(options);
    const body = { ...pathFrom(api, options, PATH), domain: name };
    const { domainId: id, dnsRecords } = await api.call<{ domainId: string; dnsRecords: PublishedRecord[] }>(
      'domains.createDomain',
      body,
    );
    show(options, { id, domain: name, dnsRecords }, () =>
      [
        `Created ${printable(name)} (${id}). Publish these records in its DNS zone:`,
        '',
        recordsTable(dnsRecords),
        '',
        nextCommand(api, options, api.playground === null ? `domains wait ${name}` : `dns publish ${name}`),
      ].join('\n'),
    );
  });
}

function addGet(domains: Command): void {
  const examples = ['nameplate domains get shop.example.com', 'nameplate domains get shop.example.com --json'];
  apiCommand(domains, 'get <domain>', 'Show one domain, by name or id.', examples).action(
    async (name: string, options: ApiOptions) => {
      const api = await connect(options);
      show(options, await api.call<ShownDomain>('domains.getDomain', { domain: name }), describeDomain);
    },
  );
}

function addList(domains: Command): void {
  const examples = ['nameplate domains list', 'nameplate domains list --search example.com'];
  pathOptions(apiCommand(domains, 'list', 'List the domains of an environment, oldest first.', examples), PATH)
    .option('--search <text>', 'only domains whose name or id contains this')
    .action(async (options: ApiOptions & PathOptions & { search?: string }) => {
      const api = await connect(options);
      const body = { within: pathFrom(api, options, PATH), ...(options.search && { search: options.search }) };
      const listed = await api.list<ListedDomain>('domains.listWorkspaceDomains', body);
      const found = listed.map(({ domain, suspension }) => ({ ...domain, ...(suspension && { suspension }) }));
      const columns = withSuspensions(COLUMNS, found);
      show(options, found, (rows) => (rows.length === 0 ? 'No domains found.' : table(columns, rows)));
    });
}

function addVerify(domains: Command): void {
  const summary = 'Check a domain now. A failed domain gets a new verification window.';
  apiCommand(domains, 'verify <domain>', summary, ['nameplate domains verify shop.example.com']).action(
    async (name: string, options: ApiOptions) => {
      const api = await connect(options);
      await api.call('domains.verifyDomain', { domain: name });
      show(
        options,
        { domain: name, accepted: true },
        () => `Checking ${printable(name)} now.\n\n${nextCommand(api, options, `domains wait ${name}`)}`,
      );
    },
  );
}

interface WaitOptions extends ApiOptions {
  certificate?: true;
  timeout?: number;
}

function addWait(domains: Command): void {
  const examples = [
    'nameplate domains wait shop.example.com',
    'nameplate domains wait shop.example.com --certificate --timeout 10m',
  ];
  const summary =
    'Show progress until a domain is verified, or with --certificate until it is served over HTTPS. Exits with 3 if verification fails, or if --timeout is reached first.';
  apiCommand(domains, 'wait <domain>', summary, examples)
    .option('--certificate', 'wait until the domain is served over HTTPS')
    .option('--timeout <time>', 'give up after this time, such as 90s or 10m (default: never)', parseDuration)
    .action(async (name: string, options: WaitOptions) => {
      const api = await connect(options);
      const progress = options.json ? SILENT : createProgress(process.stdout, api.playground?.windowMs);
      const deadline = systemClock.now() + (options.timeout ?? Number.POSITIVE_INFINITY);
      const { outcome, domain } = await waitUntilVerified(api, name, progress, deadline);
      if (outcome === 'verified' && options.certificate) return waitOn(api, name, progress, deadline, options);
      show(options, domain, () => {
        if (outcome === 'verified') return 'The domain is verified and routed.';
        if (outcome === 'timed out') return 'Not verified within the timeout. The server keeps checking.';
        return `Correct the records, then check again.\n${nextCommand(api, options, `domains verify ${name}`)}`;
      });
      if (outcome !== 'verified') process.exitCode = EXIT.blocked;
    });
}

function addWatch(domains: Command): void {
  const examples = ['nameplate domains watch shop.example.com', 'nameplate domains watch shop.example.com --json'];
  const summary =
    'Show a domain now and with each change, until Ctrl-C. Connects again when the connection is lost. Exits with 1 when the domain is deleted, or the key no longer works.';
  apiCommand(domains, 'watch <domain>', summary, examples, 'print one JSON document a line, for each change').action(
    async (name: string, options: ApiOptions) => {
      const api = await connect(options);
      await watchDomain(api, name, options.json ? LINES : createProgress(process.stdout, api.playground?.windowMs));
    },
  );
}

/** `note`: there is no newer state. */
const LINES: Pick<Progress, 'show'> = {
  show({ domain }, note) {
    if (note === undefined) print(jsonText(domain));
  },
};

const SILENT: Progress = { show() {}, showCertificate() {} };

async function waitOn(
  api: ApiClient,
  name: string,
  progress: Progress,
  deadline: number,
  options: WaitOptions,
): Promise<void> {
  const { outcome, certificate } = await waitUntilIssued(api, name, progress, deadline);
  show(options, certificate, () => {
    const { domain } = certificate;
    if (outcome === 'timed out') return 'No certificate within the timeout. The server keeps trying.';
    if (outcome === 'not wanted')
      return `The domain is no longer verified.\n${nextCommand(api, options, `domains get ${name}`)}`;
    const edge = api.playground?.edge;
    const served = `https://${printable(domain)} is served.`;
    return edge === undefined ? served : `${served}\nTry it: ${paint('bold', curlCommand(edge, domain))}`;
  });
  if (outcome !== 'issued') process.exitCode = EXIT.blocked;
}

function addCertificate(domains: Command): void {
  const summary = 'Show the certificate of a domain: its state, and what blocks it.';
  apiCommand(domains, 'certificate <domain>', summary, ['nameplate domains certificate shop.example.com']).action(
    async (name: string, options: ApiOptions) => {
      const api = await connect(options);
      const certificate = await api.call<ShownCertificate>('domains.getCertificate', { domain: name });
      show(options, certificate, (found) => describeCertificate(found));
    },
  );
}

function addRecords(domains: Command): void {
  const examples = [
    'nameplate domains records shop.example.com',
    'nameplate domains records shop.example.com --format zone',
  ];
  const format = new Option('--format <format>', 'output format').choices(['table', 'zone', 'json']).default('table');
  apiCommand(domains, 'records <domain>', 'Show the DNS records that a domain needs.', examples)
    .addOption(format)
    .action(async (name: string, options: ApiOptions & { format: 'table' | 'zone' | 'json' }) => {
      const api = await connect(options);
      const { domain, dnsRecords } = await api.call<ShownDomain>('domains.getDomain', { domain: name });
      if (options.json || options.format === 'json') print(jsonText(dnsRecords));
      else print(options.format === 'zone' ? renderZone(domain, dnsRecords) : recordsTable(dnsRecords));
    });
}

function addDelete(domains: Command): void {
  const summary =
    'Delete a domain and stop serving it. The name can be added again at once, as a new domain; "domains restore" brings this one back, within seven days by default.';
  apiCommand(domains, 'delete <domain>', summary, ['nameplate domains delete shop.example.com']).action(
    async (name: string, options: ApiOptions) => {
      const api = await connect(options);
      await api.call('domains.deleteDomain', { domain: name });
      show(options, { domain: name, deleted: true }, () => `Deleted ${printable(name)}.`);
    },
  );
}
