import { randomBytes, X509Certificate } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { CaAccount, CertificateStore } from '../store/store.ts';
import { CaProblem, type Issuer } from './issuer.ts';
import { certificatePem } from './x509/pem.ts';
import { newPrivateKey, readPrivateKey } from './x509/private-key.ts';
import { createAuthorityCertificate, createServerCertificate, readCommonName } from './x509/x509-certificate.ts';

interface InternalCaOptions {
  store: Pick<CertificateStore, 'findCaAccount' | 'createCaAccount'>;
  clock: Clock;
  /** Lifetime of the certificates that it issues. */
  lifetimeMs?: number;
  /** Its issuer domain names for CAA; none unless given, so that it obeys no CAA record. */
  caaNames?: readonly string[] | undefined;
}

export interface InternalCa extends Issuer {
  /** The root that clients need to trust. PEM. */
  rootCertificate(): Promise<string>;
}

export const INTERNAL = 'internal';

const DAY_MS = 24 * 3_600_000;
const LIFETIME_MS = 90 * DAY_MS;
const ROOT_LIFETIME_MS = 3650 * DAY_MS;
/** Certificates begin this long ago, for clients whose clocks are behind. */
const BACKDATED_MS = 3_600_000;

/** A private CA for development and closed networks: created at first use, the same on all nodes. */
export function internalIssuer(options: InternalCaOptions): InternalCa {
  const { store, clock, lifetimeMs = LIFETIME_MS, caaNames = [] } = options;

  async function open(): Promise<CaAccount & { certificate: string }> {
    const saved = (await store.findCaAccount(INTERNAL)) ?? (await store.createCaAccount(createRoot(clock.now())));
    if (saved.certificate === null) throw new CaProblem('account', 'The internal CA has no certificate of its own.');
    return { ...saved, certificate: saved.certificate };
  }

  return {
    id: INTERNAL,
    validatesNames: false,
    caaNames: async () => caaNames,
    renewalInfo: async () => null,
    renewalId: async () => null,
    rootCertificate: async () => (await open()).certificate,

    async issue({ hostname, privateKey }) {
      const { certificate, privateKey: rootKey } = await open();
      const now = clock.now();
      const root = new X509Certificate(certificate);
      const notAfter = Math.min(now + lifetimeMs, root.validToDate.getTime());
      if (notAfter <= now) throw new CaProblem('account', `The internal CA expired at ${root.validTo}.`);
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
  // Clients distinguish roots by name.
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
