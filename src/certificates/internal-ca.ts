import { randomBytes, X509Certificate } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { CaAccount, CertificateStore } from '../store/contract/store.ts';
import { CaProblem, type Issuer } from './issuer.ts';
import { certificatePem } from './x509/pem.ts';
import { newPrivateKey, readPrivateKey } from './x509/private-key.ts';
import { createAuthorityCertificate, createServerCertificate, readCommonName } from './x509/x509-certificate.ts';

export interface InternalOptions {
  store: Pick<CertificateStore, 'findCaAccount' | 'createCaAccount'>;
  clock: Clock;
  /** Of the certificates that it issues. */
  lifetimeMs?: number;
}

/** Our own CA. */
export interface InternalIssuer extends Issuer {
  /** What clients have to trust. PEM. Made when it is first asked for. */
  rootCertificate(): Promise<string>;
}

export const INTERNAL = 'internal';

const DAY_MS = 24 * 3_600_000;
const LIFETIME_MS = 90 * DAY_MS;
const ROOT_LIFETIME_MS = 3650 * DAY_MS;
/** Clients whose clocks are behind have to accept a certificate at once, too. */
const BACKDATED_MS = 3_600_000;

/** A CA of our own, for development and closed networks: made at first use, and the same on all nodes. */
export function internalIssuer({ store, clock, lifetimeMs = LIFETIME_MS }: InternalOptions): InternalIssuer {
  /** Whoever is first to keep one has made it for all. */
  async function open(): Promise<CaAccount & { certificate: string }> {
    const kept = (await store.findCaAccount(INTERNAL)) ?? (await store.createCaAccount(createRoot(clock.now())));
    if (kept.certificate === null) throw new CaProblem('account', 'The internal CA has no certificate of its own.');
    return { ...kept, certificate: kept.certificate };
  }

  return {
    id: INTERNAL,
    usesHttp01: false,
    caaNames: async () => [],
    renewalInfo: async () => null,
    renewalId: async () => null,
    rootCertificate: async () => (await open()).certificate,

    async issue({ hostname, privateKey }) {
      const { certificate, privateKey: rootKey } = await open();
      const now = clock.now();
      const root = new X509Certificate(certificate);
      const notAfter = Math.min(now + lifetimeMs, root.validToDate.getTime());
      if (notAfter <= now) throw new CaProblem('account', `The internal CA ended at ${root.validTo}.`);
      const signer = { name: readCommonName(root), privateKey: readPrivateKey(rootKey) };
      const leaf = createServerCertificate(
        { hostname, key: readPrivateKey(privateKey) },
        { signer, notBefore: now - BACKDATED_MS, notAfter },
      );
      return { chain: certificatePem(leaf) };
    },
  };
}

function createRoot(now: number): CaAccount {
  const privateKey = newPrivateKey();
  // Clients tell roots apart by name.
  const name = `Nameplate internal CA ${randomBytes(4).toString('hex')}`;
  const certificate = createAuthorityCertificate(
    { name, privateKey: readPrivateKey(privateKey) },
    { pathLength: 0, notBefore: now - BACKDATED_MS, notAfter: now + ROOT_LIFETIME_MS },
  );
  return {
    issuer: INTERNAL,
    url: null,
    privateKey,
    certificate: certificatePem(certificate),
    pausedUntil: null,
    problem: null,
    createdAt: now,
  };
}
