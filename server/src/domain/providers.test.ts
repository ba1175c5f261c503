import { describe, expect, test } from 'vitest';
import { hostAsValue, nameInZone, providerOf } from './providers.ts';

describe('the provider of a zone', () => {
  test.each([
    [['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'], 'cloudflare'],
    [['ns-2048.awsdns-64.com', 'ns-1.awsdns-00.co.uk'], 'route53'],
    [['ns01.domaincontrol.com'], 'godaddy'],
    [['dns1.registrar-servers.com'], 'namecheap'],
    [['ns1045.ui-dns.org', 'ns1045.ui-dns.biz'], 'ionos'],
    [['dns101.ovh.net', 'ns101.ovh.net'], 'ovh'],
    [['hydrogen.ns.hetzner.com', 'oxygen.ns.hetzner.com'], 'hetzner'],
    [['ns1-01.azure-dns.com', 'ns2-01.azure-dns.net'], 'azure'],
  ])('%s: %s', (nameservers, id) => {
    expect(providerOf(nameservers)?.id).toBe(id);
  });

  test.each([
    [['ns1.acme.com']],
    [['ada.ns.cloudflare.com', 'ns1.acme.com']],
    [['evil-ns.cloudflare.com.acme.com']],
    [['ns-cloud-a1.googledomains.com']],
    [['dns1.p01.nsone.net']],
    [[]],
  ])('of %j is not known', (nameservers) => {
    expect(providerOf(nameservers)).toBeUndefined();
  });
});

describe('a name, as the panel of a provider wants it', () => {
  test('is without the zone; the zone itself is @, or empty', () => {
    expect(nameInZone('_service.shop.acme.com', 'acme.com')).toBe('_service.shop');
    expect(nameInZone('acme.com', 'acme.com')).toBe('@');
    expect(nameInZone('acme.com', 'acme.com', providerOf(['ns-1.awsdns-00.com']))).toBe('');
  });

  test('is without its registered domain where only a registry has a zone above it', () => {
    expect(nameInZone('a.b.shop.example.co.uk', 'co.uk')).toBe('a.b.shop');
    expect(nameInZone('_service.example.co.uk', 'co.uk')).toBe('_service');
    expect(nameInZone('example.co.uk', 'co.uk')).toBe('@');
    expect(nameInZone('a.b.shop.example.co.uk', 'shop.example.co.uk')).toBe('a.b');
  });

  test('of a zone that it is not in stays whole', () => {
    expect(nameInZone('shop.notacme.com', 'acme.com')).toBe('shop.notacme.com');
  });

  test('in a value ends with a dot where the provider would append the zone', () => {
    expect(hostAsValue('t.cname.example', providerOf(['oxygen.ns.hetzner.com']))).toBe('t.cname.example.');
    expect(hostAsValue('t.cname.example', providerOf(['ns01.domaincontrol.com']))).toBe('t.cname.example');
  });
});
