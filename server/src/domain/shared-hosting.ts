import { isInNetwork, parseIpAddress, parseIpNetwork } from './ip-address.ts';
import { proxyAt } from './proxy-zones.ts';

/** Addresses that a provider gives to all its customers, from their documentation: who leads a name there proves nothing to one of them. */
const SHARED_NETWORKS: Record<string, readonly string[]> = {
  Vercel: ['76.76.21.0/24', '216.198.79.0/24', '64.29.17.0/24'],
  Netlify: ['75.2.60.5/32', '99.83.190.102/32'],
  'GitHub Pages': ['185.199.108.0/22', '2606:50c0:8000::/46'],
  Fastly: ['151.101.0.0/16', '199.232.0.0/16', '2a04:4e40::/32'],
  'Fly.io': ['66.241.124.0/23'],
  Render: ['216.24.57.0/24'],
  Shopify: ['23.227.38.0/24'],
  Squarespace: ['198.185.159.0/24', '198.49.23.0/24'],
  Wix: ['185.230.63.0/24'],
  Google: ['216.239.32.0/20', '2001:4860:4802::/48'],
};

/** Hosts to which a provider lets all its customers lead their names, and zones of such hosts; from their documentation. */
const SHARED_HOSTS: Record<string, readonly string[]> = {
  Vercel: ['vercel-dns.com', 'vercel-dns-016.com', 'vercel-dns-017.com'],
  Netlify: ['apex-loadbalancer.netlify.com'],
  Google: ['ghs.googlehosted.com', 'ghs.google.com'],
  Shopify: ['shops.myshopify.com'],
  Squarespace: ['ext-cust.squarespace.com', 'ext-sq.squarespace.com'],
  Webflow: ['proxy-ssl.webflow.com', 'proxy.webflow.com', 'cdn.webflow.com'],
  Wix: ['wixdns.net'],
};

/** The provider that shares a host, in lower case without a final dot, among its customers; undefined where that is not known. */
export function hostSharedBy(host: string): string | undefined {
  const isAt = (shared: string) => host === shared || host.endsWith(`.${shared}`);
  return Object.keys(SHARED_HOSTS).find((provider) => SHARED_HOSTS[provider]?.some(isAt));
}

/** The provider that shares an address among its customers; undefined where that is not known. */
export function sharedBy(address: string): string | undefined {
  const parsed = parseIpAddress(address);
  if (parsed === null) return undefined;
  const isIn = (text: string) => {
    const network = parseIpNetwork(text);
    return network !== null && isInNetwork(parsed, network);
  };
  const known = Object.entries(SHARED_NETWORKS).find(([, networks]) => networks.some(isIn));
  return known?.[0] ?? proxyAt([address]);
}
