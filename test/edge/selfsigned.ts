import { certificatePem } from '../../server/src/certificates/x509/pem.ts';
import { newPrivateKey, readPrivateKey } from '../../server/src/certificates/x509/private-key.ts';
import {
  type Authority,
  createAuthorityCertificate,
  createServerCertificate,
} from '../../server/src/certificates/x509/x509-certificate.ts';

/** A certificate for a name, of a CA that exists for this alone. All PEM. */
export function certificateFor(name: string): { key: string; cert: string; ca: string } {
  const authority: Authority = { name: `CA of ${name}`, privateKey: readPrivateKey(newPrivateKey()) };
  const key = readPrivateKey(newPrivateKey());
  const validity = { notBefore: Date.now() - 3_600_000, notAfter: Date.now() + 3_600_000 };
  return {
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: certificatePem(createServerCertificate({ hostname: name, key }, { signer: authority, ...validity })),
    ca: certificatePem(createAuthorityCertificate(authority, { pathLength: 0, ...validity })),
  };
}
