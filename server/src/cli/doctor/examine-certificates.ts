import { readFileSync } from 'node:fs';
import { OWNER_FIXABLE } from '../../../../words/reasons.ts';
import type { Clock } from '../../base/clock.ts';
import { noProfile } from '../../certificates/acme/acme-order.ts';
import { type CaTransport, caTransport } from '../../certificates/acme/ca-transport.ts';
import { parseJson } from '../../certificates/acme/problem-document.ts';
import { type Directory, resourceReader } from '../../certificates/acme/resources.ts';
import { INTERNAL } from '../../certificates/internal-ca.ts';
import { emergencyAt } from '../../certificates/policy/renewal.ts';
import type { Config } from '../../config/config.ts';
import { joinList } from '../../domain/text.ts';
import { type Keyring, keyIdOf } from '../../store/sealing/keyring.ts';
import { missingKeys } from '../../store/sealing/rotation.ts';
import type { CaLimit, Store } from '../../store/store.ts';
import { messageOf } from '../cli-error.ts';
import { dateTime, shortDuration } from '../output/output.ts';
import { type DoctorResult, fail, ok, warn } from './doctor-result.ts';
import { judgeOffset } from './examine-host.ts';

/** `nameplate doctor` examines the CAs, accounts, budgets, keys and expiry of certificates. It orders nothing. */

/** A configured CA. */
interface Ca {
  directoryUrl: string;
  /** Whether an external account binding is configured. */
  isBound: boolean;
  /** The profile that is configured. */
  profile?: string | undefined;
}

/** The configured CAs in the order in which they are used; none with the internal CA. */
export function casOf(config: Partial<Config>): Ca[] {
  const { issuer, acmeDirectory, acmeEabKid, acmeSecondDirectory, acmeSecondEabKid, acmeProfile, acmeSecondProfile } =
    config;
  if (issuer !== 'acme') return [];
  const ca = (directoryUrl: string | undefined, isBound: boolean, profile: string | undefined): Ca[] =>
    directoryUrl === undefined ? [] : [{ directoryUrl, isBound, profile }];
  return [
    ...ca(acmeDirectory, acmeEabKid !== undefined, acmeProfile),
    ...ca(acmeSecondDirectory, acmeSecondEabKid !== undefined, acmeSecondProfile),
  ];
}

const TIMEOUT_MS = 10_000;

/** Whether the CA responds and what it requires; from its Date header, whether our clock is right. */
export async function examineCa(
  { directoryUrl, isBound, profile }: Ca,
  caFile: string | undefined,
  clock: Clock,
): Promise<DoctorResult[]> {
  const { host } = new URL(directoryUrl);
  try {
    const trustRoots = caFile === undefined ? null : readRoots(caFile);
    const transport = caTransport({ trustRoots, timeoutMs: TIMEOUT_MS });
    const { directory, date, ms } = await readDirectory(directoryUrl, transport);
    const offset = date === null ? [] : [judgeOffset(clock.now() - date, host)];
    if (directory.externalAccountRequired && !isBound) {
      const advice =
        'Get a key id and an HMAC key from the CA, and set the variables of the external account binding (docs/reference/configuration.md).';
      return [fail('CA', `${host} requires an external account binding`, advice), ...offset];
    }
    const { termsOfService, profiles } = directory;
    if (profile !== undefined && !profiles.includes(profile)) {
      const advice = 'Name one of them in the variable of the profile, or remove it (docs/reference/configuration.md).';
      return [fail('CA', noProfile(host, profile, profiles), advice), ...offset];
    }
    const choice = profiles.length === 0 ? '' : `; its profiles: ${joinList(profiles, profiles.length)}`;
    const terms = termsOfService === null ? '' : `; using it means accepting its terms: ${termsOfService}`;
    return [ok('CA', `${host} responds in ${ms} ms${terms}${choice}`), ...offset];
  } catch (error) {
    if (isOutsideValidity(error)) {
      const found = `the certificate of ${host} is not valid at ${dateTime(clock.now())}, the time of this machine`;
      return [fail('clock', found, 'If that is not the time, set the clock and keep it right with NTP.')];
    }
    const advice = 'Allow outgoing HTTPS to it, and check NAMEPLATE_ACME_DIRECTORY and NAMEPLATE_ACME_CA_FILE.';
    return [fail('CA', messageOf(error), advice)];
  }
}

/** A wrong clock sees certificates that have expired, or are not valid yet. */
function isOutsideValidity(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  return code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID' || isOutsideValidity(error.cause);
}

function readRoots(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`cannot read the trust roots of NAMEPLATE_ACME_CA_FILE: ${messageOf(error)}`);
  }
}

async function readDirectory(
  url: string,
  transport: CaTransport,
): Promise<{ directory: Directory; date: number | null; ms: number }> {
  const startedAt = performance.now();
  const { status, headers, body } = await transport({ method: 'GET', url });
  const ms = Math.round(performance.now() - startedAt);
  if (status !== 200) throw new Error(`${url} returned status ${status}, so it is not an ACME directory`);
  const date = Date.parse(headers.date ?? '');
  return { directory: resourceReader(url).directory(parseJson(body)), date: Number.isNaN(date) ? null : date, ms };
}

/** Our account at a CA, and what is left of its limits. */
export async function examineAccount(
  store: Pick<Store, 'findCaAccount' | 'countLedgerEntries' | 'findLastBackup'>,
  issuer: string,
  limits: readonly CaLimit[],
  now: number,
): Promise<DoctorResult[]> {
  const isInternal = issuer === INTERNAL;
  const name = isInternal ? 'the internal CA' : new URL(issuer).host;
  try {
    const account = await store.findCaAccount(issuer);
    if (account === null) {
      const found = isInternal
        ? 'the first start creates the internal CA'
        : `no account at ${name} yet; the first certificate creates one`;
      return [ok('account', found)];
    }
    const { pausedUntil, problem } = account;
    if (pausedUntil !== null && pausedUntil > now) {
      const why = problem === null ? '' : `: ${problem.message}`;
      const advice = 'The CA\'s message may say what to do. Then run "nameplate certificates resume".';
      return [warn('account', `nothing is ordered at ${name} until ${dateTime(pausedUntil)}${why}`, advice)];
    }
    if (isInternal) return [ok('account', 'the internal CA exists')];
    const backedUpAt = await store.findLastBackup();
    if (backedUpAt !== null && backedUpAt < account.createdAt) {
      const found = `the key of the account at ${name} is newer than the last backup`;
      const advice = 'Make a backup: a new account would have to be named in CAA records with accounturi.';
      return [warn('account', found, advice), ...(await examineBudget(store, issuer, limits, now))];
    }
    return [ok('account', `there is an account at ${name}`), ...(await examineBudget(store, issuer, limits, now))];
  } catch (error) {
    return [
      fail(
        'account',
        messageOf(error),
        'Fix the keys first (see "sealing" below). If they are lost: "nameplate sealing forget".',
      ),
    ];
  }
}

/** Above this share of the limit, new names wait, so that renewals do not (docs/guides/certificates.md). */
const TIGHT = 0.8;

async function examineBudget(
  store: Pick<Store, 'countLedgerEntries'>,
  issuer: string,
  limits: readonly CaLimit[],
  now: number,
): Promise<DoctorResult[]> {
  const allowed = limits.find(({ name }) => name === 'orders');
  if (allowed === undefined) return [];
  const { limit, windowMs } = allowed;
  const { orders, exempt, failed } = await store.countLedgerEntries(issuer, now - windowMs);
  const counted = orders - exempt;
  const found = `${counted} of ${limit} orders in the last ${shortDuration(windowMs)}, ${failed} of them failed`;
  if (counted < limit * TIGHT) return [ok('budget', found)];
  const advice =
    'New names wait for capacity; renewals continue. Ask the CA for a higher limit, and set it in NAMEPLATE_ACME_LIMITS.';
  return [warn('budget', found, advice)];
}

/** Whether the configured keys decrypt the secrets in the store. `source`: where the keys are. */
export async function examineSealing(
  store: Pick<Store, 'listSecretPrefixes'>,
  keyring: Keyring,
  source: string,
): Promise<DoctorResult> {
  const about = 'sealing';
  try {
    const missing = await missingKeys(store, keyring);
    if (missing.length > 0) {
      const found = `secrets in the store are encrypted under ${missing.join(', ')}, which is not in ${source}`;
      const advice = `Add that key to ${source}, after the first one; restore it from its backup. If it is lost: "nameplate sealing forget".`;
      return fail(about, found, advice);
    }
    const ids = (await store.listSecretPrefixes()).map(keyIdOf);
    if (ids.includes(null))
      return warn(about, 'secrets in the store are not encrypted', 'The next start of serve encrypts them.');
    const [first] = ids;
    if (first !== undefined && (ids.length > 1 || first !== keyIdOf(keyring.prefix()))) {
      const under = ids.length > 1 ? `${ids.length} keys of ${source}` : `a key of ${source} that is not the first`;
      const advice = 'Run "nameplate sealing rotate" to encrypt all of them under the first.';
      return warn(about, `secrets in the store are encrypted under ${under}`, advice);
    }
    return ok(
      about,
      ids.length === 0 ? 'the store has no secrets yet' : `the keys of ${source} decrypt every secret in the store`,
    );
  } catch (error) {
    return fail(about, messageOf(error), 'Correct it before the next start of serve.');
  }
}

/** Number of certificates to examine, those that expire first. */
const EXAMINED = 1000;

/** Certificates close to expiry for which the domain's owner is not to blame. */
export async function examineExpiry(store: Pick<Store, 'listExpiring'>, now: number): Promise<DoctorResult> {
  const about = 'expiry';
  const expiring = await store.listExpiring(EXAMINED);
  const ours = expiring.filter(({ problem }) => problem === null || !OWNER_FIXABLE.has(problem.reason));
  const late = ours.filter(({ issued }) => issued !== null && emergencyAt(issued) <= now);
  const [first] = ours;
  if (first?.issued == null) {
    return ok(
      about,
      expiring.length === 0 ? 'no certificate is in use yet' : 'no certificate in use is for a name that leads here',
    );
  }
  if (late.length === 0)
    return ok(
      about,
      `the next certificate to expire is that of ${first.hostname}, at ${dateTime(first.issued.notAfter)}`,
    );
  const expired = late.filter(({ issued }) => issued !== null && issued.notAfter <= now).length;
  const names = joinList(
    late.map(({ hostname, problem }) => (problem === null ? hostname : `${hostname} (${problem.reason})`)),
  );
  const count =
    late.length === 1 ? '1 certificate' : `${late.length === EXAMINED ? 'at least ' : ''}${late.length} certificates`;
  const found = `renewal of ${count} is long overdue${expired === 0 ? '' : `, ${expired} of them expired`}: ${names}`;
  const advice = 'Run "nameplate certificates show NAME" to see what blocks one.';
  return expired > 0 ? fail(about, found, advice) : warn(about, found, advice);
}
