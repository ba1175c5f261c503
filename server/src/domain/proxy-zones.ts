import { type IpAddress, type IpNetwork, isInNetwork, parseIpAddress, parseIpNetwork } from './ip-address.ts';

/**
 * Zones of providers that proxy, from their documentation. A CNAME to a name below one resolves to the provider's servers;
 * the target that the customer configured there cannot be read from DNS.
 */
const PROXY_ZONES = [
  'cdn.cloudflare.net', // Cloudflare, partial (CNAME) set-up
  'cloudfront.net', // Amazon CloudFront
  'azurefd.net', // Azure Front Door
  'azureedge.net', // Azure CDN
  'fastly.net', // Fastly
  'fastlylb.net',
  'edgekey.net', // Akamai
  'edgesuite.net',
  'akamaiedge.net',
  'b-cdn.net', // bunny.net
  'incapdns.net', // Imperva
  'impervadns.net',
] as const;

/** Networks of providers that proxy, from their documentation. */
const PROXY_NETWORKS: Record<string, readonly string[]> = {
  Cloudflare: [
    '173.245.48.0/20',
    '103.21.244.0/22',
    '103.22.200.0/22',
    '103.31.4.0/22',
    '141.101.64.0/18',
    '108.162.192.0/18',
    '190.93.240.0/20',
    '188.114.96.0/20',
    '197.234.240.0/22',
    '198.41.128.0/17',
    '162.158.0.0/15',
    '104.16.0.0/13',
    '104.24.0.0/14',
    '172.64.0.0/13',
    '131.0.72.0/22',
    '2400:cb00::/32',
    '2606:4700::/32',
    '2803:f800::/32',
    '2405:b500::/32',
    '2405:8100::/32',
    '2a06:98c0::/29',
    '2c0f:f248::/32',
  ],
};

const NETWORKS = Object.entries(PROXY_NETWORKS).map(([provider, texts]) => ({
  provider,
  networks: texts.map(parseIpNetwork).filter((network) => network !== null),
}));

/** Whether a host, in lower case without a final dot, is below one of them. */
export function isProxy(host: string): boolean {
  return PROXY_ZONES.some((zone) => host.endsWith(`.${zone}`));
}

/** The provider whose proxies have all of these addresses; undefined where that is not known. */
export function proxyAt(addresses: readonly string[]): string | undefined {
  const parsed = addresses.map(parseIpAddress);
  if (!parsed.every((address): address is IpAddress => address !== null) || parsed.length === 0) return undefined;
  const isIn = (networks: readonly IpNetwork[]) => (address: IpAddress) =>
    networks.some((network) => isInNetwork(address, network));
  return NETWORKS.find(({ networks }) => parsed.every(isIn(networks)))?.provider;
}
