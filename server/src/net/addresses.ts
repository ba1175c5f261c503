import { BlockList, isIPv4, isIPv6, SocketAddress } from 'node:net';

/** Addresses that no nameserver on the Internet has (IANA special-purpose address registries, RFC 6890). */
const SPECIAL_IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
];

/**
 * Public by the registries, but inside a cloud they lead to the machine's host or to internal services, and nowhere
 * else. Metadata services at addresses that are special anyway are not repeated here (docs/guides/security.md lists both).
 */
const CLOUD_IPV4 = [
  '161.26.0.0/16', // IBM Cloud: resolvers, mirrors, time
  '166.8.0.0/14', // IBM Cloud: private endpoints of services
  '168.63.129.16', // Azure: WireServer, DHCP, DNS
  '183.60.82.98', // Tencent Cloud: DNS
  '183.60.83.19', // Tencent Cloud: DNS
  '192.80.8.124', // Equinix Metal: metadata
];

/** All public IPv6 addresses; not the mapped, compatible, unique-local, link-local, site-local and multicast ones. */
const PUBLIC_IPV6 = ['2000::/3'];

/** Special-purpose networks inside `PUBLIC_IPV6`. */
const SPECIAL_IPV6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarks, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
];

/** The well-known NAT64 prefix (RFC 6052): the last 32 bits are an IPv4 address. */
const NAT64_PREFIX = '64:ff9b::';

const special = networks([...SPECIAL_IPV4, ...CLOUD_IPV4, ...SPECIAL_IPV6]);
const publicIpv6 = networks(PUBLIC_IPV6);

/** Whether an address is in a set, such as those that may be connected to. */
export type AddressRule = (address: string) => boolean;

/**
 * Allows public addresses, and the special-purpose ones in the allowed networks (CIDR notation; a single address is a
 * network of one). Throws on text that is not a network.
 */
export function addressRule(allowedNetworks: readonly string[] = []): AddressRule {
  const allowed = networks(allowedNetworks);
  return (address) => contains(allowed, address) || isPublic(address);
}

/** Addresses in the given networks, also IPv4-mapped ones (`::ffff:10.0.0.1`). */
export function networkRule(list: readonly string[] = []): AddressRule {
  const blocks = networks(list);
  return (address) => contains(blocks, address);
}

/**
 * Whether a server on the Internet can have the address, seen from any cloud. False for text that is not an address.
 */
export function isPublic(address: string): boolean {
  const family = familyOf(address);
  if (family === null) return false;
  if (family === 'ipv4') return !contains(special, address);
  const translated = translatedIpv4(address);
  if (translated !== null) return isPublic(translated);
  return contains(publicIpv6, address) && !contains(special, address);
}

/** The canonical text of an address: IPv6 is shortened (RFC 5952). Null for text that is not an address. */
export function canonicalAddress(address: string): string | null {
  const family = familyOf(address);
  return family === null ? null : new SocketAddress({ family, address }).address;
}

/** The address of a peer: an IPv4 address as such, also on an IPv6 socket. Empty where the peer has gone. */
export function unmappedAddress(address: string | undefined): string {
  return address?.replace(/^::ffff:(?=\d+\.)/i, '') ?? '';
}

function translatedIpv4(address: string): string | null {
  const canonical = canonicalAddress(address);
  if (canonical === null || !canonical.startsWith(NAT64_PREFIX)) return null;
  const groups = canonical.slice(NAT64_PREFIX.length).split(':');
  if (groups.length > 2) return null;
  const [high, low] = groups.length === 2 ? groups : ['0', groups[0]];
  const bits = Number.parseInt(high || '0', 16) * 0x10000 + Number.parseInt(low || '0', 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.');
}

function networks(list: readonly string[]): BlockList {
  const blocks = new BlockList();
  for (const network of list) {
    const [address = '', prefix, ...rest] = network.split('/');
    const family = familyOf(address);
    const longest = family === 'ipv4' ? 32 : 128;
    const length = prefix === undefined ? longest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
    if (family === null || rest.length > 0 || length < 0 || length > longest) {
      throw new Error(`"${network}" is not a network such as 10.0.0.0/8 or fd00::/8.`);
    }
    blocks.addSubnet(address, length, family);
  }
  return blocks;
}

function contains(blocks: BlockList, address: string): boolean {
  const family = familyOf(address);
  return family !== null && blocks.check(address, family);
}

/** Null with a zone (`fe80::1%eth0`): no DNS record can hold one. */
function familyOf(address: string): 'ipv4' | 'ipv6' | null {
  if (isIPv4(address)) return 'ipv4';
  return isIPv6(address) && !address.includes('%') ? 'ipv6' : null;
}
