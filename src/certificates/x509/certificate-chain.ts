import { type KeyObject, X509Certificate } from 'node:crypto';
import { splitPem } from './pem.ts';
import { publicKeyInfo } from './private-key.ts';

/** A chain that may be served. Times are Unix milliseconds. */
export interface Chain {
  /** PEM, and nothing else: the certificate itself, then those above it. */
  chain: string;
  notBefore: number;
  notAfter: number;
}

/** More than any CA has above its certificates. */
const LONGEST_CHAIN = 10;

/** Why a chain is not to be served: it cannot be read, is not what was wanted, or is over. */
export type ChainFault = 'unreadable' | 'wrong' | 'expired';

/** The message is in plain words, for a sentence: `its key is another`. */
export class ChainRefused extends Error {
  override name = 'ChainRefused';
  readonly fault: ChainFault;

  constructor(fault: ChainFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/** Reads a chain, and throws `ChainRefused` unless its first certificate is for this name and this key (private or public), and is not over. */
export function readChain(pem: string, wanted: { hostname: string; key: KeyObject; now: number }): Chain {
  const certificates = splitPem(pem).map(parse);
  const [leaf] = certificates;
  if (leaf === undefined) throw new ChainRefused('unreadable', 'there is no certificate in it');
  if (certificates.length > LONGEST_CHAIN)
    throw new ChainRefused('unreadable', `it has more than ${LONGEST_CHAIN} certificates`);
  if (!publicKeyInfo(leaf.publicKey).equals(publicKeyInfo(wanted.key)))
    throw new ChainRefused('wrong', 'its key is another');
  // A common name alone is for nobody (RFC 9525 section 2).
  if (leaf.checkHost(wanted.hostname, { subject: 'never' }) === undefined)
    throw new ChainRefused('wrong', 'it is for another name');
  const notBefore = leaf.validFromDate.getTime();
  const notAfter = leaf.validToDate.getTime();
  if (notAfter <= wanted.now) {
    throw new ChainRefused('expired', `it ended at ${leaf.validToDate.toISOString()}`);
  }
  return { chain: certificates.map(String).join(''), notBefore, notAfter };
}

function parse(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new ChainRefused('unreadable', 'one of its certificates cannot be read');
  }
}
