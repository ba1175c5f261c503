import { type KeyObject, X509Certificate } from 'node:crypto';
import { splitPem } from './pem.ts';
import { publicKeyInfo } from './private-key.ts';

/** A valid chain. Times are Unix milliseconds. */
interface Chain {
  /** PEM, without other text: the leaf, then the intermediates. */
  chain: string;
  notBefore: number;
  notAfter: number;
}

/** More than any CA uses. */
const LONGEST_CHAIN = 10;

/** `wrong`: for another key or name. */
export type ChainFault = 'unreadable' | 'wrong' | 'expired';

/** The message is a part of a sentence: `it is for another key`. */
export class ChainRefused extends Error {
  override name = 'ChainRefused';
  readonly fault: ChainFault;

  constructor(fault: ChainFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/**
 * Reads a chain. Throws `ChainRefused` unless its leaf is for this name and this key (private or public), and has not
 * expired.
 */
export function readChain(pem: string, wanted: { hostname: string; key: KeyObject; now: number }): Chain {
  const certificates = splitPem(pem).map(parse);
  const [leaf] = certificates;
  if (leaf === undefined) throw new ChainRefused('unreadable', 'it contains no certificate');
  if (certificates.length > LONGEST_CHAIN)
    throw new ChainRefused('unreadable', `it has more than ${LONGEST_CHAIN} certificates`);
  if (!publicKeyInfo(leaf.publicKey).equals(publicKeyInfo(wanted.key)))
    throw new ChainRefused('wrong', 'it is for another key');
  // The common name does not count (RFC 9525 section 2).
  if (leaf.checkHost(wanted.hostname, { subject: 'never' }) === undefined)
    throw new ChainRefused('wrong', 'it is for another name');
  const notBefore = leaf.validFromDate.getTime();
  const notAfter = leaf.validToDate.getTime();
  if (notAfter <= wanted.now) {
    throw new ChainRefused('expired', `it expired at ${leaf.validToDate.toISOString()}`);
  }
  return { chain: certificates.map(String).join(''), notBefore, notAfter };
}

/** The common name of the issuer of a chain's topmost certificate, which is its root as a rule; empty: there is none. */
export function topIssuerOf(chain: string): string {
  const top = splitPem(chain).at(-1);
  return top === undefined ? '' : (/^CN=(.*)$/m.exec(parse(top).issuer)?.[1] ?? '');
}

function parse(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new ChainRefused('unreadable', 'one of its certificates cannot be read');
  }
}
