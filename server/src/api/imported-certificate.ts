import { createPrivateKey, type KeyObject, sign, verify, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { IMPORTED, lifetimeWindow, type MOVED } from '../domain/certificate-state.ts';
import { joinQuoted, quote } from '../domain/text.ts';
import { baseName, isWildcard } from '../domain/wildcard.ts';
import type { IssuedCertificate } from '../store/store.ts';
import { isQuick } from './client-certificate.ts';
import { Problem, type Violation } from './errors.ts';

/** More than any CA uses. */
const LONGEST_CHAIN = 10;
const DAY_MS = 86_400_000;
/** The octets of an RSA key of 4,096 bits are fewer. One with longer numbers is slow in each handshake. */
const LONGEST_KEY = 2600;
/** Any CA's is 65537. With one as long as the key, a signature takes 20 ms to verify. */
const LARGEST_EXPONENT = 2n ** 32n;
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1';

/**
 * Checks a certificate and its key as browsers do, and puts the chain in order, without its root. Returns what the store
 * puts in use. Throws a `Problem` with all that is wrong, each with what to do; nothing in it is of the key. `random` is in [0, 1).
 * For untrusted texts of some ten thousand characters.
 */
export function readImport(
  hostname: string,
  { certificates: text, privateKey }: { certificates: string; privateKey: string },
  now: number,
  random: number,
  issuer: typeof IMPORTED | typeof MOVED = IMPORTED,
): IssuedCertificate & { privateKey: Uint8Array } {
  const certificates = readCertificates(text);
  const key = readKey(privateKey);
  const own = certificates.find((certificate) => isKeyOf(key, certificate));
  const [leaf = own] = own ? [own] : certificates;
  if (leaf === undefined)
    throw refused(inChain('has no certificate in PEM', 'begin with "-----BEGIN CERTIFICATE-----"'));
  const chain = chainFrom(leaf, certificates);
  const problems = [
    ...(own ? [] : [inKey('does not belong to any of the certificates', 'give the key that they were requested with')]),
    ...nameProblems(leaf, hostname),
    ...purposeProblems(leaf),
    ...dateProblems(chain, now),
    ...orderProblems(chain, certificates),
  ];
  if (problems.length > 0) throw refused(...problems);
  const pem = chain.map(String).join('');
  checkForTls(pem, key);
  const times = { notBefore: leaf.validFromDate.getTime(), notAfter: leaf.validToDate.getTime() };
  const read = { chain: pem, issuer, issuedAt: now, ...times };
  const renewal = lifetimeWindow(read, now, random, false);
  return { ...read, renewal, privateKey: new Uint8Array(key.export({ type: 'pkcs8', format: 'der' })) };
}

/** Leaves out those that are there twice. */
function readCertificates(text: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length > LONGEST_CHAIN)
    throw refused(inChain(`has more than ${LONGEST_CHAIN} certificates`, 'give that of the name and those above it'));
  const certificates = blocks.map((block, at) => {
    const read = parse(block);
    if (read !== null) return read;
    throw refused(inChain(`has a certificate that cannot be read, its number ${at + 1}`, 'copy it again from the CA'));
  });
  return certificates.filter((one, at) => certificates.findIndex(({ raw }) => raw.equals(one.raw)) === at);
}

/** Null: it cannot be read, or its key is such that checks with it are slow. */
function parse(block: string): X509Certificate | null {
  try {
    const read = new X509Certificate(block);
    const { modulusLength = 0, publicExponent = 0n } = read.publicKey.asymmetricKeyDetails ?? {};
    return modulusLength <= 4096 && publicExponent <= LARGEST_EXPONENT ? read : null;
  } catch {
    return null;
  }
}

function readKey(text: string): KeyObject {
  if (/BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: 4,ENCRYPTED/.test(text))
    throw refused(inKey('is encrypted', 'decrypt it first: openssl pkey -in the-key.pem -out decrypted.pem'));
  const [block = ''] = /-----BEGIN ([A-Z ]*)PRIVATE KEY-----[^-]*-----END \1PRIVATE KEY-----/.exec(text) ?? [];
  let key: KeyObject;
  try {
    key = createPrivateKey(block);
  } catch {
    throw refused(inKey('is no private key in PEM', 'give the text that begins with "-----BEGIN PRIVATE KEY-----"'));
  }
  // Browsers know no Ed25519.
  const isLong = key.export({ type: 'pkcs8', format: 'der' }).length > LONGEST_KEY;
  if (isQuick(key) && !isLong && key.asymmetricKeyType !== 'ed25519') return key;
  throw refused(inKey('is of a kind or length that is not accepted', 'use RSA of 2048 to 4096 bits, P-256 or P-384'));
}

/** Whether the key signs for the certificate: the private half may be damaged. */
function isKeyOf(key: KeyObject, certificate: X509Certificate): boolean {
  const text = Buffer.from('nameplate');
  try {
    return certificate.checkPrivateKey(key) && verify('sha256', text, certificate.publicKey, sign('sha256', text, key));
  } catch {
    return false;
  }
}

/** The common name does not count (RFC 9525 section 2). */
function nameProblems(leaf: X509Certificate, hostname: string): Violation[] {
  const wanted = isWildcard(hostname) ? `any-name.${baseName(hostname)}` : hostname;
  const match = leaf.checkHost(wanted, { subject: 'never', partialWildcards: false })?.toLowerCase();
  if (match !== undefined && (!isWildcard(hostname) || match === hostname)) return [];
  const names = [...(leaf.subjectAltName ?? '').matchAll(/DNS:([^,\s"]+)/g)].map(([, name = '']) => name.toLowerCase());
  const covered = names.length === 0 ? 'no name' : joinQuoted(names);
  return [inChain(`is for ${covered}, not for ${hostname}`, `have one issued for ${hostname}`)];
}

function purposeProblems({ ca, keyUsage }: X509Certificate): Violation[] {
  // Without an extended key usage it is for any purpose.
  if (!ca && (keyUsage === undefined || keyUsage.includes(SERVER_AUTHENTICATION))) return [];
  return [inChain('is not for servers', 'have one issued with the extended key usage serverAuth, not for a CA')];
}

function dateProblems(chain: X509Certificate[], now: number): Violation[] {
  return chain.flatMap((certificate, at) => {
    const { validFromDate: from, validToDate: to } = certificate;
    const which = `has a certificate (${quote(nameOf(certificate))}) that`;
    if (from.getTime() > now) return [inChain(`${which} is not valid before ${from.toISOString()}`, 'try again then')];
    const left = to.getTime() - now;
    if (left <= 0) return [inChain(`${which} expired at ${to.toISOString()}`, 'give one that is valid')];
    return at > 0 || left >= DAY_MS
      ? []
      : [inChain(`${which} expires in less than a day`, 'give one that lasts longer')];
  });
}

/** The leaf, and above each its issuer (RFC 8446 section 4.4.2), without the root, which clients have. */
function chainFrom(leaf: X509Certificate, certificates: X509Certificate[]): X509Certificate[] {
  const chain = [leaf];
  for (let last: X509Certificate | undefined = leaf; last !== undefined; ) {
    const below: X509Certificate = last;
    last = certificates.find((one) => !chain.includes(one) && !isSelfSigned(one) && isIssuedBy(below, one));
    if (last !== undefined) chain.push(last);
  }
  return chain;
}

/** A chain above the leaf may be complete although its root is not among these: it may be any. */
function orderProblems(chain: X509Certificate[], certificates: X509Certificate[]): Violation[] {
  const [leaf, ...above] = chain;
  if (leaf === undefined) return [];
  if (isSelfSigned(leaf)) return [inChain('is self-signed, so browsers reject it', 'have a CA issue it')];
  const isComplete = above.length > 0 || certificates.some((one) => one !== leaf && isIssuedBy(leaf, one));
  const strangers = certificates.filter((one) => !chain.includes(one) && !isSelfSigned(one));
  return [
    ...(isComplete ? [] : [inChain('lacks the intermediate certificates', 'add them: CAs offer them as "full chain"')]),
    ...strangers.map((one) =>
      inChain(`has a certificate (${quote(nameOf(one))}) that issued no other`, 'leave it out'),
    ),
  ];
}

function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.checkIssued(certificate);
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

/** Finds anything else that a TLS server rejects, such as a signature that is too weak. */
function checkForTls(chain: string, key: KeyObject): void {
  try {
    createSecureContext({ cert: chain, key: key.export({ type: 'pkcs8', format: 'pem' }) });
  } catch {
    throw refused(inChain('is not accepted for TLS', 'have a certificate issued with algorithms of today'));
  }
}

/** The common name, or else the whole subject. */
function nameOf({ subject = '' }: X509Certificate): string {
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', ');
}

const inChain = (message: string, fix: string): Violation => ({ location: 'body.certificates', message, fix });
const inKey = (message: string, fix: string): Violation => ({ location: 'body.privateKey', message, fix });

function refused(...errors: Violation[]): Problem {
  return new Problem('validation/invalid_input', { errors });
}
