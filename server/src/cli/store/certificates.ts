import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { caHost, REVOCATION_REASONS, type RevocationReason } from '../../certificates/issuer.ts';
import { readCommandConfig } from '../../config/config.ts';
import { type CertificateState, MOVED } from '../../domain/certificate-state.ts';
import type { AuditedStore, Certificate, HeldCa } from '../../store/store.ts';
import { CliError, EXIT, messageOf } from '../cli-error.ts';
import { define, type StoreOptions, shellQuote, storeCommand, storeFlag } from '../options.ts';
import { type Column, dateTime, listing, printable, show } from '../output/output.ts';
import { describeCertificate, fromNow, stateStyle } from '../output/show-certificate.ts';
import { requireYes } from '../output/terminal.ts';
import { addCaAccounts } from './account-keys.ts';
import { changeAction, hostnameOf, withChanges, withStore } from './open-database.ts';

const STATES = ['wanted', 'waiting_for_routing', 'ordering', 'issued', 'renewing', 'failed'] as const;
const PAGE_SIZE = 1000;

const COLUMNS: Column<Certificate>[] = [
  { title: 'Name', text: ({ hostname }) => hostname },
  { title: 'State', text: ({ state }) => state, style: ({ state }) => stateStyle(state) },
  { title: 'Issuer', text: ({ issued }) => issued?.issuer.replace(/^https:\/\/([^/]+)\/.*$/, '$1') ?? '' },
  { title: 'Challenge', text: ({ challenge }) => challenge ?? '' },
  { title: 'Expires', text: ({ issued }) => (issued === null ? '' : fromNow(issued.notAfter, systemClock.now())) },
  {
    title: 'Next attempt',
    text: ({ leasedUntil, nextTryAt }) => (leasedUntil === null ? dateTime(nextTryAt) : 'in progress'),
  },
  { title: 'Reason', text: ({ problem }) => problem?.reason ?? '' },
];

export function addCertificates(program: Command): void {
  const summary =
    'Show, renew, import and revoke certificates of all workspaces. Opens the database itself, so no server needs to run.';
  const certificates = define(program, 'certificates', summary, [
    'nameplate certificates list --state failed',
    'nameplate certificates show shop.example.com',
  ]);
  addList(certificates);
  addShow(certificates);
  addRenew(certificates);
  addImport(certificates);
  addRevoke(certificates);
  addResume(certificates);
  addCaAccounts(certificates);
}

function addList(certificates: Command): void {
  storeCommand(certificates, 'list', 'List certificates by name, with what blocks them.', [
    '',
    '--state waiting_for_routing --json',
  ])
    .addOption(new Option('--state <state>', 'only certificates in this state').choices(STATES))
    .action(async (options: StoreOptions & { state?: CertificateState }) => {
      const [found, lastIssuingAt] = await withStore(
        options,
        async (store): Promise<[Certificate[], number | null]> => [
          await listAll(store, options.state),
          await store.findLastIssuing(),
        ],
      );
      const shown = options.json ? await Promise.all(found.map((one) => present(one, lastIssuingAt))) : found;
      show(options, shown, () => listing(COLUMNS, 'No certificates found.')(found));
    });
}

async function listAll(store: AuditedStore, state: CertificateState | undefined): Promise<Certificate[]> {
  const found: Certificate[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.listCertificates({ limit: PAGE_SIZE, cursor, state });
    found.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return found;
}

/** As `domains.getCertificate` returns it. */
async function present(certificate: Certificate, lastIssuingAt: number | null) {
  const { presentCertificate } = await import('../../api/domains/getCertificate.ts');
  const domain = { id: certificate.domainId, name: certificate.hostname };
  return presentCertificate(domain, certificate, lastIssuingAt, systemClock.now());
}

function addShow(certificates: Command): void {
  const summary =
    'Show the certificate of a name: its state, what blocks it and since when, and the certificate in use.';
  storeCommand(certificates, 'show <name>', summary, ['shop.example.com --json']).action(
    async (name: string, options: StoreOptions) => {
      const hostname = await hostnameOf(name);
      const [found, lastIssuingAt, heldCas] = await withStore(options, async (store) =>
        Promise.all([store.findCertificate(hostname), store.findLastIssuing(), store.listHeldCas(systemClock.now())]),
      );
      if (found === null) throw noCertificate(name);
      const shown = { ...(await present(found, lastIssuingAt)), ...(heldCas.length > 0 && { heldCas }) };
      show(options, shown, (certificate) =>
        [describeCertificate(certificate), describeHeld(heldCas)].filter((part) => part !== '').join('\n\n'),
      );
    },
  );
}

function addRenew(certificates: Command): void {
  const summary =
    'Renew or retry a certificate now, before it is due. The current certificate stays in use until the new one replaces it.';
  storeCommand(certificates, 'renew <name>', summary, ['shop.example.com']).action(
    async (name: string, options: StoreOptions) => {
      const hostname = await hostnameOf(name);
      const [renewal, heldCas] = await withChanges(options, 'certificates renew', async (store) => [
        await store.renewCertificate(hostname, systemClock.now()),
        await store.listHeldCas(systemClock.now()),
      ]);
      if (renewal === 'missing') throw noCertificate(name);
      const isHeld = heldCas.length > 0;
      const starts = isHeld
        ? `It may wait:\n\n${describeHeld(heldCas)}`
        : 'A process with the role certificates usually starts within a second.';
      const outcome =
        renewal === 'accepted'
          ? `The certificate of ${hostname} is due now. ${starts}`
          : `${hostname} is already being processed, so nothing was changed.`;
      const next = `Next: nameplate certificates show ${shellQuote(hostname)}${storeFlag(options)}`;
      show(options, { name: hostname, renewal, ...(isHeld && { heldCas }) }, () => `${outcome}\n\n${next}`);
      if (isHeld) process.exitCode = EXIT.blocked;
    },
  );
}

interface ImportOptions extends StoreOptions {
  chain: string;
  key: string;
}

function addImport(certificates: Command): void {
  const summary =
    'Check a certificate from elsewhere and put it in use. A managed certificate replaces it when a third of the time from the import to its expiry is left, 30 days at most.';
  storeCommand(certificates, 'import <name>', summary, ['shop.example.com --chain fullchain.pem --key privkey.pem'])
    .requiredOption('--chain <file>', 'PEM: the certificate and its intermediates, in any order')
    .requiredOption('--key <file>', 'PEM: the private key, not encrypted')
    .action(async (name: string, options: ImportOptions) => {
      const hostname = await hostnameOf(name);
      const now = systemClock.now();
      const issued = await readFiles(hostname, options, now);
      const imported = await withChanges(options, 'certificates import', (store) =>
        store.importCertificate(hostname, issued, now),
      );
      if (imported === 'missing') throw noCertificate(name);
      show(options, { name: hostname, imported: true, notAfter: issued.notAfter }, () =>
        [
          `The certificate is in use for ${hostname}; every node serves it within a second. It expires ${fromNow(issued.notAfter, now)}.`,
          `At ${dateTime(issued.renewal.renewAt)} a managed certificate takes its place, unless you import another before then.`,
        ].join('\n'),
      );
    });
}

async function readFiles(hostname: string, { chain, key }: ImportOptions, now: number) {
  const [{ readImport }, { Problem }] = await Promise.all([
    import('../../api/imported-certificate.ts'),
    import('../../api/errors.ts'),
  ]);
  try {
    return readImport(hostname, { certificates: readText(chain), privateKey: readText(key) }, now, Math.random());
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const problems = (error.errors ?? []).map(
      ({ location, message, fix }) => `The ${location === 'body.privateKey' ? 'key' : 'chain'} ${message}: ${fix}.`,
    );
    const lines = problems.map((problem) => `  ${printable(problem)}`).join('\n');
    throw new CliError(`Cannot use ${chain} with ${key}; nothing was changed:\n${lines}`, {
      details: { message: 'The certificate cannot be used.', problems },
    });
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError(`Cannot read ${file}: ${messageOf(error)}`);
  }
}

function noCertificate(name: string): CliError {
  return new CliError(
    `There is no certificate for ${printable(name)}: a name gets one once its domain is verified. "nameplate certificates list" lists all certificates.`,
  );
}

type RevokeOptions = StoreOptions & { reason?: RevocationReason; yes?: true };

function addRevoke(certificates: Command): void {
  const summary =
    'Revoke the certificate in use at its CA, and order another one with a new key at once. Until it is issued, the revoked certificate is served; with --reason keyCompromise, none is. Cannot be undone.';
  storeCommand(certificates, 'revoke <name>', summary, [
    'shop.example.com',
    'shop.example.com --reason keyCompromise --yes',
  ])
    .addOption(
      new Option('--reason <reason>', 'the reason that the CA publishes').choices(Object.keys(REVOCATION_REASONS)),
    )
    .option('--yes', 'do not ask')
    .action(async (name: string, options: RevokeOptions) => {
      const hostname = await hostnameOf(name);
      const { reason } = options;
      const withdraw = reason === 'keyCompromise';
      const { acmeCaFile } = readCommandConfig();
      await withChanges(options, 'certificates revoke', async (store) => {
        const certificate = await store.findCertificate(hostname);
        if (certificate === null) throw noCertificate(name);
        const { issuer, chain } = revocable(certificate);
        const meanwhile = withdraw
          ? 'It is not served any more: browsers cannot connect until another one is there, within seconds as a rule.'
          : 'It is served until another one replaces it, within seconds as a rule.';
        const at = caHost({ id: issuer });
        await requireYes(options, `The certificate of ${hostname} is revoked at ${at}, for good. ${meanwhile}`);
        const trustRoots = acmeCaFile === undefined ? null : readFileSync(acmeCaFile, 'utf8');
        const [{ revokeAtCa }, { createLog }] = await Promise.all([
          import('../../certificates/acme/revocation.ts'),
          import('../../base/log.ts'),
        ]);
        const log = createLog('silent');
        const served = (await store.findSite(hostname))?.certificate;
        const privateKey = served && 'privateKey' in served ? served.privateKey : null;
        await revokeAtCa({ issuer, chain, privateKey }, reason, { store, trustRoots, clock: systemClock, log });
        await store.replaceRevoked({ hostname, chain, withdraw, reason: reason ?? null }, systemClock.now());
        const next = `nameplate certificates show ${shellQuote(hostname)}${storeFlag(options)}`;
        const done = `Revoked the certificate of ${hostname} at ${at}. ${meanwhile}\n\nNext: ${next}`;
        show(options, { name: hostname, revoked: true, served: !withdraw }, () => done);
      });
    });
}

/** The certificate in use, where its CA can revoke it. Throws `CliError`. */
function revocable({ hostname, issued }: Certificate): NonNullable<Certificate['issued']> {
  if (issued === null) throw new CliError(`No certificate of ${hostname} is in use, so there is none to revoke.`);
  if (issued.issuer === 'internal')
    throw new CliError(
      `The certificate of ${hostname} is of the internal CA, which has no revocation. For a new key: nameplate certificates renew ${shellQuote(hostname)}`,
    );
  if (URL.canParse(issued.issuer)) return issued;
  const next =
    issued.issuer === MOVED
      ? `then have another one ordered: nameplate certificates renew ${shellQuote(hostname)}`
      : 'and import another one.';
  throw new CliError(`The certificate of ${hostname} was ${issued.issuer}: revoke it where it was issued, ${next}`);
}

/** A line for each CA at which nothing is ordered: why, since when, and until when. */
function describeHeld(held: readonly HeldCa[]): string {
  return held
    .map(({ issuer, pausedUntil, problem: { reason, message, at } }) => {
      const what = reason === 'ca_account' ? 'has refused our account' : 'has not accepted orders';
      const since = at === 0 ? '' : ` since ${dateTime(at)}`;
      return `${caHost({ id: issuer })} ${what}${since}: ${printable(message)}\nNothing is ordered there until ${dateTime(pausedUntil)}, or until "nameplate certificates resume", which you run once the cause is gone.`;
    })
    .join('\n');
}

function addResume(certificates: Command): void {
  const summary =
    'Order again at CAs that were paused because they failed or refused the account. Takes effect within seconds on every node. Fix the cause first: a CA that still refuses is paused again.';
  storeCommand(certificates, 'resume', summary, ['']).action(
    changeAction(
      async ({ store }) => {
        const resumed = await store.resumeCas(systemClock.now());
        return { resumed: resumed.map(({ issuer }) => issuer) };
      },
      ({ resumed }) =>
        resumed.length === 0
          ? 'No CA is left alone, so nothing was changed.'
          : `Ordering at ${resumed.map((id) => caHost({ id })).join(', ')} again.`,
    ),
  );
}
