import { createHash, randomBytes } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import type { Resolver } from '../../dns/resolver.ts';
import { type SelfCheckAnswer, TLS_ALPN_TOKEN } from '../../domain/certificate-state.ts';
import type { Unreadable } from '../../domain/reading.ts';
import { quote } from '../../domain/text.ts';
import type { AddressRule } from '../../net/addresses.ts';
import { createDialer, DialError } from '../../net/dialer.ts';
import type { CertificateStore } from '../../store/store.ts';
import { type FetchResult, fetchFromAddress } from './fetch-from-address.ts';

/**
 * Fetches a challenge response of ours from each address of a name, as a CA is going to: does the name lead to us? `addressesOf`: the host whose addresses
 * are asked for the name, by default the name itself. Rejects with the signal's reason, or with the store's error.
 */
export type SelfChecker = (hostname: string, signal: AbortSignal, addressesOf?: string) => Promise<SelfCheckResult>;

export type SelfCheckResult =
  /** `chain`: the CNAMEs that were followed. */
  | { kind: 'checked'; at: number; answers: CheckedAddress[]; chain: string[] }
  | { kind: 'no_address'; chain: string[] }
  /** The addresses could not be looked up. */
  | { kind: 'unreadable'; seen: Unreadable };

export interface CheckedAddress extends SelfCheckAnswer {
  /** Something came back, whatever it was. */
  responded: boolean;
  /** This machine has no route to the address. */
  noRoute: boolean;
}

export interface SelfCheckOptions {
  store: Pick<CertificateStore, 'putChallenge'>;
  resolver: Pick<Resolver, 'lookupAddresses'>;
  /** Which addresses may be connected to (`addressRule`). */
  mayDial: AddressRule;
  clock: Clock;
  /** The edge's ports, as the Internet sees them. */
  ports?: { http: number; https: number };
  /** Longest time for one address. */
  timeoutMs?: number;
}

/** Addresses that are checked; no name of ours has more. */
const MAX_ADDRESSES = 8;
/** Requests of one check in all, since the owners of names choose where they redirect: ten redirects at each of two addresses, two at each of eight. */
const MAX_REQUESTS = 24;
/** As many as Let's Encrypt follows. */
const MAX_REDIRECTS = 10;
/** Long enough for nodes whose clocks are ahead. */
const CHALLENGE_LIFE_MS = 10 * 60_000;
const LOOKUP_MS = 10_000;

const PORTS = { http: 80, https: 443 };
const TIMEOUT_MS = 10_000;

export function createSelfChecker(options: SelfCheckOptions): SelfChecker {
  const { store, resolver, mayDial, ports = PORTS, timeoutMs = TIMEOUT_MS } = options;
  const dialer = createDialer({
    mayDial,
    timeoutMs,
    async lookUp(hostname, signal) {
      const found = await resolver.lookupAddresses(hostname, { signal });
      if (found.kind === 'unreadable') throw new Error(found.reason);
      return found.kind === 'found' ? found.addresses : [];
    },
  });

  return addressChecker(options, async ({ hostname, addresses, expiresAt, signal }) => {
    const token = `np-${randomBytes(24).toString('base64url')}`;
    const expected = `${token}.${randomBytes(24).toString('base64url')}`;
    await store.putChallenge({ hostname, token, keyAuthorization: expected, expiresAt });
    const url = new URL(`http://${hostname}:${ports.http}/.well-known/acme-challenge/${token}`);
    const maxRedirects = Math.min(MAX_REDIRECTS, Math.floor(MAX_REQUESTS / addresses.length) - 1);
    const fetching = { dialer, ports, maxRedirects, signal, timeoutMs };
    return async (address) => judge(await fetchFromAddress(url, address, fetching), expected);
  });
}

/** As `createSelfChecker`, with a challenge of TLS-ALPN-01 (RFC 8737) at the port of HTTPS: for names whose port 80 is closed. */
export function createTlsSelfChecker(options: SelfCheckOptions): SelfChecker {
  const { store, mayDial, ports: { https: port } = PORTS, timeoutMs = TIMEOUT_MS } = options;
  const dialer = createDialer({ mayDial, timeoutMs, lookUp: async () => [] });

  return addressChecker(options, async ({ hostname, expiresAt, signal }) => {
    const expected = randomBytes(24).toString('base64url');
    await store.putChallenge({ hostname, token: TLS_ALPN_TOKEN, keyAuthorization: expected, expiresAt });
    const digest = createHash('sha256').update(expected).digest();
    const tls = { servername: hostname, ALPNProtocols: ['acme-tls/1'], rejectUnauthorized: false, ca: [] };
    return async (address) => {
      let socket: TLSSocket | undefined;
      try {
        socket = await dialer.dialTls({ hostname: address, port, signal }, tls);
        // Nobody else has the digest, so it need not be read out of its extension.
        const isOurs = socket.alpnProtocol === 'acme-tls/1' && socket.getPeerX509Certificate()?.raw.includes(digest);
        return { outcome: isOurs ? 'ours' : 'another', seen: isOurs ? null : 'another certificate', ...ANSWERED };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof DialError)) throw error;
        return judgeDial(error);
      } finally {
        socket?.destroy();
      }
    };
  });
}

interface Subject {
  hostname: string;
  addresses: readonly string[];
  /** When the challenge expires. */
  expiresAt: number;
  signal: AbortSignal;
}

type Judgement = Omit<CheckedAddress, 'address'>;

/** Looks up the addresses of a name, and judges each. `prepare` publishes the challenge. */
function addressChecker(
  { resolver, clock }: SelfCheckOptions,
  prepare: (subject: Subject) => Promise<(address: string) => Promise<Judgement>>,
): SelfChecker {
  return async (hostname, signal, addressesOf = hostname) => {
    const found = await resolver.lookupAddresses(addressesOf, { signal: withTimeout(signal, LOOKUP_MS) });
    signal.throwIfAborted();
    if (found.kind === 'unreadable') return { kind: 'unreadable', seen: found };
    if (found.kind === 'absent') return { kind: 'no_address', chain: found.chain };
    const at = clock.now();
    const addresses = found.addresses.slice(0, MAX_ADDRESSES);
    const judgeAddress = await prepare({ hostname, addresses, expiresAt: at + CHALLENGE_LIFE_MS, signal });
    const check = async (address: string) => ({ address, ...(await judgeAddress(address)) });
    const answers = await Promise.all(addresses.map(check));
    return { kind: 'checked', at, answers, chain: found.chain };
  };
}

const ANSWERED = { responded: true, noRoute: false };

function judgeDial({ reason, message }: DialError): Judgement {
  if (reason === 'not_allowed') return { outcome: 'not_public', seen: null, responded: false, noRoute: false };
  if (reason === 'tls') return { outcome: 'another', seen: message, ...ANSWERED };
  return { outcome: 'unreachable', seen: message, responded: false, noRoute: reason === 'no_route' };
}

function judge(result: FetchResult, expected: string): Judgement {
  switch (result.kind) {
    case 'unreachable': {
      const { seen, reason, responded } = result;
      if (reason === 'not_allowed') return { outcome: 'not_public', seen: null, responded, noRoute: false };
      return { outcome: 'unreachable', seen, responded, noRoute: reason === 'no_route' };
    }
    case 'bad_redirect':
      return { outcome: 'another', seen: result.seen, ...ANSWERED };
    case 'response': {
      const { status, body, from } = result;
      // CAs ignore white space at the end (RFC 8555 section 8.3).
      if (status === 200 && body.trimEnd() === expected) return { outcome: 'ours', seen: null, ...ANSWERED };
      // The body of a host that the name redirects to is not disclosed to the customer.
      const seen = `HTTP ${status}${from === null ? `, ${quote(body)}` : ` from ${quote(from)}`}`;
      return { outcome: 'another', seen, ...ANSWERED };
    }
    default:
      return result satisfies never;
  }
}

function withTimeout(signal: AbortSignal, timeoutMs: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
}
