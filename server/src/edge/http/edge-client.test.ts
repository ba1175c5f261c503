import { describe, expect, it } from 'vitest';
import { networkRule } from '../../net/addresses.ts';
import { readSender } from './edge-client.ts';

const isTrusted = networkRule(['10.0.0.0/8', 'fd00::/8']);

function sender(address: string, headers: Record<string, string | string[]>, serverName: string | null = null) {
  return readSender({ serverName, address, isProxy: isTrusted(address) }, headers, isTrusted);
}

describe('the sender of a request', () => {
  it('is the connected peer, whatever the header says, unless that is a trusted proxy', () => {
    const said = { 'x-forwarded-for': '10.0.0.9', 'x-forwarded-proto': 'https' };
    expect(sender('203.0.113.7', said)).toEqual({
      scheme: 'http',
      clientAddress: '203.0.113.7',
      forwardedFor: ['203.0.113.7'],
    });
    expect(sender('203.0.113.7', {}, 'a.example').scheme).toBe('https');
  });

  it('is taken from trusted proxies in turn, up to the first hop that is not trusted', () => {
    const { clientAddress, forwardedFor } = sender('10.0.0.1', {
      'x-forwarded-for': 'forged, 198.51.100.1, 203.0.113.7 , 10.0.0.2',
    });
    expect([clientAddress, forwardedFor]).toEqual(['203.0.113.7', ['203.0.113.7', '10.0.0.2', '10.0.0.1']]);
  });

  it.each([
    ['nothing', undefined, ['10.0.0.1']],
    ['no address', 'unknown', ['10.0.0.1']],
    ['an address with a port', '203.0.113.7:80', ['10.0.0.1']],
    ['markup', '<script>, 203.0.113.7', ['203.0.113.7', '10.0.0.1']],
    ['proxies alone', '10.0.0.3, 10.0.0.2', ['10.0.0.3', '10.0.0.2', '10.0.0.1']],
    ['IPv6', '2001:DB8:0::1', ['2001:db8::1', '10.0.0.1']],
    ['several fields', ['198.51.100.9, 203.0.113.7', '10.0.0.2'], ['203.0.113.7', '10.0.0.2', '10.0.0.1']],
  ])('is read safely where a proxy says %s', (_, said, forwardedFor) => {
    expect(sender('10.0.0.1', said === undefined ? {} : { 'x-forwarded-for': said }).forwardedFor).toEqual(
      forwardedFor,
    );
  });

  it('stays bounded, however long the header is', () => {
    const said = Array.from({ length: 5000 }, (_, i) => `10.1.${i >> 8}.${i & 255}`).join(',');
    expect(sender('10.0.0.1', { 'x-forwarded-for': said }).forwardedFor.length).toBeLessThan(300);
  });
});

describe('the scheme of a request', () => {
  it.each([
    ['https', 'https'],
    ['HTTPS', 'https'],
    ['http, https', 'https'],
    ['https, http', 'http'],
    ['', 'http'],
    ['wss', 'http'],
  ])('is what a trusted proxy says last: %s', (said, scheme) => {
    expect(sender('10.0.0.1', { 'x-forwarded-proto': said }).scheme).toBe(scheme);
  });

  it('is HTTPS over TLS, also through a proxy', () => {
    expect(sender('10.0.0.1', { 'x-forwarded-proto': 'http' }, 'a.example').scheme).toBe('https');
  });
});
