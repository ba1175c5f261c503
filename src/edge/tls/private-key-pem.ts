import { createPrivateKey } from 'node:crypto';

/** Converts a private key (PKCS #8, DER) to PEM. Throws when it is invalid. */
export function privateKeyPem(der: Uint8Array): string {
  const key = createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' });
  return key.export({ format: 'pem', type: 'pkcs8' }).toString();
}
