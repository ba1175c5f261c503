import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { splitPem } from '../../certificates/x509/pem.ts';
import { joinList } from '../../domain/text.ts';
import { messageOf } from '../cli-error.ts';

/** A certificate that passed the checks. Times are Unix milliseconds. */
interface ImportedCertificate {
  /** PEM. */
  chain: string;
  /** PKCS #8, DER. A secret. */
  privateKey: Uint8Array;
  notBefore: number;
  notAfter: number;
  /** Warnings. */
  notes: string[];
}

/** Why a certificate cannot be used, one sentence each. */
export class ImportProblems extends Error {
  override name = 'ImportProblems';
  readonly problems: string[];

  constructor(problems: string[]) {
    super(problems.join(' '));
    this.problems = problems;
  }
}

/** Checks a certificate and its key as TLS clients do. Throws `ImportProblems` with everything that is wrong. */
export function readImport(hostname: string, files: { chain: string; key: string }, now: number): ImportedCertificate {
  const certificates = readCertificates(files.chain);
  const privateKey = readKey(files.key);
  const [leaf, ...above] = certificates;
  if (leaf === undefined) throw new ImportProblems(['The chain file contains no certificate in PEM.']);
  const problems = [
    ...keyProblems(certificates, privateKey),
    ...nameProblems(leaf, hostname),
    ...dateProblems(certificates, now),
    ...orderProblems(certificates),
  ];
  if (problems.length > 0) throw new ImportProblems(problems);
  const chain = certificates.map(String).join('');
  checkForTls(chain, privateKey);
  return {
    chain,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }),
    notBefore: leaf.validFromDate.getTime(),
    notAfter: leaf.validToDate.getTime(),
    notes: above.length === 0 ? [loneWarning(leaf)] : [],
  };
}

function readCertificates(text: string): X509Certificate[] {
  return splitPem(text).map((pem, at) => {
    try {
      return new X509Certificate(pem);
    } catch {
      throw new ImportProblems([`Certificate ${at + 1} of the chain is not a valid X.509 certificate.`]);
    }
  });
}

function readKey(text: string): KeyObject {
  if (/ENCRYPTED/.test(text))
    throw new ImportProblems([
      'The key is encrypted. Decrypt it first: openssl pkey -in the-key.pem -out decrypted.pem',
    ]);
  try {
    return createPrivateKey(text);
  } catch {
    throw new ImportProblems(['The key file contains no private key in PEM.']);
  }
}

function keyProblems(certificates: X509Certificate[], key: KeyObject): string[] {
  const at = certificates.findIndex((certificate) => certificate.checkPrivateKey(key));
  if (at === 0) return [];
  if (at === -1) return ['The key does not belong to any of these certificates.'];
  return [`The key belongs to certificate ${at + 1}, which must come first.`];
}

function nameProblems(leaf: X509Certificate, hostname: string): string[] {
  if (leaf.checkHost(hostname, { subject: 'never' }) !== undefined) return [];
  const names = [...(leaf.subjectAltName ?? '').matchAll(/DNS:([^,\s"]+)/g)].map(([, name = '']) => name);
  const covered = names.length === 0 ? 'no name' : joinList(names);
  return [`The first certificate is for ${covered}, not for ${hostname}.`];
}

function dateProblems(certificates: X509Certificate[], now: number): string[] {
  return certificates.flatMap((certificate, at) => {
    const which = `Certificate ${at + 1} (${nameOf(certificate)})`;
    if (certificate.validToDate.getTime() <= now)
      return [`${which} expired at ${certificate.validToDate.toISOString()}.`];
    if (certificate.validFromDate.getTime() > now)
      return [`${which} is not valid before ${certificate.validFromDate.toISOString()}.`];
    return [];
  });
}

/** Each certificate must be signed by the next (RFC 8446 section 4.4.2). */
function orderProblems(certificates: X509Certificate[]): string[] {
  const [leaf] = certificates;
  if (leaf?.ca && certificates.length > 1)
    return ['The first certificate belongs to a CA, not to a server: reverse the order.'];
  return certificates.flatMap((certificate, at) => {
    const issuer = certificates[at + 1];
    if (issuer === undefined || isIssuedBy(certificate, issuer)) return [];
    const right = certificates.findIndex((other) => other !== certificate && isIssuedBy(certificate, other));
    const where = right === -1 ? 'is not in the chain' : `is certificate ${right + 1}`;
    return [
      `Certificate ${at + 1} (${nameOf(certificate)}) is followed by that of ${nameOf(issuer)}, but its issuer ${where}.`,
    ];
  });
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

/** Finds anything else that a TLS server rejects, such as a key that is too small. */
function checkForTls(chain: string, key: KeyObject): void {
  try {
    createSecureContext({ cert: chain, key: key.export({ type: 'pkcs8', format: 'pem' }) });
  } catch (error) {
    throw new ImportProblems([`OpenSSL does not accept it for TLS: ${messageOf(error)}.`]);
  }
}

function loneWarning(leaf: X509Certificate): string {
  return leaf.checkIssued(leaf)
    ? 'the certificate is self-signed: only clients that are configured to trust it accept it.'
    : 'the chain has no intermediate certificates: most clients need them to reach a root that they trust.';
}

/** The common name, or else the whole subject. */
function nameOf({ subject }: X509Certificate): string {
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', ');
}
