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

/** Whether a host, in lower case without a final dot, is below one of them. */
export function isProxy(host: string): boolean {
  return PROXY_ZONES.some((zone) => host.endsWith(`.${zone}`));
}
