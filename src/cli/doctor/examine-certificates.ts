import { readFileSync } from 'node:fs';
import { type CaTransport, caTransport } from '../../certificates/acme/ca-transport.ts';
import { parseJson } from '../../certificates/acme/problem-document.ts';
import { type Directory, resourceReader } from '../../certificates/acme/resources.ts';
import { INTERNAL } from '../../certificates/internal-ca.ts';
import { emergencyAt } from '../../certificates/policy/renewal.ts';
import type { Clock } from '../../clock.ts';
import type { Config } from '../../config/config.ts';
import { OWNER_FIXABLE } from '../../domain/certificate-state.ts';
import { joinList } from '../../domain/text.ts';
import type { CaLimit, Store } from '../../store/contract/store.ts';
import { type Keyring, keyIdIn } from '../../store/sealing/keyring.ts';
import { missingKeys } from '../../store/sealing/sealed-store.ts';
import { span, when } from '../output.ts';
import { judgeOffset } from './examine-host.ts';
import { type Finding, messageOf } from './finding.ts';

/** What `nameplate doctor` looks at of certificates: the CA, our account and budget there, keys, and what expires. It orders nothing. */

/** One CA, as it is configured. */
export interface Ca {
  directoryUrl: string;
  /** Whether it was given an external account binding. */
  isBound: boolean;
}

/** The CAs that are configured, in the order in which they are asked; none where our own issues. */
export function casOf(config: Partial<Config>): Ca[] {
  const { issuer, acmeDirectory, acmeEabKid, acmeSecondDirectory, acmeSecondEabKid } = config;
  if (issuer !== 'acme') return [];
  const first = acmeDirectory === undefined ? [] : [{ directoryUrl: acmeDirectory, isBound: acmeEabKid !== undefined }];
  if (acmeSecondDirectory === undefined) return first;
  return [...first, { directoryUrl: acmeSecondDirectory, isBound: acmeSecondEabKid !== undefined }];
}

const PATIENCE_MS = 10_000;

/** Whether the CA answers, and what it wants; and by its answer whether our clock is right. */
export async function examineCa(
  { directoryUrl, isBound }: Ca,
  caFile: string | undefined,
  clock: Clock,
): Promise<Finding[]> {
  const about = 'CA';
  const { host } = new URL(directoryUrl);
  try {
    const trustRoots = caFile === undefined ? null : readRoots(caFile);
    const { directory, date, ms } = await readDirectory(
      directoryUrl,
      caTransport({ trustRoots, timeoutMs: PATIENCE_MS }),
    );
    const offset = date === null ? [] : [judgeOffset(clock.now() - date, host)];
    if (directory.externalAccountRequired && !isBound) {
      const advice = `Ask the CA for a key id and an HMAC key, and set the variables of the external account binding (docs/configuration.md).`;
      return [{ about, level: 'fail', found: `${host} serves only its customers`, advice }, ...offset];
    }
    const terms =
      directory.termsOfService === null ? '' : `; its terms, which its account accepts: ${directory.termsOfService}`;
    return [{ about, level: 'ok', found: `${host} answers in ${ms} ms${terms}` }, ...offset];
  } catch (error) {
    const advice = 'Allow outgoing HTTPS to it, and check NAMEPLATE_ACME_DIRECTORY and NAMEPLATE_ACME_CA_FILE.';
    return [{ about, level: 'fail', found: messageOf(error), advice }];
  }
}

function readRoots(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`the trust roots of NAMEPLATE_ACME_CA_FILE cannot be read: ${messageOf(error)}`);
  }
}

async function readDirectory(
  url: string,
  transport: CaTransport,
): Promise<{ directory: Directory; date: number | null; ms: number }> {
  const began = performance.now();
  const { status, headers, body } = await transport({ method: 'GET', url });
  const ms = Math.round(performance.now() - began);
  if (status !== 200) throw new Error(`${url} answered with status ${status}, so it is no ACME directory`);
  const date = Date.parse(headers.date ?? '');
  return { directory: resourceReader(url).directory(parseJson(body)), date: Number.isNaN(date) ? null : date, ms };
}

/** Our account at a CA, and what is left to spend there. */
export async function examineAccount(
  store: Pick<Store, 'findCaAccount' | 'countLedgerEntries'>,
  issuer: string,
  limits: readonly CaLimit[],
  now: number,
): Promise<Finding[]> {
  const about = 'account';
  const name = issuer === INTERNAL ? 'the internal CA' : new URL(issuer).host;
  try {
    const account = await store.findCaAccount(issuer);
    if (account === null) {
      const found =
        issuer === INTERNAL
          ? `${name} is made at the first start`
          : `none at ${name} yet; the first certificate makes one`;
      return [{ about, level: 'ok', found }];
    }
    const { pausedUntil, problem } = account;
    if (pausedUntil !== null && pausedUntil > now) {
      const why = problem === null ? '' : `: ${problem}`;
      const advice =
        'Nothing is ordered there until then. What the CA said tells whether there is something to be done before.';
      return [{ about, level: 'warn', found: `${name} wants nothing of us before ${when(pausedUntil)}${why}`, advice }];
    }
    if (issuer === INTERNAL) return [{ about, level: 'ok', found: `${name} is there` }];
    return [
      { about, level: 'ok', found: `${name} has one of ours` },
      ...(await examineBudget(store, issuer, limits, now)),
    ];
  } catch (error) {
    const advice = 'Mend the keys first (below), or have another account made.';
    return [{ about, level: 'fail', found: messageOf(error), advice }];
  }
}

/** From here on new names wait, so that renewals do not (docs/certificates.md). */
const TIGHT = 0.8;

async function examineBudget(
  store: Pick<Store, 'countLedgerEntries'>,
  issuer: string,
  limits: readonly CaLimit[],
  now: number,
): Promise<Finding[]> {
  const allowed = limits.find(({ name }) => name === 'orders');
  if (allowed === undefined) return [];
  const { limit, windowMs } = allowed;
  const { orders, exempt, failed } = await store.countLedgerEntries(issuer, now - windowMs);
  const counted = orders - exempt;
  const found = `${counted} of ${limit} orders in the last ${span(windowMs)}, ${failed} of them failed`;
  if (counted < limit * TIGHT) return [{ about: 'budget', level: 'ok', found }];
  const advice =
    'New names wait for room, renewals go on. Ask the CA for more, and put that into NAMEPLATE_ACME_LIMITS.';
  return [{ about: 'budget', level: 'warn', found, advice }];
}

/** Whether the keys that are configured open what lies in the store. `where`: where they are, for people. */
export async function examineSealing(
  store: Pick<Store, 'listSecretPrefixes'>,
  keyring: Keyring,
  where: string,
): Promise<Finding> {
  const about = 'sealing';
  try {
    const missing = await missingKeys(store, keyring);
    if (missing.length > 0) {
      const advice = `Add that key to ${where}, after the first one, or restore it from where it was kept. Without it those private keys are lost.`;
      return {
        about,
        level: 'fail',
        found: `${where} lacks the key ${missing.join(', ')}, under which private keys lie in the store`,
        advice,
      };
    }
    const prefixes = await store.listSecretPrefixes();
    const ids = prefixes.map(keyIdIn);
    if (ids.includes(null)) {
      const advice = 'The next start of serve seals them.';
      return { about, level: 'warn', found: 'private keys lie in the store in clear', advice };
    }
    const [first] = ids;
    if (first !== undefined && (ids.length > 1 || first !== keyIdIn(keyring.prefix()))) {
      const under =
        ids.length > 1 ? `under ${ids.length} keys of ${where}` : `under a key of ${where}, and not under the first`;
      const advice = 'Say "nameplate sealing rotate" to have all under the first.';
      return { about, level: 'warn', found: `private keys lie in the store ${under}`, advice };
    }
    const found =
      ids.length === 0
        ? 'there is no private key in the store yet'
        : `the keys of ${where} open every private key in the store`;
    return { about, level: 'ok', found };
  } catch (error) {
    return { about, level: 'fail', found: messageOf(error), advice: 'Set it right before the next start of serve.' };
  }
}

/** So many that expire first are looked at. */
const LOOKED_AT = 1000;

/** Certificates in use whose end is near, so that something of ours has kept them from being renewed. */
export async function examineExpiry(store: Pick<Store, 'listExpiring'>, now: number): Promise<Finding> {
  const about = 'expiry';
  const expiring = await store.listExpiring(LOOKED_AT);
  const ours = expiring.filter(({ problem }) => problem === null || !OWNER_FIXABLE.includes(problem.reason));
  const late = ours.filter(({ issued }) => issued !== null && emergencyAt(issued) <= now);
  const [first] = ours;
  if (first?.issued == null) {
    const found =
      expiring.length === 0 ? 'no certificate is in use yet' : 'no certificate is in use whose name leads to us';
    return { about, level: 'ok', found };
  }
  if (late.length === 0) {
    return {
      about,
      level: 'ok',
      found: `the first certificate to expire, of ${first.hostname}, does at ${when(first.issued.notAfter)}`,
    };
  }
  const over = late.filter(({ issued }) => issued !== null && issued.notAfter <= now).length;
  const names = joinList(
    late.map(({ hostname, problem }) => (problem === null ? hostname : `${hostname} (${problem.reason})`)),
  );
  const many =
    late.length === 1 ? '1 certificate' : `${late.length === LOOKED_AT ? 'at least ' : ''}${late.length} certificates`;
  const of = over === 0 ? '' : `, ${over} of which expired`;
  return {
    about,
    level: over > 0 ? 'fail' : 'warn',
    found: `${many} should have been renewed long ago${of}: ${names}`,
    advice: 'Say "nameplate certificates show NAME" of one: it says what stands in the way.',
  };
}
