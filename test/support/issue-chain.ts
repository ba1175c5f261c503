import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { certificatePem } from '../../server/src/certificates/x509/pem.ts';
import {
  type Authority,
  createAuthorityCertificate,
  createServerCertificate,
} from '../../server/src/certificates/x509/x509-certificate.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export function newKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

/** A private key as it lies in a file. */
export function keyPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** A certificate for a name, and those above it, as a CA issues them: PEM each. Valid from an hour ago, for 90 days. */
export function issueChain(hostname: string, { now = Date.now(), key = newKey(), lifetimeMs = 90 * DAY_MS } = {}) {
  const validity = { notBefore: now - HOUR_MS, notAfter: now + lifetimeMs };
  const root: Authority = { name: 'Test root', privateKey: newKey() };
  const intermediate: Authority = { name: 'Test intermediate', privateKey: newKey() };
  return {
    key,
    leaf: certificatePem(createServerCertificate({ hostname, key }, { signer: intermediate, ...validity })),
    intermediate: certificatePem(
      createAuthorityCertificate(intermediate, { signer: root, pathLength: 0, ...validity }),
    ),
    root: certificatePem(createAuthorityCertificate(root, { pathLength: 1, ...validity })),
    ...validity,
  };
}
