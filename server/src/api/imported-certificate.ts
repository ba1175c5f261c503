import { createPrivateKey, type KeyObject, sign, verify, X509Certificate } from 'node:crypto';
import { createSecureContext, rootCertificates } from 'node:tls';
import { joinQuoted, quote } from '../domain/text.ts';
import { isWildcard } from '../domain/wildcard.ts';

/** A certificate that passed the checks. Times are Unix milliseconds. */
interface ImportedCertificate {
  /** PEM: the leaf, then those between it and its root. */
  chain: string;
  /** PKCS #8, DER. A secret. */
  privateKey: Uint8Array;
  notBefore: number;
  notAfter: number;
  /** Warnings: most clients do not accept it. */
  notes: ImportProblem[];
}

/** What is wrong, and what to do. Nothing of it is secret, and untrusted parts are quoted. */
export interface ImportProblem {
  in: 'certificates' | 'privateKey';
  /** Without its subject: `is encrypted`. */
  message: string;
  fix: string;
}

/** Why a certificate cannot be used. */
export class ImportProblems extends Error {
  override name = 'ImportProblems';
  readonly problems: ImportProblem[];

  constructor(problems: ImportProblem[]) {
    super(problems.map(describeProblem).join(' '));
    this.problems = problems;
  }
}

/** A problem as a sentence. */
export function describeProblem({ in: place, message, fix }: ImportProblem): string {
  return `The ${place === 'certificates' ? 'chain' : 'key'} ${message}: ${fix}.`;
}

/** More than any CA uses. */
const LONGEST_CHAIN = 10;
const DAY_MS = 86_400_000;
/** An RSA key of 4,096 bits has 2,400 octets. One with longer numbers would be slow in each handshake. */
const LONGEST_KEY = 2600;
const SERVER_AUTHENTICATION = ['1.3.6.1.5.5.7.3.1', '2.5.29.37.0'];

/**
 * Checks a certificate and its key as browsers do, and puts the chain in order, without its root. Throws `ImportProblems` with all that is wrong. For untrusted
 * texts of at most 32,768 characters: takes some ten milliseconds at most.
 */
export function readImport(hostname: string, files: { chain: string; key: string }, now: number): ImportedCertificate {
  const certificates = readCertificates(files.chain);
  const key = readKey(files.key);
  const leaf = certificates.find((certificate) => certificate.checkPrivateKey(key)) ?? certificates[0];
  if (leaf === undefined)
    throw refused(
      'certificates',
      'has no certificate in PEM',
      'give text that begins with "-----BEGIN CERTIFICATE-----"',
    );
  const chain = chainFrom(leaf, certificates);
  const problems = [
    ...keyProblems(leaf, key),
    ...nameProblems(leaf, hostname),
    ...dateProblems(chain, now),
    ...orderProblems(chain, certificates),
  ];
  if (problems.length > 0) throw new ImportProblems(problems);
  const text = chain.map(String).join('');
  checkForTls(text, key);
  return {
    chain: text,
    privateKey: new Uint8Array(key.export({ type: 'pkcs8', format: 'der' })),
    notBefore: leaf.validFromDate.getTime(),
    notAfter: leaf.validToDate.getTime(),
    notes: trustNotes(chain, certificates),
  };
}

/** Without those that are there twice. */
function readCertificates(text: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length > LONGEST_CHAIN)
    throw refused(
      'certificates',
      `has more than ${LONGEST_CHAIN} certificates`,
      'give that of the name and those above it',
    );
  const certificates = blocks.map((block, at) => {
    const read = parse(block);
    if (read === null)
      throw refused(
        'certificates',
        `has a certificate that cannot be read, its number ${at + 1}`,
        'copy it again as the CA gave it',
      );
    return read;
  });
  return certificates.filter((one, at) => certificates.findIndex(({ raw }) => raw.equals(one.raw)) === at);
}

/** Null: it cannot be read, or its key is so long that to check it would take long. */
function parse(block: string): X509Certificate | null {
  try {
    const read = new X509Certificate(block);
    return (read.publicKey.asymmetricKeyDetails?.modulusLength ?? 0) <= 4096 ? read : null;
  } catch {
    return null;
  }
}

function readKey(text: string): KeyObject {
  if (/BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: 4,ENCRYPTED/.test(text))
    throw refused(
      'privateKey',
      'is encrypted',
      'decrypt it first, with "openssl pkey -in the-key.pem -out decrypted.pem"',
    );
  const [block] = /-----BEGIN ([A-Z ]*)PRIVATE KEY-----[^-]*-----END \1PRIVATE KEY-----/.exec(text) ?? [];
  let key: KeyObject;
  try {
    key = createPrivateKey(block ?? '');
  } catch {
    throw refused(
      'privateKey',
      'is no private key in PEM',
      'give the file that begins with "-----BEGIN PRIVATE KEY-----"',
    );
  }
  if (!isServed(key))
    throw refused(
      'privateKey',
      'is of a kind that browsers do not accept, or too long or short',
      'use RSA of 2048 to 4096 bits, P-256 or P-384',
    );
  return key;
}

/** Browsers know no Ed25519. The edge signs with the key in each handshake, while other sites wait. */
function isServed(key: KeyObject): boolean {
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'ec') return ['prime256v1', 'secp384r1'].includes(namedCurve);
  if (key.asymmetricKeyType !== 'rsa' || modulusLength < 2048 || modulusLength > 4096) return false;
  return key.export({ type: 'pkcs8', format: 'der' }).length <= LONGEST_KEY;
}

/** A key with the right public half may be damaged: it has to sign. */
function keyProblems(leaf: X509Certificate, key: KeyObject): ImportProblem[] {
  const wrong = { in: 'privateKey', message: 'does not belong to any of the certificates' } as const;
  if (!leaf.checkPrivateKey(key)) return [{ ...wrong, fix: 'give the key that the certificate was requested with' }];
  const text = Buffer.from('nameplate');
  try {
    if (verify('sha256', text, leaf.publicKey, sign('sha256', text, key))) return [];
  } catch {
    // OpenSSL refuses it.
  }
  return [{ in: 'privateKey', message: 'is damaged, so that it does not sign', fix: 'copy it again' }];
}

/** The common name does not count (RFC 9525 section 2). */
function nameProblems(leaf: X509Certificate, hostname: string): ImportProblem[] {
  const names = [...(leaf.subjectAltName ?? '').matchAll(/DNS:([^,\s"]+)/g)].map(([, name = '']) => name.toLowerCase());
  const covers = isWildcard(hostname)
    ? names.includes(hostname)
    : leaf.checkHost(hostname, { subject: 'never', partialWildcards: false }) !== undefined;
  const usages = leaf.keyUsage;
  const isForServers = usages === undefined || usages.some((usage) => SERVER_AUTHENTICATION.includes(usage));
  const covered = names.length === 0 ? 'no name' : joinQuoted(names);
  return [
    ...(covers ? [] : [problem(`is for ${covered}, not for ${hostname}`, `have one issued for ${hostname}`)]),
    ...(isForServers ? [] : [problem('is not for servers', 'have one issued with the extended key usage serverAuth')]),
  ];
}

function dateProblems(chain: X509Certificate[], now: number): ImportProblem[] {
  return chain.flatMap((certificate, at) => {
    const [from, to] = [certificate.validFromDate, certificate.validToDate];
    const which = `has a certificate (${quote(nameOf(certificate))}) that`;
    if (to.getTime() <= now) return [problem(`${which} expired at ${to.toISOString()}`, 'give one that is valid')];
    if (from.getTime() > now) return [problem(`${which} is not valid before ${from.toISOString()}`, 'try again then')];
    if (at === 0 && to.getTime() < now + DAY_MS)
      return [problem(`${which} expires at ${to.toISOString()}, in less than a day`, 'give one that lasts longer')];
    return [];
  });
}

/** The leaf, and above each its issuer (RFC 8446 section 4.4.2), without roots: clients have their own. */
function chainFrom(leaf: X509Certificate, certificates: X509Certificate[]): X509Certificate[] {
  const chain = [leaf];
  for (let last: X509Certificate | undefined = leaf; last !== undefined; ) {
    const lower: X509Certificate = last;
    last = certificates.find((one) => !chain.includes(one) && !isSelfSigned(one) && isIssuedBy(lower, one));
    if (last !== undefined) chain.push(last);
  }
  return chain;
}

function orderProblems(chain: X509Certificate[], certificates: X509Certificate[]): ImportProblem[] {
  return certificates
    .filter((one) => !chain.includes(one) && !isSelfSigned(one))
    .map((one) =>
      problem(
        `has a certificate (${quote(nameOf(one))}) that issued none below it`,
        'give the one that is missing between them, or leave it out',
      ),
    );
}

function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.checkIssued(certificate);
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

/** Finds anything else that a TLS server rejects, such as a signature that is too weak. */
function checkForTls(chain: string, key: KeyObject): void {
  try {
    createSecureContext({ cert: chain, key: key.export({ type: 'pkcs8', format: 'pem' }) });
  } catch {
    throw refused(
      'certificates',
      'is not accepted for TLS by OpenSSL',
      "have a certificate issued with today's algorithms",
    );
  }
}

/** A chain that ends at an intermediate of a root that is not known here may be complete: the root may be new. */
function trustNotes([leaf, ...above]: X509Certificate[], certificates: X509Certificate[]): ImportProblem[] {
  if (leaf === undefined || above.length > 0) return [];
  if (isSelfSigned(leaf)) return [problem('is self-signed, so browsers reject it', 'have a CA issue it')];
  const isComplete = [...certificates, ...roots()].some((one) => one !== leaf && isIssuedBy(leaf, one));
  return isComplete
    ? []
    : [
        problem(
          'lacks the intermediate certificates, which most clients need',
          'add them: CAs offer them as "full chain"',
        ),
      ];
}

let knownRoots: X509Certificate[] | undefined;

function roots(): X509Certificate[] {
  knownRoots ??= rootCertificates.map((pem) => new X509Certificate(pem));
  return knownRoots;
}

/** The common name, or else the whole subject. */
function nameOf({ subject = '' }: X509Certificate): string {
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', ');
}

function problem(message: string, fix: string): ImportProblem {
  return { in: 'certificates', message, fix };
}

function refused(place: ImportProblem['in'], message: string, fix: string): ImportProblems {
  return new ImportProblems([{ in: place, message, fix }]);
}
