import { randomBytes, X509Certificate } from 'node:crypto';
import { createSecureContext, getCACertificates, type TLSSocket } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import type { Resolver } from '../../dns/resolver.ts';
import { isBrought } from '../../domain/certificate-state.ts';
import { isReached, type LiveProblem, type Look } from '../../domain/live.ts';
import { baseName, isWildcard } from '../../domain/wildcard.ts';
import type { AddressRule } from '../../net/addresses.ts';
import { createDialer, DialError } from '../../net/dialer.ts';
import type { CertificateStore } from '../../store/store.ts';
import { failingAddresses } from './failing-addresses.ts';
import { sendRequest } from './fetch-from-address.ts';

/**
 * Looks at a name as a visitor would, for a wildcard domain at a random name below it: connects to each of its addresses with TLS, once, and asks for a challenge response of ours. `addressesOf`: the host
 * whose addresses are asked for the name, by default the name itself. Rejects with the signal's reason, or with the store's error.
 */
export type OutsideLooker = (domain: string, signal: AbortSignal, addressesOf?: string) => Promise<Look>;

export interface OutsideLookerOptions {
  store: Pick<CertificateStore, 'findCertificate'>;
  /** A challenge to which the edges of this installation alone can respond. */
  newChallenge: (hostname: string) => { token: string; response: string };
  resolver: Pick<Resolver, 'lookupAddresses'>;
  /** Which addresses may be connected to (`addressRule`). */
  mayDial: AddressRule;
  clock: Clock;
  /** PEM of roots that are trusted besides those of this machine; null: none. */
  trustRoots?: string | null;
  /** The edge's port, as the Internet sees it. */
  port?: number;
  /** Longest time for one address. */
  timeoutMs?: number;
}

/** Addresses that are connected to; of more, those that come first in order. */
const MAX_ADDRESSES = 8;
const LOOKUP_MS = 10_000;

export function createOutsideLooker(options: OutsideLookerOptions): OutsideLooker {
  const { store, newChallenge, resolver, mayDial, clock, trustRoots = null, port = 443, timeoutMs = 10_000 } = options;
  const dialer = createDialer({ mayDial, timeoutMs, lookUp: async () => [] });
  const failing = failingAddresses();
  // One for all connections: to parse the roots takes milliseconds.
  const secureContext = createSecureContext({ ca: [...trustedRoots(), ...(trustRoots === null ? [] : [trustRoots])] });

  async function lookAt(address: string, visit: Visit, { token, response }: Challenge, signal: AbortSignal) {
    const { hostname } = visit;
    const timeout = AbortSignal.timeout(timeoutMs);
    const either = AbortSignal.any([signal, timeout]);
    let socket: TLSSocket | undefined;
    try {
      // Any certificate is accepted, and judged below: it says more than a failed handshake.
      socket = await dialer.dialTls(
        { hostname: address, port, signal: either },
        { servername: hostname, ALPNProtocols: ['http/1.1'], rejectUnauthorized: false, secureContext },
      );
      const url = new URL(`https://${hostname}/.well-known/acme-challenge/${token}`);
      const { status, body } = await sendRequest(url, socket, either);
      if (status !== 200 || body.trimEnd() !== response) return 'answered_by_another';
      return await judgeCertificate(visit, socket);
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.aborted) return 'timeout';
      return error instanceof DialError ? DIAL_PROBLEMS[error.reason] : 'no_response';
    } finally {
      socket?.destroy();
    }
  }

  async function judgeCertificate({ domain, hostname }: Visit, socket: TLSSocket): Promise<LiveProblem | null> {
    const leaf = socket.getPeerX509Certificate();
    const problem = certificateProblem(socket, leaf, hostname, clock.now());
    const isOurs = problem === 'certificate_untrusted' && leaf !== undefined && (await isOfOurCa(domain, leaf));
    return isOurs ? null : problem;
  }

  /** Whether the CA of this installation has issued it: the operator has chosen that one, as in a closed network. */
  async function isOfOurCa(hostname: string, leaf: X509Certificate): Promise<boolean> {
    const issued = (await store.findCertificate(hostname))?.issued;
    if (!issued || isBrought(issued.issuer)) return false;
    return new X509Certificate(issued.chain).fingerprint256 === leaf.fingerprint256;
  }

  return async (domain, signal, addressesOf) => {
    // A name of its own would be served by itself, and not by the wildcard.
    const hostname = isWildcard(domain) ? `nameplate-${randomBytes(8).toString('hex')}.${baseName(domain)}` : domain;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LOOKUP_MS)]);
    const found = await resolver.lookupAddresses(addressesOf ?? hostname, { signal: limit });
    signal.throwIfAborted();
    if (found.kind === 'unreadable') return { kind: 'unreadable' };
    if (found.kind === 'absent') return { kind: 'seen', addresses: [] };
    const addresses = [...new Set(found.addresses)].sort().slice(0, MAX_ADDRESSES);
    if (!addresses.every((address) => failing.mayLook(address, clock.now()))) return { kind: 'unreadable' };
    const challenge = newChallenge(hostname);
    const look = async (address: string) => {
      const problem = await lookAt(address, { domain, hostname }, challenge, signal);
      if (problem !== 'no_route' && problem !== 'address_not_public')
        failing.record(address, isReached(problem), clock.now());
      return { address, problem };
    };
    return { kind: 'seen', addresses: await Promise.all(addresses.map(look)) };
  };
}

interface Visit {
  /** The name of the domain. */
  domain: string;
  /** The host name that is asked for. */
  hostname: string;
}

type Challenge = ReturnType<OutsideLookerOptions['newChallenge']>;

/** The problem of the certificate of a connection; null: it is valid for the name, and of a root that the connection trusts. */
export function certificateProblem(
  { authorized }: Pick<TLSSocket, 'authorized'>,
  leaf: X509Certificate | undefined,
  hostname: string,
  now: number,
): LiveProblem | null {
  if (leaf?.checkHost(hostname, { subject: 'never' }) === undefined) return 'certificate_wrong_name';
  if (now > leaf.validToDate.getTime()) return 'certificate_expired';
  if (now < leaf.validFromDate.getTime()) return 'certificate_not_yet_valid';
  return authorized ? null : 'certificate_untrusted';
}

export const DIAL_PROBLEMS: Record<DialError['reason'], LiveProblem> = {
  not_allowed: 'address_not_public',
  no_address: 'no_address',
  lookup: 'timeout',
  refused: 'connection_refused',
  unreachable: 'timeout',
  no_route: 'no_route',
  timeout: 'timeout',
  tls: 'tls_failed',
};

/** Those of Node.js and of the operating system, whose administrator may have added some. */
export function trustedRoots(): string[] {
  return [...new Set([...getCACertificates('default'), ...getCACertificates('system')])];
}
