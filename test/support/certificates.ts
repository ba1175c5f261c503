import { generateKeyPairSync } from 'node:crypto';
import type { Domain } from '../../server/src/domain/domain.ts';
import { HEALTHY } from '../../server/src/domain/monitoring.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import type {
  CaAccount,
  CertificateOrder,
  CertificateStore,
  DueCertificate,
  Environment,
  IssuedCertificate,
  LedgerEntry,
  ServedCertificate,
  Store,
} from '../../server/src/store/store.ts';
import { attach, failedAt, NOW, unique, verifiedAt } from './entities.ts';

export const DAY_MS = 86_400_000;

/** Stores a domain that was verified at `at`, with its certificate in state `wanted`. */
export async function verify(
  store: Store,
  environment: Environment,
  { at = NOW, ...about }: Partial<Domain> & { at?: number } = {},
): Promise<Domain> {
  const before = await attach(store, environment, about);
  await prove(store, before, at);
  return verifiedAt(before, at);
}

/** Makes a domain verified, against whoever has the name verified. `stale`: it changed meanwhile. */
export async function prove(store: Store, before: Domain, now: number): Promise<'saved' | 'stale'> {
  const incumbent = await store.findIncumbent(before);
  const loser = incumbent === null ? undefined : { before: incumbent, after: failedAt(incumbent, now) };
  return store.saveTransition({ before, after: verifiedAt(before, now), loser, memory: NO_MEMORY, now });
}

/** Another workspace proves that the name is its own; resolves with its domain. */
export async function takeOver(
  store: Store,
  environment: Environment,
  { name }: Pick<Domain, 'name'>,
  now: number,
): Promise<Domain> {
  const before = await attach(store, environment, { name });
  if ((await prove(store, before, now)) !== 'saved') throw new Error('the fixture could not be taken over');
  return verifiedAt(before, now);
}

/** A re-check finds that nothing leads to the domain any more. */
export async function lose(store: Store, domain: Domain, now: number): Promise<'saved' | 'stale' | 'not due'> {
  const due = await store.claimMonitored({ now, limit: 1000, intervalMs: DAY_MS, jitter: () => 0 });
  const found = due.find((each) => each.domain.id === domain.id);
  if (found === undefined) return 'not due';
  const { domain: before, attempts } = found;
  return store.saveMonitoring({ before, after: failedAt(before, now), memory: HEALTHY, attempts, now });
}

/** The certificate that a name is served with; null: none. Rejects when its key cannot be unsealed. */
export async function servedCertificate(
  store: Pick<Store, 'findSite'>,
  hostname: string,
): Promise<ServedCertificate | null> {
  const certificate = (await store.findSite(hostname))?.certificate ?? null;
  if (certificate instanceof Error) throw certificate;
  return certificate;
}

/** A real private key: PKCS #8, DER. */
export function aPrivateKey(): Uint8Array {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return new Uint8Array(privateKey.export({ type: 'pkcs8', format: 'der' }));
}

/** Directory URL of a new CA. */
export function anIssuer(): string {
  return `https://${unique('ca')}.example/directory`;
}

export function anOrder(
  about: Partial<CertificateOrder> & Pick<CertificateOrder, 'hostname' | 'issuer'>,
): CertificateOrder {
  return { url: null, privateKey: aPrivateKey(), replaces: null, startedAt: NOW, ...about };
}

export function aLedgerEntry(about: Partial<LedgerEntry> & Pick<LedgerEntry, 'hostname' | 'issuer'>): LedgerEntry {
  return { registeredDomain: 'example.com', exempt: false, ...about };
}

export function anIssuedCertificate(
  about: Partial<IssuedCertificate> = {},
): IssuedCertificate & { privateKey: Uint8Array } {
  return {
    issuer: 'internal',
    chain: `-----BEGIN CERTIFICATE-----\n${unique('leaf')}\n-----END CERTIFICATE-----\n`,
    notBefore: NOW,
    notAfter: NOW + 90 * DAY_MS,
    issuedAt: NOW,
    renewal: {
      source: 'ari',
      startsAt: NOW + 59 * DAY_MS,
      endsAt: NOW + 61 * DAY_MS,
      renewAt: NOW + 60 * DAY_MS,
      askAgainAt: NOW + DAY_MS,
      explanationUrl: null,
    },
    privateKey: aPrivateKey(),
    ...about,
  };
}

export function aCaAccount(about: Partial<CaAccount> = {}): CaAccount {
  return {
    issuer: anIssuer(),
    url: null,
    privateKey: aPrivateKey(),
    certificate: null,
    pausedUntil: null,
    problem: null,
    createdAt: NOW,
    ...about,
  };
}

type Save = Parameters<CertificateStore['saveCertificate']>[0];

/** A save that changes nothing. */
export function aSave({ certificate, lease }: DueCertificate, about: Partial<Save> = {}): Save {
  const { hostname, state, problem, selfCheck, failures } = certificate;
  return { hostname, lease, state, problem, selfCheck, failures, nextTryAt: NOW + DAY_MS, now: NOW, ...about };
}
