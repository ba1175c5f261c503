import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { Problem } from './errors.ts';

/** Certificates that requests bring. No message repeats anything of a private key. */

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2';

/** Reads a certificate with its private key, for the store. Throws a `Problem` that says what is wrong. */
export function readClientCertificate(
  { certificate, privateKey }: { certificate: string; privateKey: string },
  now: number,
): { chain: string; privateKey: Uint8Array } {
  const location = 'body.clientCertificate.certificate';
  const chain = readChain(certificate, location);
  const leaf = new X509Certificate(chain);
  const key = readKey(privateKey);
  if (leaf.validToDate.getTime() <= now) throw invalid(location, 'has expired');
  if (leaf.keyUsage !== undefined && !leaf.keyUsage.includes(CLIENT_AUTHENTICATION))
    throw invalid(location, 'must be for TLS clients (extended key usage clientAuth)');
  if (!leaf.checkPrivateKey(key)) throw invalid('body.clientCertificate.privateKey', 'must belong to the certificate');
  return { chain, privateKey: new Uint8Array(key.export({ format: 'der', type: 'pkcs8' })) };
}

/** Reads the certificates of CAs. Throws a `Problem` that says what is wrong. */
export function readCaCertificate(text: string): string {
  return readChain(text, 'body.caCertificate');
}

/** The certificates of a text, without what else is in it, such as a private key. */
function readChain(text: string, location: string): string {
  const blocks = text.match(CERTIFICATE) ?? [];
  try {
    for (const block of blocks) new X509Certificate(block);
  } catch {
    throw invalid(location, 'has a certificate that cannot be read');
  }
  if (blocks.length === 0)
    throw invalid(location, 'must be a certificate in PEM, beginning with "-----BEGIN CERTIFICATE-----"');
  return `${blocks.join('\n')}\n`;
}

function readKey(privateKey: string): KeyObject {
  const location = 'body.clientCertificate.privateKey';
  let key: KeyObject;
  try {
    key = createPrivateKey(privateKey);
  } catch {
    throw invalid(location, 'must be a private key in PEM, without a passphrase');
  }
  if (!isQuick(key)) throw invalid(location, 'must be RSA of 2048 to 4096 bits, P-256, P-384 or Ed25519');
  return key;
}

/** The edge signs with the key in each handshake, while other sites wait: RSA of 16384 bits would take half a second. */
export function isQuick({ asymmetricKeyType: type, asymmetricKeyDetails: details = {} }: KeyObject): boolean {
  const { modulusLength = 0, namedCurve = '' } = details;
  if (type === 'rsa') return modulusLength >= 2048 && modulusLength <= 4096;
  return type === 'ed25519' || (type === 'ec' && ['prime256v1', 'secp384r1'].includes(namedCurve));
}

function invalid(location: string, message: string): Problem {
  return new Problem('validation/invalid_input', { errors: [{ location, message }] });
}
