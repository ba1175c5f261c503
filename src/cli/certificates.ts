import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { lifetimeWindow } from '../certificates/policy/renewal.ts';
import { systemClock } from '../clock.ts';
import type { CertificateState } from '../domain/certificate-state.ts';
import { canonicalName } from '../domain/name.ts';
import type { Certificate, Store } from '../store/contract/store.ts';
import { CliError, EXIT } from './cli-error.ts';
import { withStore } from './open-database.ts';
import { define, group, type StoreOptions, storeFlag, storeOptions } from './options.ts';
import { type Column, harmless, show, table, when } from './output.ts';
import { ImportRefused, readImport } from './read-import.ts';
import { describeCertificate, fromNow, stateStyle } from './show-certificate.ts';

const STATES = ['wanted', 'waiting_for_routing', 'ordering', 'issued', 'renewing', 'failed'] as const;
const PAGE = 1000;

const COLUMNS: Column<Certificate>[] = [
  { title: 'Name', text: ({ hostname }) => hostname },
  { title: 'State', text: ({ state }) => state, style: ({ state }) => stateStyle(state) },
  { title: 'Issuer', text: ({ issued }) => issued?.issuer.replace(/^https:\/\/([^/]+)\/.*$/, '$1') ?? '' },
  { title: 'Expires', text: ({ issued }) => (issued === null ? '' : fromNow(issued.notAfter, systemClock.now())) },
  {
    title: 'Next try',
    text: ({ leasedUntil, nextTryAt }) => (leasedUntil === null ? when(nextTryAt) : 'under way'),
  },
  { title: 'Reason', text: ({ problem }) => problem?.reason ?? '' },
];

export function addCertificates(program: Command): void {
  const certificates = group(program, 'certificates', 'Certificates of all workspaces. Straight on the store.', [
    'nameplate certificates list --state failed',
    'nameplate certificates show shop.example.com',
  ]);
  addList(certificates);
  addShow(certificates);
  addRenew(certificates);
  addImport(certificates);
}

function addList(certificates: Command): void {
  const examples = ['nameplate certificates list', 'nameplate certificates list --state waiting_for_routing --json'];
  storeOptions(define(certificates, 'list', 'List certificates by name, with what stands in the way.', examples))
    .addOption(new Option('--state <state>', 'only those in one state').choices(STATES))
    .action(async (options: StoreOptions & { state?: CertificateState }) => {
      const found = await withStore(options, (store) => listAll(store, options.state));
      // Chains are for `show`.
      const shown = options.json ? await Promise.all(found.map(present)) : found;
      show(options, shown, () => (found.length === 0 ? 'No certificates found.' : table(COLUMNS, found)));
    });
}

async function listAll(store: Store, state: CertificateState | undefined): Promise<Certificate[]> {
  const found: Certificate[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.listCertificates({ limit: PAGE, cursor, state });
    found.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return found;
}

/** As `domains.getCertificate` shows it. */
async function present(certificate: Certificate) {
  const { presentCertificate } = await import('../api/domains/present-certificate.ts');
  return presentCertificate({ id: certificate.domainId, name: certificate.hostname }, certificate);
}

function addShow(certificates: Command): void {
  const summary = 'Show how the certificate of a name stands: what is in use, what stands in the way, and since when.';
  storeOptions(
    define(certificates, 'show <name>', summary, ['nameplate certificates show shop.example.com --json']),
  ).action(async (name: string, options: StoreOptions) => {
    const found = await withStore(options, (store) => store.findCertificate(hostnameOf(name)));
    if (found === null) throw noCertificate(name);
    show(options, await present(found), (certificate) => describeCertificate(certificate));
  });
}

function addRenew(certificates: Command): void {
  const summary =
    'Have a certificate renewed, or tried again, at once instead of when it is due. What is in use stays until then.';
  storeOptions(define(certificates, 'renew <name>', summary, ['nameplate certificates renew shop.example.com'])).action(
    async (name: string, options: StoreOptions) => {
      const hostname = hostnameOf(name);
      const renewal = await withStore(options, (store) => store.renewCertificate(hostname, systemClock.now()));
      if (renewal === 'missing') throw noCertificate(name);
      show(options, { name: hostname, renewal }, () =>
        [
          renewal === 'accepted'
            ? `${hostname} is due: a process with the role certificates goes about it now.`
            : `Somebody is at work on ${hostname} already, so nothing was changed.`,
          '',
          `Next: nameplate certificates show ${hostname}${storeFlag(options)}`,
        ].join('\n'),
      );
    },
  );
}

interface ImportOptions extends StoreOptions {
  chain: string;
  key: string;
}

function addImport(certificates: Command): void {
  const summary =
    'Put a certificate from elsewhere in use, after checking that it can be. It is renewed like any other, a third of its lifetime before its end.';
  const example = 'nameplate certificates import shop.example.com --chain fullchain.pem --key privkey.pem';
  storeOptions(define(certificates, 'import <name>', summary, [example]))
    .requiredOption('--chain <file>', 'PEM: the certificate, then those above it')
    .requiredOption('--key <file>', 'PEM: its private key, not encrypted')
    .action(async (name: string, options: ImportOptions) => {
      const hostname = hostnameOf(name);
      const now = systemClock.now();
      const files = { chain: readText(options.chain), key: readText(options.key) };
      const read = checked(() => readImport(hostname, files, now), options);
      const { chain, notBefore, notAfter, privateKey, notes } = read;
      const renewal = lifetimeWindow({ notBefore, notAfter }, now, Math.random(), false);
      const issued = { issuer: 'imported', chain, notBefore, notAfter, issuedAt: now, renewal, privateKey };
      const imported = await withStore(options, (store) => store.importCertificate(hostname, issued, now));
      if (imported === 'missing') throw noCertificate(name);
      for (const note of notes) process.stderr.write(`nameplate: ${note}\n`);
      show(options, { name: hostname, imported: true, notAfter }, () =>
        [
          `The certificate is in use for ${hostname}, on every node within a second, and expires ${fromNow(notAfter, now)}.`,
          `It is renewed at ${when(renewal.renewAt)} by whoever issues our certificates, unless another is imported before.`,
        ].join('\n'),
      );
    });
}

function checked<T>(read: () => T, { chain, key }: ImportOptions): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ImportRefused)) throw error;
    const problems = error.problems.map((problem) => `  ${harmless(problem)}`).join('\n');
    throw new CliError(`${chain} with ${key} cannot be put in use, and nothing was changed:\n${problems}`, {
      details: { message: 'The certificate cannot be put in use.', problems: error.problems },
    });
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError(`${file} could not be read: ${error instanceof Error ? error.message : error}`);
  }
}

function hostnameOf(name: string): string {
  const hostname = canonicalName(name);
  if (hostname === null) throw new CliError(`"${harmless(name)}" is not a name.`, { exitCode: EXIT.usage });
  return hostname;
}

function noCertificate(name: string): CliError {
  return new CliError(
    `There is no certificate for ${harmless(name)}: a name has one from the verification of its domain on. "nameplate certificates list" shows all.`,
  );
}
