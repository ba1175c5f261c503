import { type Command, Option } from 'commander';
import { type ApiClient, connect } from './api-client.ts';
import { EXIT } from './cli-error.ts';
import { type ApiOptions, apiOptions, curlCommand, dataFlag, define, group, parseDuration } from './options.ts';
import { type Column, harmless, paint, print, show, table, when } from './output.ts';
import { describeCertificate, type ShownCertificate } from './show-certificate.ts';
import { describeDomain, type PublishedRecord, recordsTable, type ShownDomain, statusStyle } from './show-domain.ts';
import { type Parent, type ParentOptions, parentOptions, parentsOf } from './tree-commands.ts';
import {
  createProgress,
  type Patience,
  type Progress,
  patienceOf,
  waitUntilIssued,
  waitUntilVerified,
} from './wait.ts';
import { renderZone } from './zone-file.ts';

const PARENTS: Parent[] = ['project', 'app', 'environment'];

const COLUMNS: Column<ShownDomain>[] = [
  { title: 'Domain', text: ({ domain }) => domain },
  { title: 'Status', text: ({ status }) => status, style: ({ status }) => statusStyle(status) },
  { title: 'Id', text: ({ id }) => id },
  { title: 'Created', text: ({ createdAt }) => when(createdAt) },
];

export function addDomains(program: Command): void {
  const domains = group(program, 'domains', 'Custom domains and their verification.', [
    'nameplate domains create shop.example.com',
    'nameplate domains wait shop.example.com',
  ]);
  addCreate(domains);
  addGet(domains);
  addList(domains);
  addVerify(domains);
  addWait(domains);
  addCertificate(domains);
  addRecords(domains);
  addDelete(domains);
}

function addCreate(domains: Command): void {
  const create = define(
    domains,
    'create <domain>',
    'Attach a domain to an environment; shows the records to publish.',
    [
      'nameplate domains create shop.example.com',
      'nameplate domains create shop.example.com --project shop --app storefront --environment production',
    ],
  );
  apiOptions(parentOptions(create, PARENTS)).action(async (name: string, options: ApiOptions & ParentOptions) => {
    const server = await connect(options);
    const body = { ...parentsOf(server, options, PARENTS), domain: name };
    const made = await server.call<{ domainId: string; dnsRecords: PublishedRecord[] }>('domains.createDomain', body);
    const shown = { id: made.domainId, domain: name, dnsRecords: made.dnsRecords };
    show(options, shown, ({ id, dnsRecords }) =>
      [
        `Created ${harmless(name)} (${id}). Publish these records in its DNS zone:`,
        '',
        recordsTable(dnsRecords),
        '',
        next(server, options, server.playground === null ? `domains wait ${name}` : `dns publish ${name}`),
      ].join('\n'),
    );
  });
}

function addGet(domains: Command): void {
  const examples = ['nameplate domains get shop.example.com', 'nameplate domains get shop.example.com --json'];
  apiOptions(define(domains, 'get <domain>', 'Show one domain, by name or id.', examples)).action(
    async (name: string, options: ApiOptions) => {
      const server = await connect(options);
      show(options, await server.call<ShownDomain>('domains.getDomain', { domain: name }), describeDomain);
    },
  );
}

function addList(domains: Command): void {
  const examples = ['nameplate domains list', 'nameplate domains list --search example.com'];
  const list = define(domains, 'list', 'List the domains of an environment, oldest first.', examples);
  apiOptions(parentOptions(list, PARENTS))
    .option('--search <text>', 'part of a name or id')
    .action(async (options: ApiOptions & ParentOptions & { search?: string }) => {
      const server = await connect(options);
      const body = { ...parentsOf(server, options, PARENTS), ...(options.search && { search: options.search }) };
      const found = await server.list<ShownDomain>('domains.listDomains', body);
      show(options, found, (rows) => (rows.length === 0 ? 'No domains found.' : table(COLUMNS, rows)));
    });
}

function addVerify(domains: Command): void {
  const examples = ['nameplate domains verify shop.example.com'];
  apiOptions(define(domains, 'verify <domain>', 'Check now; a failed domain gets a new window.', examples)).action(
    async (name: string, options: ApiOptions) => {
      const server = await connect(options);
      await server.call('domains.verifyDomain', { domain: name });
      show(options, { domain: name, accepted: true }, () =>
        [`A check of ${harmless(name)} is under way.`, '', next(server, options, `domains wait ${name}`)].join('\n'),
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
    'Show progress until a domain is verified, or served over HTTPS; exits with 3 if it failed or the time ran out.';
  apiOptions(define(domains, 'wait <domain>', summary, examples))
    .option('--certificate', 'go on until it is served over HTTPS')
    .option('--timeout <time>', 'give up after this time, such as 90s or 10m (default: never)', parseDuration)
    .action(async (name: string, options: WaitOptions) => {
      const server = await connect(options);
      const progress = options.json ? SILENT : createProgress(process.stdout, server.playground?.windowMs);
      const patience = patienceOf(options.timeout);
      const { outcome, domain } = await waitUntilVerified(server, name, progress, patience);
      if (outcome === 'verified' && options.certificate) return waitOn(server, name, progress, patience, options);
      show(options, domain, () => {
        if (outcome === 'verified') return 'Routing is in place.';
        if (outcome === 'timed out') return 'Not verified in the time given. The checks go on.';
        return `Correct the records, then check again.\n${next(server, options, `domains verify ${name}`)}`;
      });
      if (outcome !== 'verified') process.exitCode = EXIT.notVerified;
    });
}

const SILENT: Progress = { show() {}, showCertificate() {} };

async function waitOn(
  server: ApiClient,
  name: string,
  progress: Progress,
  patience: Patience,
  options: WaitOptions,
): Promise<void> {
  const { outcome, certificate } = await waitUntilIssued(server, name, progress, patience);
  show(options, certificate, () => {
    const { domain } = certificate;
    if (outcome === 'issued') {
      const edge = server.playground?.edge;
      return [
        `https://${harmless(domain)} is served.`,
        ...(edge === undefined ? [] : [`See it: ${paint('bold', curlCommand(edge, domain))}`]),
      ].join('\n');
    }
    if (outcome === 'timed out') return 'No certificate in the time given. It is tried again.';
    return `The domain is no longer verified.\n${next(server, options, `domains get ${name}`)}`;
  });
  if (outcome !== 'issued') process.exitCode = EXIT.notVerified;
}

function addCertificate(domains: Command): void {
  const examples = ['nameplate domains certificate shop.example.com'];
  const summary = 'Show how the certificate of a domain stands, and what stands in the way.';
  apiOptions(define(domains, 'certificate <domain>', summary, examples)).action(
    async (name: string, options: ApiOptions) => {
      const server = await connect(options);
      const certificate = await server.call<ShownCertificate>('domains.getCertificate', { domain: name });
      show(options, certificate, (found) => describeCertificate(found));
    },
  );
}

function addRecords(domains: Command): void {
  const examples = [
    'nameplate domains records shop.example.com',
    'nameplate domains records shop.example.com --format zone',
  ];
  const format = new Option('--format <format>', 'how to print them')
    .choices(['table', 'zone', 'json'])
    .default('table');
  apiOptions(define(domains, 'records <domain>', 'Show the DNS records that a domain needs.', examples))
    .addOption(format)
    .action(async (name: string, options: ApiOptions & { format: 'table' | 'zone' | 'json' }) => {
      const server = await connect(options);
      const { domain, dnsRecords } = await server.call<ShownDomain>('domains.getDomain', { domain: name });
      if (options.json || options.format === 'json') print(JSON.stringify(dnsRecords));
      else if (options.format === 'zone') print(renderZone(domain, dnsRecords));
      else print(recordsTable(dnsRecords));
    });
}

function addDelete(domains: Command): void {
  const examples = ['nameplate domains delete shop.example.com'];
  apiOptions(
    define(domains, 'delete <domain>', 'Delete a domain with its route; the name is free at once.', examples),
  ).action(async (name: string, options: ApiOptions) => {
    const server = await connect(options);
    await server.call('domains.deleteDomain', { domain: name });
    show(options, { domain: name, deleted: true }, () => `Deleted ${harmless(name)}.`);
  });
}

/** What to type next. In the playground as it is typed from the clone. */
function next({ playground }: ApiClient, options: ApiOptions, command: string): string {
  const program = playground === null ? 'nameplate' : './bin/nameplate';
  return `Next: ${paint('bold', `${program} ${harmless(command)}${dataFlag(options.data)}`)}`;
}
