import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readInside } from './der.ts';

/** A new P-256 private key. PKCS #8, DER. */
export function newPrivateKey(): Buffer {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
    publicKeyEncoding: { type: 'spki', format: 'der' },
  }).privateKey;
}

/** Throws if the octets are no private key. */
export function readPrivateKey(pkcs8: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' });
}

/**
 * SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7) of a public key, or of the one that belongs to a private key. DER.
 */
export function publicKeyInfo(key: KeyObject): Buffer {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return publicKey.export({ type: 'spki', format: 'der' });
}

/** Key identifier: 160 bits of the key's SHA-256 (RFC 7093 section 2, method 1). */
export function keyId(key: KeyObject): Buffer {
  const [, bits] = readInside(publicKeyInfo(key));
  if (bits === undefined) throw new RangeError('a public key without bits');
  // The first octet is the number of unused bits.
  return createHash('sha256').update(bits.content.subarray(1)).digest().subarray(0, 20);
}
