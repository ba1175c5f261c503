import { createHash, createPublicKey, type KeyObject, verify, X509Certificate } from 'node:crypto';
import { oid, readElements, readInside, TAGS } from '../../../server/src/certificates/x509/der.ts';
import { certificatePem } from '../../../server/src/certificates/x509/pem.ts';
import { keyId, newPrivateKey, readPrivateKey } from '../../../server/src/certificates/x509/private-key.ts';
import {
  createAuthorityCertificate,
  createServerCertificate,
} from '../../../server/src/certificates/x509/x509-certificate.ts';
import { AcmeProblem } from './problem.ts';

/** X.509 of the fake CA: a root, an intermediate, and server certificates. */
export interface FakeAuthority {
  /** PEM. */
  root: string;
  issue(hostname: string, key: KeyObject, validity: { notBefore: number; notAfter: number }): FakeCertificate;
}

export interface FakeCertificate {
  hostname: string;
  /** PEM, with the intermediate. */
  chain: string;
  /** ARI identifier (RFC 9773 section 4.1). */
  renewalId: string;
  notBefore: number;
  notAfter: number;
  /** SHA-256 of its SubjectPublicKeyInfo, hex. */
  publicKey: string;
}

const YEAR_MS = 365 * 24 * 3_600_000;

export function createFakeAuthority(now: number): FakeAuthority {
  const root = { name: 'Fake root', privateKey: readPrivateKey(newPrivateKey()) };
  const below = { name: 'Fake CA', privateKey: readPrivateKey(newPrivateKey()) };
  const validity = { notBefore: now - YEAR_MS, notAfter: now + 20 * YEAR_MS };
  const above = certificatePem(createAuthorityCertificate(below, { ...validity, signer: root, pathLength: 0 }));
  return {
    root: certificatePem(createAuthorityCertificate(root, { ...validity, pathLength: 1 })),
    issue(hostname, key, { notBefore, notAfter }) {
      const leaf = createServerCertificate({ hostname, key }, { signer: below, notBefore, notAfter });
      const serial = Buffer.from(new X509Certificate(leaf).serialNumber, 'hex');
      const renewalId = `${keyId(below.privateKey).toString('base64url')}.${serial.toString('base64url')}`;
      return {
        hostname,
        chain: certificatePem(leaf) + above,
        renewalId,
        notBefore,
        notAfter,
        publicKey: fingerprint(key),
      };
    },
  };
}

export function fingerprint(key: KeyObject): string {
  const info = (key.type === 'private' ? createPublicKey(key) : key).export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(info).digest('hex');
}

/**
 * The name and the key that a request (PKCS #10) is for. Throws `AcmeProblem` unless it is signed, and for one name.
 */
export function readRequest(csr: Buffer): { hostname: string; key: KeyObject } {
  try {
    const [info, , signature] = readInside(csr);
    const [, , publicKey, attributes] = readInside(info?.whole ?? Buffer.alloc(0));
    if (info === undefined || signature === undefined || publicKey === undefined || attributes === undefined) {
      throw new RangeError('something is missing');
    }
    const key = createPublicKey({ key: publicKey.whole, format: 'der', type: 'spki' });
    if (!verify('sha256', info.whole, key, signature.content.subarray(1)))
      throw new RangeError('the signature is wrong');
    return { hostname: readName(attributes.content), key };
  } catch (error) {
    throw new AcmeProblem(400, 'badCSR', `The CSR is bad: ${error}`);
  }
}

/** attributes → extensionRequest → extensions → subjectAltName → its only dNSName. */
function readName(attributes: Buffer): string {
  const [, values] = readInside(attributes);
  const [extensions] = readInside(values?.whole ?? Buffer.alloc(0), TAGS.set);
  for (const { content } of readInside(extensions?.whole ?? Buffer.alloc(0))) {
    const [type, value] = readElements(content);
    if (!type?.whole.equals(oid('2.5.29.17')) || value === undefined) continue;
    const [name, ...others] = readInside(value.content);
    if (name?.tag === 0x82 && others.length === 0) return name.content.toString('ascii');
  }
  throw new RangeError('it is not for one name');
}
