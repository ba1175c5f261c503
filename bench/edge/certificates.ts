import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificatePem } from '../../server/src/certificates/x509/pem.ts';
import { newPrivateKey, readPrivateKey } from '../../server/src/certificates/x509/private-key.ts';
import { type Authority, createServerCertificate } from '../../server/src/certificates/x509/x509-certificate.ts';
import { privateKeyPem } from '../../server/src/edge/tls/tls-contexts.ts';

const DAY_MS = 24 * 3_600_000;

/** The host names of a run. */
export function nameOf(number: number): string {
  return `shop${number}.example.com`;
}

/** Makes so many certificates in a directory, key and chain in one file each: what Nameplate and Caddy serve alike. */
export async function makeCertificates(directory: string, count: number): Promise<void> {
  await mkdir(directory);
  const signer: Authority = { name: 'bench', privateKey: readPrivateKey(newPrivateKey()) };
  const validity = { notBefore: Date.now() - DAY_MS, notAfter: Date.now() + 90 * DAY_MS };
  for (let i = 0; i < count; i++) {
    const privateKey = newPrivateKey();
    const identity = { hostname: nameOf(i), key: readPrivateKey(privateKey) };
    const chain = certificatePem(createServerCertificate(identity, { signer, ...validity }));
    await writeFile(join(directory, `${nameOf(i)}.pem`), `${chain}${privateKeyPem(privateKey)}`);
  }
}
