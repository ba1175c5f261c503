import { type Command, Option } from 'commander';
import type { Static } from 'typebox';
import type { SiteSchema } from '../../api/domains/site.ts';
import { systemClock } from '../../base/clock.ts';
import { addServing, withSuspensions } from '../api/serving.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { type ApiOptions, apiCommand, curlCommand, define, parseDuration, shellQuote } from '../options.ts';
import { type Column, dateTime, jsonText, listing, paint, print, printable, show } from '../output/output.ts';
import { describeCertificate, type ShownCertificate } from '../output/show-certificate.ts';
import {
  describeDiagnosis,
  describeName,
  isBlocked,
  type ShownDiagnosis,
  type ShownName,
} from '../output/show-diagnosis.ts';
import {
  describeDomain,
  describeLive,
  type PublishedRecord,
  progressTable,
  recordsTable,
  type ShownDomain,
  statusStyle,
  withLive,
} from '../output/show-domain.ts';
import { ApiError, apiAction, type CommandCall, connect, nextCommand } from './api-client.ts';
import { addEvents } from './events.ts';
import { addExport } from './export-domains.ts';
import { addImport } from './import-domains.ts';
import { readFile } from './origins.ts';
import { addSetupLinks } from './setup-links.ts';
import { type Level, type PathOptions, pathFrom, pathOptions } from './tree-commands.ts';
import { addUpdate, type OwnDataOptions, ownDataLines, ownDataOptions } from './update-domain.ts';
import { createProgress, type Progress, waitUntilIssued, waitUntilVerified, watchDomain } from './wait.ts';
import { withRetries } from './with-retries.ts';
import { renderZone } from './zone-file.ts';

const PATH: Level[] = ['project', 'app', 'environment'];

const COLUMNS: Column<ShownDomain>[] = [
  { title: 'Domain', text: ({ domain }) => domain },
  { title: 'Status', text: ({ status }) => status, style: ({ status }) => statusStyle(status) },
  { title: 'Id', text: ({ id }) => id },
  { title: 'Created', text: ({ createdAt }) => dateTime(createdAt) },
];

type ListedDomain = Static<typeof SiteSchema>;

interface CreatedDomain {
  domainId: string;
  dnsRecords: PublishedRecord[];
  counterpart?: { domainId: string; domain: string; dnsRecords: PublishedRecord[] };
}

export function addDomains(program: Command): void {
  const summary = 'Add custom domains, and follow their verification and certificates.';
  const domains = define(program, 'domains', summary, [
    'nameplate domains create shop.example.com',
    'nameplate domains wait shop.example.com',
  ]);
  addTheirLives(domains);
  addWaiting(domains);
  addDns(domains);
  addImport(domains);
  addExport(domains);
  addEvents(domains);
  addUpdate(domains);
  addServing(domains);
  addSetupLinks(domains);
}

interface CreateOptions extends PathOptions, OwnDataOptions {
  replaceUnverified?: true;
  withWww?: true;
}

/** Commands that add, show, update, move, delete and restore domains. */
function addTheirLives(domains: Command): void {
  const create = apiCommand(
    domains,
    'create <domain>',
    'Add a domain to an environment, and show the records to publish.',
    [
      'shop.example.com',
      'example.com --with-www',
      "'*.shop.example.com'",
      'shop.example.com --project shop --app storefront --environment production',
    ],
  )
    .option(
      '--with-www',
      'also add the counterpart, www.example.com for example.com or the reverse, and redirect it to this domain',
    )
    .option('--replace-unverified', 'replace a domain of the workspace that has this name and was never verified');
  ownDataOptions(pathOptions(create, PATH)).action(
    apiAction(
      async ({ api, options }: CommandCall<CreateOptions>, domain) => {
        const { externalId, metadata, replaceUnverified, withWww } = options;
        const body = { ...pathFrom(api, options, PATH), domain, externalId, metadata, replaceUnverified, withWww };
        const created = await api.call<CreatedDomain>('domains.createDomain', body);
        const { domainId: id, dnsRecords, counterpart } = created;
        return { id, domain, dnsRecords, ...(counterpart && { counterpart }) };
      },
      ({ id, domain, dnsRecords, counterpart }, call) =>
        [
          `Created ${printable(domain)} (${id}). Publish these records in its DNS zone:`,
          '',
          recordsTable([...dnsRecords, ...(counterpart?.dnsRecords ?? [])]),
          '',
          ...(counterpart === undefined
            ? []
            : [
                `Created ${printable(counterpart.domain)} (${counterpart.domainId}) too: it redirects to ${printable(domain)} once both are verified.`,
                '',
              ]),
          nextCommand(
            call,
            call.api.playground === null ? `domains wait ${shellQuote(domain)}` : `dns publish ${shellQuote(domain)}`,
          ),
        ].join('\n'),
    ),
  );

  apiCommand(
    domains,
    'get <domain>',
    'Show one domain, by name or id: its records, your own data, and whether visitors reach its site.',
    ['shop.example.com', 'shop.example.com --json'],
  ).action(
    apiAction(
      async ({ api }, domain) => {
        const site = await api.call<ListedDomain>('domains.getSite', { domain });
        const { domain: shown, live, challengeRecord, readyToSwitch, externalId, metadata } = site;
        return {
          ...shown,
          ...(live && { live }),
          ...(challengeRecord && { challengeRecord }),
          ...(readyToSwitch && { readyToSwitch }),
          ...(externalId !== undefined && { externalId }),
          ...(metadata && { metadata }),
        };
      },
      (found: ShownDomain & OwnDataOptions & Pick<ListedDomain, 'live' | 'challengeRecord' | 'readyToSwitch'>) => {
        const own = ownDataLines(found);
        const { challengeRecord: challenge } = found;
        const optional = challenge
          ? `Optional, for a certificate before the switch or behind a proxy:\n\n${progressTable([challenge])}`
          : '';
        const ready = found.readyToSwitch ? 'Its certificate is ready: change the routing record now.' : '';
        const live = found.live ? describeLive(found.live) : '';
        const parts = [describeDomain(found), optional, ready, own.join('\n'), live];
        return parts.filter((part) => part !== '').join('\n\n');
      },
    ),
  );

  const list = apiCommand(domains, 'list', 'List the domains of an environment, oldest first.', [
    '',
    '--search example.com',
  ]);
  pathOptions(list, PATH)
    .option('--search <text>', 'only domains whose name or id contains this')
    .action(
      apiAction(
        async ({ api, options }: CommandCall<PathOptions & { search?: string }>) => {
          const body = { within: pathFrom(api, options, PATH), ...(options.search && { search: options.search }) };
          const listed = await api.list<ListedDomain>('domains.listWorkspaceDomains', body);
          return listed.map(({ domain, live, suspension }) => ({
            ...domain,
            ...(live && { live }),
            ...(suspension && { suspension }),
          }));
        },
        (found) => listing(withSuspensions(withLive(COLUMNS, found), found), 'No domains found.')(found),
      ),
    );

  const move =
    'Move a domain to another environment of the workspace. It keeps its records, status and certificate, and its site stays up throughout.';
  pathOptions(
    apiCommand(domains, 'move <domain>', move, ['shop.example.com --project demo --app web --environment staging']),
    PATH,
  ).action(
    apiAction(
      ({ api, options }: CommandCall<PathOptions>, domain) =>
        api.call<ShownDomain>('domains.moveDomain', { ...pathFrom(api, options, PATH), domain }),
      ({ domain, environmentId }) => `${printable(domain)} is in the environment ${environmentId} now.`,
    ),
  );

  const remove =
    'Delete a domain and stop serving it. "domains restore" can bring it back, for seven days by default. The name can also be added again at once, as a new domain.';
  apiCommand(domains, 'delete <domain>', remove, ['shop.example.com']).action(
    apiAction(
      async ({ api }, domain) => {
        await api.call('domains.deleteDomain', { domain });
        return { domain, deleted: true };
      },
      ({ domain }) => `Deleted ${printable(domain)}.`,
    ),
  );

  const restoring =
    'Restore deleted domains with their ids, records and certificates. Works for seven days after the deletion, unless the operator sets another time. Exits with 3 if some of several domains were refused.';
  apiCommand(domains, 'restore <domain...>', restoring, [
    'shop.example.com',
    'shop.example.com www.example.com',
  ]).action(restore);
}

/** Why one domain cannot be restored; any other error concerns all of them. */
const REFUSALS = [403, 404, 409, 412];

async function restore(names: string[], options: ApiOptions): Promise<void> {
  const api = await connect(options);
  const restoreOne = (domain: string) => api.call<ShownDomain>('domains.restoreDomain', { domain });
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0) return show(options, await restoreOne(only), describeDomain);
  const restored: ShownDomain[] = [];
  const refused: { domain: string; reason: string }[] = [];
  for (const name of names) {
    let outcome: string;
    try {
      const domain = await withRetries(() => restoreOne(name));
      restored.push(domain);
      outcome = `restored, ${domain.status}`;
    } catch (error) {
      if (!(error instanceof ApiError && REFUSALS.includes(error.status))) throw error;
      refused.push({ domain: name, reason: error.detail });
      outcome = `not restored. ${error.detail}`;
    }
    if (!options.json) print(printable(`${name}: ${outcome}`));
  }
  if (options.json) print(jsonText({ restored, refused }));
  if (refused.length > 0) process.exitCode = EXIT.blocked;
}

interface WaitOptions extends ApiOptions {
  certificate?: true;
  timeout?: number;
}

/** Commands that follow the verification of a domain. */
function addWaiting(domains: Command): void {
  const verify = 'Check a domain now. A failed domain gets a new verification window.';
  apiCommand(domains, 'verify <domain>', verify, ['shop.example.com']).action(
    apiAction(
      async ({ api }, domain) => {
        await api.call('domains.verifyDomain', { domain });
        return { domain, accepted: true };
      },
      ({ domain }, call) =>
        `Checking ${printable(domain)} now.\n\n${nextCommand(call, `domains wait ${shellQuote(domain)}`)}`,
    ),
  );

  const waiting =
    'Show progress until a domain is verified or, with --certificate, until it is served over HTTPS. Exits with 3 if verification fails or --timeout is reached first.';
  apiCommand(domains, 'wait <domain>', waiting, ['shop.example.com', 'shop.example.com --certificate --timeout 10m'])
    .option('--certificate', 'wait until the domain is served over HTTPS')
    .option('--timeout <time>', 'give up after this time, such as 90s or 10m (default: never)', parseDuration)
    .action(wait);

  const watching =
    'Show a domain now and after each change, until you press Ctrl-C. Reconnects when the connection is lost. Exits with 1 when the domain is deleted or the key stops working.';
  const json =
    'print one JSON document a line, for each change: the domain, with "findings" once the checks have found a mistake';
  apiCommand(domains, 'watch <domain>', watching, ['shop.example.com', 'shop.example.com --json'], json).action(
    async (name: string, options: ApiOptions) => {
      const api = await connect(options);
      await watchDomain(api, name, options.json ? LINES : createProgress(process.stdout, api.playground?.windowMs));
    },
  );
}

/** `note`: there is no newer state. */
const LINES: Pick<Progress, 'show'> = {
  show({ domain, findings, isTold }, note) {
    if (note === undefined) print(jsonText({ ...domain, ...(isTold && { findings }) }));
  },
};

const SILENT: Progress = { show() {}, showCertificate() {} };

async function wait(name: string, options: WaitOptions): Promise<void> {
  const call = { api: await connect(options), options };
  const { playground } = call.api;
  const progress = options.json ? SILENT : createProgress(process.stdout, playground?.windowMs);
  const deadline = systemClock.now() + (options.timeout ?? Number.POSITIVE_INFINITY);
  const { outcome, domain } = await waitUntilVerified(call.api, name, progress, deadline);
  if (outcome === 'verified' && options.certificate) return waitForCertificate(call, name, progress, deadline);
  show(options, domain, () => {
    if (outcome === 'verified') return 'The domain is verified and routed.';
    if (outcome === 'timed out') return 'Not verified within the timeout. The server keeps checking.';
    return `Correct the records, then check again.\n${nextCommand(call, `domains verify ${shellQuote(name)}`)}`;
  });
  if (outcome !== 'verified') process.exitCode = EXIT.blocked;
}

async function waitForCertificate(
  call: CommandCall<WaitOptions>,
  name: string,
  progress: Progress,
  deadline: number,
): Promise<void> {
  const { outcome, certificate } = await waitUntilIssued(call.api, name, progress, deadline);
  show(call.options, certificate, ({ domain }) => {
    if (outcome === 'timed out') return 'No certificate within the timeout. The server keeps trying.';
    if (outcome === 'not wanted')
      return `The domain is no longer verified.\n${nextCommand(call, `domains get ${name}`)}`;
    const edge = call.api.playground?.edge;
    const served = `https://${printable(domain)} is served.`;
    return edge === undefined || domain.startsWith('*.')
      ? served
      : `${served}\nTry it: ${paint('bold', curlCommand(edge, domain))}`;
  });
  if (outcome !== 'issued') process.exitCode = EXIT.blocked;
}

interface CertificateOptions {
  chain?: string;
  privateKey?: string;
  remove?: true;
}

/** Commands that show what is in DNS, the records to publish, and the certificate. */
function addDns(domains: Command): void {
  const diagnose =
    'Query the nameservers of a domain now, and show what is wrong, where, and what to enter instead. Changes nothing. Exits with 3 if you have something to fix.';
  apiCommand(domains, 'diagnose <domain>', diagnose, ['shop.example.com', 'shop.example.com --cached --json'])
    .option('--cached', 'show what the last check found, without querying the nameservers')
    .action(
      apiAction(
        async ({ api, options: { cached } }: CommandCall<{ cached?: true }>, domain) => {
          const body = { domain, ...(cached && { cached }) };
          const diagnosis = await api.call<ShownDiagnosis>('domains.diagnoseDomain', body);
          if (isBlocked(diagnosis)) process.exitCode = EXIT.blocked;
          return diagnosis;
        },
        (found) => describeDiagnosis(found, systemClock.now()),
      ),
    );

  const check =
    'Check a name before you add it: whether it is valid, where its DNS is edited, and which records are in the way. Exits with 3 if the name cannot be added, or if you have something to fix.';
  pathOptions(apiCommand(domains, 'check <domain>', check, ['shop.example.com', 'example.com --json']), PATH).action(
    apiAction(async ({ api, options }: CommandCall<PathOptions>, domain) => {
      const checked = await api.call<ShownName>('domains.checkName', { ...pathFrom(api, options, PATH), domain });
      if (!checked.valid || checked.held || isBlocked(checked)) process.exitCode = EXIT.blocked;
      return checked;
    }, describeName),
  );

  const certificate =
    'Show the certificate of a domain: its state and what blocks it. Or serve the domain with a certificate from elsewhere, until you remove it or, before it expires, a managed certificate replaces it.';
  apiCommand(domains, 'certificate <domain>', certificate, [
    'shop.example.com',
    'shop.example.com --chain fullchain.pem --private-key privkey.pem',
    'shop.example.com --remove',
  ])
    .option('--chain <file>', 'PEM: the certificate and its intermediates, in any order', readFile)
    .option('--private-key <file>', 'PEM: the private key of the certificate, not encrypted', readFile)
    .option('--remove', 'remove the certificate from elsewhere')
    .action(
      apiAction(
        ({ api, options: { chain, privateKey, remove } }: CommandCall<CertificateOptions>, domain) => {
          if ((chain === undefined) !== (privateKey === undefined) || (remove && chain !== undefined))
            throw new CliError('Give --chain with --private-key, or --remove, or none of them.', {
              exitCode: EXIT.usage,
            });
          if (remove) return api.call<ShownCertificate>('domains.removeCertificate', { domain });
          if (chain === undefined) return api.call<ShownCertificate>('domains.getCertificate', { domain });
          const upload = { domain, certificates: chain, privateKey };
          return api.call<ShownCertificate>('domains.uploadCertificate', upload);
        },
        (found) => describeCertificate(found),
      ),
    );

  const format = new Option('--format <format>', 'output format').choices(['table', 'zone', 'json']).default('table');
  apiCommand(domains, 'records <domain>', 'Show the DNS records that a domain needs.', [
    'shop.example.com',
    'shop.example.com --format zone',
  ])
    .addOption(format)
    .action(async (name: string, options: ApiOptions & { format: 'table' | 'zone' | 'json' }) => {
      const api = await connect(options);
      const { domain, dnsRecords } = await api.call<ShownDomain>('domains.getDomain', { domain: name });
      if (options.json || options.format === 'json') print(jsonText(dnsRecords));
      else print(options.format === 'zone' ? renderZone(domain, dnsRecords) : recordsTable(dnsRecords));
    });
}
