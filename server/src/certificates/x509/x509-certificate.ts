import { createHash, type KeyObject, randomBytes, sign, type X509Certificate } from 'node:crypto';
import {
  bitString,
  explicit,
  implicit,
  integer,
  octetString,
  oid,
  readElements,
  readInside,
  sequence,
  set,
  TRUE,
  time,
  utf8String,
} from './der.ts';
import { keyId, publicKeyInfo } from './private-key.ts';

/**
 * X.509 certificates (RFC 5280) with P-256 keys, signed with ECDSA and SHA-256 (RFC 5758). Times are Unix milliseconds.
 */

const OID = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  extensionRequest: '1.2.840.113549.1.9.14',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  acmeIdentifier: '1.3.6.1.5.5.7.1.31',
} as const;

/** Longest common name (RFC 5280 appendix A.1). */
const LONGEST_COMMON_NAME = 64;

/** Signs certificates. */
export interface Authority {
  name: string;
  privateKey: KeyObject;
}

interface Validity {
  notBefore: number;
  notAfter: number;
}

/**
 * The certificate of an authority, self-signed unless `signer` is given. `pathLength`: how many CAs may follow below.
 * DER.
 */
export function createAuthorityCertificate(
  authority: Authority,
  { signer = authority, pathLength, ...validity }: Validity & { signer?: Authority; pathLength: number },
): Buffer {
  const subject = distinguishedName(authority.name);
  return createCertificate(subject, authority.privateKey, signer, validity, [
    extension(OID.basicConstraints, sequence(TRUE, integer([pathLength])), 'critical'),
    // keyCertSign and cRLSign.
    extension(OID.keyUsage, bitString(Buffer.from([0x06]), 1), 'critical'),
  ]);
}

/** The certificate of a server, for one host name. `key`: public or private. DER. */
export function createServerCertificate(
  { hostname, key }: { hostname: string; key: KeyObject },
  { signer, ...validity }: Validity & { signer: Authority },
): Buffer {
  const named = hostname.length <= LONGEST_COMMON_NAME;
  return createCertificate(named ? distinguishedName(hostname) : sequence(), key, signer, validity, [
    extension(OID.basicConstraints, sequence(), 'critical'),
    // digitalSignature.
    extension(OID.keyUsage, bitString(Buffer.from([0x80]), 7), 'critical'),
    extension(OID.extendedKeyUsage, sequence(oid(OID.serverAuth))),
    // Critical if there is no subject (section 4.2.1.6).
    extension(OID.subjectAltName, hostnames(hostname), named ? undefined : 'critical'),
  ]);
}

/** The self-signed certificate that answers a TLS-ALPN-01 challenge (RFC 8737 section 3). DER. */
export function createChallengeCertificate(
  { hostname, keyAuthorization, privateKey }: { hostname: string; keyAuthorization: string; privateKey: KeyObject },
  validity: Validity,
): Buffer {
  const signer = { name: 'ACME challenge', privateKey };
  const digest = createHash('sha256').update(keyAuthorization).digest();
  return createCertificate(distinguishedName(signer.name), privateKey, signer, validity, [
    extension(OID.subjectAltName, hostnames(hostname)),
    extension(OID.acmeIdentifier, octetString(digest), 'critical'),
  ]);
}

/** A certificate request (PKCS #10, RFC 2986) for one host name. DER. */
export function createRequest(hostname: string, privateKey: KeyObject): Buffer {
  const wanted = sequence(extension(OID.subjectAltName, hostnames(hostname)));
  const attributes = explicit(0, sequence(oid(OID.extensionRequest), set(wanted)));
  return signed(sequence(integer([0]), sequence(), publicKeyInfo(privateKey), attributes), privateKey);
}

/** For ARI: the authority key identifier, and the serial number with its encoding. */
interface Identity {
  authorityKeyId: Buffer;
  serial: Buffer;
}

/** Null if there is no authority key identifier, or if it cannot be read. */
export function readIdentity({ raw }: X509Certificate): Identity | null {
  try {
    return findIdentity(raw);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function findIdentity(certificate: Buffer): Identity | null {
  const [, serial, , , , , , ...rest] = readInside(readInside(certificate)[0]?.whole ?? Buffer.alloc(0));
  const extensions = rest.find(({ tag }) => tag === 0xa3);
  if (serial === undefined || extensions === undefined) return null;
  const type = oid(OID.authorityKeyIdentifier);
  for (const { content } of readInside(extensions.content)) {
    const [id, ...values] = readElements(content);
    const value = values.at(-1);
    if (value === undefined || id === undefined || !id.whole.equals(type)) continue;
    const authorityKeyId = readInside(value.content).find(({ tag }) => tag === 0x80)?.content;
    return authorityKeyId === undefined ? null : { authorityKeyId, serial: serial.content };
  }
  return null;
}

/** The subject's common name; empty: there is none. */
export function readCommonName(certificate: X509Certificate): string {
  return /^CN=(.*)$/m.exec(certificate.subject)?.[1] ?? '';
}

function createCertificate(
  subject: Buffer,
  key: KeyObject,
  signer: Authority,
  { notBefore, notAfter }: Validity,
  extensions: Buffer[],
): Buffer {
  const serial = randomBytes(16);
  // Positive, and of constant length (section 4.1.2.2).
  serial.writeUInt8((serial.readUInt8(0) & 0x3f) | 0x40, 0);
  const content = sequence(
    explicit(0, integer([2])),
    integer(serial),
    sequence(oid(OID.ecdsaWithSha256)),
    distinguishedName(signer.name),
    sequence(time(notBefore), time(notAfter)),
    subject,
    publicKeyInfo(key),
    explicit(
      3,
      sequence(
        ...extensions,
        extension(OID.subjectKeyIdentifier, octetString(keyId(key))),
        extension(OID.authorityKeyIdentifier, sequence(implicit(0, keyId(signer.privateKey)))),
      ),
    ),
  );
  return signed(content, signer.privateKey);
}

/** The structure of certificates and requests: content, algorithm, signature. */
function signed(content: Buffer, privateKey: KeyObject): Buffer {
  return sequence(content, sequence(oid(OID.ecdsaWithSha256)), bitString(sign('sha256', content, privateKey)));
}

function extension(type: string, value: Buffer, critical?: 'critical'): Buffer {
  return sequence(oid(type), ...(critical === undefined ? [] : [TRUE]), octetString(value));
}

function distinguishedName(commonName: string): Buffer {
  return sequence(set(sequence(oid(OID.commonName), utf8String(commonName))));
}

function hostnames(hostname: string): Buffer {
  return sequence(implicit(2, Buffer.from(hostname, 'ascii')));
}
