import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { splitPem } from '../certificates/x509/pem.ts';
import { joinList } from '../domain/text.ts';

/** What is to be put in use, as it is stored. Times are Unix milliseconds. */
export interface Import {
  /** PEM, and nothing else. */
  chain: string;
  /** PKCS #8, DER. A secret. */
  privateKey: Uint8Array;
  notBefore: number;
  notAfter: number;
  /** What is unusual, and allowed. */
  notes: string[];
}

/** What stands in the way of putting it in use, a sentence each. */
export class ImportRefused extends Error {
  override name = 'ImportRefused';
  readonly problems: string[];

  constructor(problems: string[]) {
    super(problems.join(' '));
    this.problems = problems;
  }
}

/** Checks a certificate and its key from elsewhere as clients will. Throws `ImportRefused` with everything that is wrong. */
export function readImport(hostname: string, files: { chain: string; key: string }, now: number): Import {
  const certificates = readCertificates(files.chain);
  const privateKey = readKey(files.key);
  const [leaf, ...above] = certificates;
  if (leaf === undefined) throw new ImportRefused(['The chain holds no certificate in PEM.']);
  const problems = [
    ...keyProblems(certificates, privateKey),
    ...nameProblems(leaf, hostname),
    ...dateProblems(certificates, now),
    ...orderProblems(certificates),
  ];
  if (problems.length > 0) throw new ImportRefused(problems);
  const chain = certificates.map(String).join('');
  servable(chain, privateKey);
  return {
    chain,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }),
    notBefore: leaf.validFromDate.getTime(),
    notAfter: leaf.validToDate.getTime(),
    notes: above.length === 0 ? [loneNote(leaf)] : [],
  };
}

function readCertificates(text: string): X509Certificate[] {
  return splitPem(text).map((pem, at) => {
    try {
      return new X509Certificate(pem);
    } catch {
      throw new ImportRefused([`Certificate ${at + 1} of the chain cannot be read.`]);
    }
  });
}

function readKey(text: string): KeyObject {
  if (/ENCRYPTED/.test(text))
    throw new ImportRefused([
      'The key is encrypted. Decrypt it first: openssl pkey -in the-key.pem -out decrypted.pem',
    ]);
  try {
    return createPrivateKey(text);
  } catch {
    throw new ImportRefused(['The file of the key holds no private key in PEM.']);
  }
}

function keyProblems(certificates: X509Certificate[], key: KeyObject): string[] {
  const at = certificates.findIndex((certificate) => certificate.checkPrivateKey(key));
  if (at === 0) return [];
  if (at === -1) return ['The key belongs to none of these certificates.'];
  return [`The key belongs to certificate ${at + 1}, which has to come first.`];
}

function nameProblems(leaf: X509Certificate, hostname: string): string[] {
  if (leaf.checkHost(hostname, { subject: 'never' }) !== undefined) return [];
  const names = [...(leaf.subjectAltName ?? '').matchAll(/DNS:([^,\s"]+)/g)].map(([, name = '']) => name);
  const covered = names.length === 0 ? 'for no name' : `for ${joinList(names)}`;
  return [`The first certificate is ${covered}, not for ${hostname}.`];
}

function dateProblems(certificates: X509Certificate[], now: number): string[] {
  return certificates.flatMap((certificate, at) => {
    const which = `Certificate ${at + 1} (${nameOf(certificate)})`;
    if (certificate.validToDate.getTime() <= now)
      return [`${which} expired at ${certificate.validToDate.toISOString()}.`];
    if (certificate.validFromDate.getTime() > now)
      return [`${which} is not good before ${certificate.validFromDate.toISOString()}.`];
    return [];
  });
}

/** Each certificate has to be signed by the next (RFC 8446 section 4.4.2). */
function orderProblems(certificates: X509Certificate[]): string[] {
  const [leaf] = certificates;
  if (leaf?.ca && certificates.length > 1) return ["The first certificate is a CA's, not a server's: turn the order."];
  return certificates.flatMap((certificate, at) => {
    const issuer = certificates[at + 1];
    if (issuer === undefined || isIssuedBy(certificate, issuer)) return [];
    const right = certificates.findIndex((other) => other !== certificate && isIssuedBy(certificate, other));
    const where = right === -1 ? 'whose issuer is not in the chain' : `whose issuer is certificate ${right + 1}`;
    return [`Certificate ${at + 1} (${nameOf(certificate)}), ${where}, is followed by that of ${nameOf(issuer)}.`];
  });
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

/** Whatever else a TLS server would refuse, such as a key that is too small. */
function servable(chain: string, key: KeyObject): void {
  try {
    createSecureContext({ cert: chain, key: key.export({ type: 'pkcs8', format: 'pem' }) });
  } catch (error) {
    throw new ImportRefused([
      `It cannot be used for TLS: ${error instanceof Error ? error.message : 'it was refused'}.`,
    ]);
  }
}

function loneNote(leaf: X509Certificate): string {
  return leaf.checkIssued(leaf)
    ? 'the certificate is signed by itself: only who was told to trust it will.'
    : 'there is nothing above the certificate in the chain: most clients need the certificates between it and a root they know.';
}

/** The common name, or all of the subject. */
function nameOf({ subject }: X509Certificate): string {
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', ');
}
