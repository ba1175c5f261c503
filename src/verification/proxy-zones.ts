/**
 * Hosts of providers that proxy: a CNAME to a name below one of them leads to the provider's own servers, and the value that the
 * customer configured there cannot be read from DNS. Data, from the providers' documentation.
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

/** Whether a host belongs to a provider known to proxy. `host` in canonical form. */
export function isProxy(host: string): boolean {
  return PROXY_ZONES.some((zone) => host.endsWith(`.${zone}`));
}
