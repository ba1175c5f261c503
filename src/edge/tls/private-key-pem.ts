import { createPrivateKey } from 'node:crypto';

/** A private key (PKCS #8, DER) as PEM. Throws where it is none. */
export function privateKeyPem(der: Uint8Array): string {
  const key = createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' });
  return key.export({ format: 'pem', type: 'pkcs8' }).toString();
}
