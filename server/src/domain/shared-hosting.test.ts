import { describe, expect, test } from 'vitest';
import { sharedBy } from './shared-hosting.ts';

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
