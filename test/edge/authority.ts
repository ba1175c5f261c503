import { X509Certificate } from 'node:crypto';
import { certificatePem } from '../../server/src/certificates/x509/pem.ts';
import {
  createAuthorityCertificate,
  createServerCertificate,
} from '../../server/src/certificates/x509/x509-certificate.ts';
import type { IssuedCertificate } from '../../server/src/store/store.ts';
import { anIssuedCertificate } from '../support/certificates.ts';
import { newKey } from '../support/issue-chain.ts';

const DAY_MS = 86_400_000;

/** The CA of the edge's tests, made once for a file. */
const root = { name: 'Test root', privateKey: newKey() };
const validity = { notBefore: Date.now() - DAY_MS, notAfter: Date.now() + 365 * DAY_MS };

/** The root that clients trust. PEM. */
export const ROOT = certificatePem(createAuthorityCertificate(root, { pathLength: 0, ...validity }));

/** A certificate for a name, as it is put in use. Its serial number tells it from others. */
export function issue(
  hostname: string,
  { notBefore = validity.notBefore, notAfter = Date.now() + 90 * DAY_MS } = {},
): IssuedCertificate & { privateKey: Uint8Array; serial: string } {
  const key = newKey();
  const chain = certificatePem(createServerCertificate({ hostname, key }, { signer: root, notBefore, notAfter }));
  const privateKey = new Uint8Array(key.export({ type: 'pkcs8', format: 'der' }));
  const issued = anIssuedCertificate({ chain, notBefore, notAfter });
  return { ...issued, privateKey, serial: new X509Certificate(chain).serialNumber };
}
