import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { allowedAddresses, type DialerOptions } from '../../net/dialer.ts';

/**
 * Finds an address of an origin that a program in front may connect to: `address:port`, after the check. Null: the edge
 * has to connect, because the origin wants TLS, has no address, or has none that is allowed. Never rejects.
 */
export type FindOriginAddress = (origin: string) => Promise<string | null>;

interface OriginAddressesOptions extends Pick<DialerOptions, 'mayDial' | 'lookUp'> {
  /** A monotonic clock, in milliseconds. */
  now?: () => number;
}

/** A changed address of a host name takes effect within this time. */
const TTL_MS = 5000;
const LOOKUP_TIMEOUT_MS = 5000;
const ORIGINS = 20_000;

export function createOriginAddresses({
  now = () => performance.now(),
  ...rule
}: OriginAddressesOptions): FindOriginAddress {
  async function find(origin: string): Promise<string> {
    const { hostname, port } = new URL(origin);
    const [address = ''] = await allowedAddresses(hostname, rule, AbortSignal.timeout(LOOKUP_TIMEOUT_MS));
    return `${isIPv6(address) ? `[${address}]` : address}:${port || 80}`;
  }

  const cache = new LRUCache<string, { address: string | null }>({
    // A limit by size, unlike one by count, allocates nothing in advance.
    maxSize: ORIGINS,
    sizeCalculation: () => 1,
    ttl: TTL_MS,
    ttlResolution: 0,
    perf: { now },
    fetchMethod: async (origin) => ({ address: await find(origin).catch(() => null) }),
  });

  return async (origin) => {
    if (!origin.startsWith('http:')) return null;
    return (await cache.fetch(origin).catch(() => undefined))?.address ?? null;
  };
}
