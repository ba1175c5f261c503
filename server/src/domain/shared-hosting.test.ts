import { describe, expect, test } from 'vitest';
import { hostSharedBy, sharedBy } from './shared-hosting.ts';

describe('an address of a shared target', () => {
  test.each([
    ['76.76.21.21', 'Vercel'],
    ['104.21.3.4', 'Cloudflare'],
    ['2606:4700::1', 'Cloudflare'],
    ['185.199.110.153', 'GitHub Pages'],
    ['75.2.60.5', 'Netlify'],
    ['151.101.1.195', 'Fastly'],
    ['216.239.32.21', 'Google'],
  ])('%s is refused: %s', (address, provider) => {
    expect(sharedBy(address)).toBe(provider);
  });

  test.each(['203.0.113.7', '75.2.60.6', '2001:db8::1', 'no address'])("%s is nobody's that is known", (address) => {
    expect(sharedBy(address)).toBeUndefined();
  });
});

describe('a host of a shared target', () => {
  test.each([
    ['cname.vercel-dns.com', 'Vercel'],
    ['d1d4fc829fe7bc7c.vercel-dns-017.com', 'Vercel'],
    ['ghs.googlehosted.com', 'Google'],
    ['shops.myshopify.com', 'Shopify'],
    ['www12.wixdns.net', 'Wix'],
  ])('%s is refused: %s', (host, provider) => {
    expect(hostSharedBy(host)).toBe(provider);
  });

  test.each(['customers.platform.com', 'not-vercel-dns.com', 'shop.myshopify.com'])(
    "%s is nobody's that is known",
    (host) => {
      expect(hostSharedBy(host)).toBeUndefined();
    },
  );
});
