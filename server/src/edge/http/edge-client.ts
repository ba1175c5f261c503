import { type AddressRule, canonicalAddress } from '../../net/addresses.ts';
import type { RoutingInfo } from './http-exchange.ts';

/** The other end of a connection. */
export interface Client {
  /** Server name of the TLS connection; null without TLS. */
  serverName: string | null;
  /** Name of the site whose certificate the connection has: `*.shop.example.com` for a wildcard. Null without TLS. */
  siteName: string | null;
  /**
   * Address of the peer, or of the client that its PROXY header names. The proxy's own address where an HTTP proxy is
   * connected.
   */
  address: string;
  /** A trusted proxy. */
  isProxy: boolean;
  /** `TLSv1.3`; null without TLS, and where nobody asks. */
  tlsVersion: string | null;
  /** Bytes received so far, TLS included, without a PROXY header. */
  bytesRead(): number;
  /** When its last request ended, or it was accepted (`performance.now()`); null while a request is in flight. */
  readonly idleSince: number | null;
  /** A request starts. */
  begin(): void;
  /** The request has ended, with or without a response. */
  end(): void;
  /** Closes the connection at once. */
  destroy(): void;
  /** Called when the socket has closed. */
  onClose(closed: () => void): void;
}

/** Reads who sent a request, and with which scheme. Only trusted proxies are believed. */
export function readSender(
  { serverName, address, isProxy }: Pick<Client, 'serverName' | 'address' | 'isProxy'>,
  headers: NodeJS.Dict<string | string[]>,
  isTrusted: AddressRule,
): Pick<RoutingInfo, 'scheme' | 'clientAddress' | 'forwardedFor'> {
  if (!isProxy) {
    return { scheme: serverName === null ? 'http' : 'https', clientAddress: address, forwardedFor: [address] };
  }
  const forwardedFor = [address];
  // Starts at the connected proxy and goes back to the first hop that is not trusted.
  for (const hop of listOf(headers['x-forwarded-for']).reverse()) {
    const before = canonicalAddress(hop);
    if (before === null || !isTrusted(forwardedFor[0] ?? '')) break;
    forwardedFor.unshift(before);
  }
  const proto = listOf(headers['x-forwarded-proto']).at(-1)?.toLowerCase();
  const scheme = serverName !== null || proto === 'https' ? 'https' : 'http';
  return { scheme, clientAddress: forwardedFor[0] ?? address, forwardedFor };
}

/** Elements of a comma-separated field. */
function listOf(field: string | string[] | undefined): string[] {
  const text = Array.isArray(field) ? field.join(',') : (field ?? '');
  return text === ''
    ? []
    : text
        .slice(-MAX_FIELD)
        .split(',')
        .map((element) => element.trim());
}

/** Longer fields were not written by proxies. */
const MAX_FIELD = 2000;
