import { type AddressRule, canonicalAddress } from '../../net/addresses.ts';
import type { Exchange } from './edge-exchange.ts';

/** Who is at the other end of a connection. */
export interface Client {
  /** The name that the TLS connection is for; null where there is no TLS. */
  serverName: string | null;
  /** Of the connection itself, also where a proxy is connected. */
  address: string;
  isProxy: boolean;
  /** Bytes that came over the connection so far, those of TLS among them. */
  bytesRead(): number;
  /** When its last request ended, or it was accepted (`performance.now()`); null while one is under way. */
  readonly idleSince: number | null;
  /** A request has begun. */
  begin(): void;
  /** It was answered, or has come to an end otherwise. */
  end(): void;
  /** Closes the connection at once. */
  destroy(): void;
  /** Calls it once the connection has closed, whatever became of what was spoken over it. */
  onClose(closed: () => void): void;
}

/** Whom a request is from, and how it was sent: what trusted proxies say of that is believed, what anybody else says is not. */
export function readSender(
  { serverName, address, isProxy }: Pick<Client, 'serverName' | 'address' | 'isProxy'>,
  headers: NodeJS.Dict<string | string[]>,
  isTrusted: AddressRule,
): Pick<Exchange, 'scheme' | 'clientAddress' | 'forwardedFor'> {
  if (!isProxy) {
    return { scheme: serverName === null ? 'http' : 'https', clientAddress: address, forwardedFor: [address] };
  }
  const forwardedFor = [address];
  // From the proxy that is connected backwards, up to the first that nobody here has reason to believe.
  for (const hop of listOf(headers['x-forwarded-for']).reverse()) {
    const before = canonicalAddress(hop);
    if (before === null || !isTrusted(forwardedFor[0] ?? '')) break;
    forwardedFor.unshift(before);
  }
  const said = listOf(headers['x-forwarded-proto']).at(-1)?.toLowerCase();
  const scheme = serverName !== null || said === 'https' ? 'https' : 'http';
  return { scheme, clientAddress: forwardedFor[0] ?? address, forwardedFor };
}

/** Address of a peer; IPv4 as such also where it came over a socket of IPv6. */
export function peerAddress(remoteAddress: string | undefined): string {
  return remoteAddress?.replace(/^::ffff:(?=\d+\.)/i, '') ?? '';
}

/** The elements of a field with a comma between them. */
function listOf(field: string | string[] | undefined): string[] {
  const text = Array.isArray(field) ? field.join(',') : (field ?? '');
  return text === ''
    ? []
    : text
        .slice(-MAX_FIELD)
        .split(',')
        .map((element) => element.trim());
}

/** What is longer was not written by proxies alone. */
const MAX_FIELD = 2000;
