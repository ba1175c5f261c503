import { expect, it } from 'vitest';
import { hostFor, secretFor, targetOf } from './origin-target.ts';

const NOTHING = {
  hostHeader: 'visitor',
  caCertificate: null,
  clientCertificate: null,
  secret: null,
  sendsExternalId: false,
};
const origin = 'https://shop.herokuapp.example:8443';
const bytes = (text: string) => new TextEncoder().encode(text);

it.each([
  ['without settings', null, 'www.acme.com:444'],
  ['for "visitor"', 'visitor', 'www.acme.com:444'],
  ['for "origin"', 'origin', 'shop.herokuapp.example:8443'],
  ['for a name', 'shop.acme.com', 'shop.acme.com'],
])('Host %s', (_, hostHeader, expected) => {
  const settings = hostHeader === null ? null : { ...NOTHING, hostHeader };
  expect(hostFor({ origin, settings }, 'www.acme.com:444')).toBe(expected);
});

it('the secret is sent with the one before it until that expires', () => {
  expect(secretFor(null, 0)).toBe(null);
  expect(secretFor(NOTHING, 0)).toBe(null);
  const first = { current: bytes('npe_one'), previous: null, previousExpiresAt: null };
  expect(secretFor({ ...NOTHING, secret: first }, 0)).toBe('npe_one');
  const second = { current: bytes('npe_two'), previous: bytes('npe_one'), previousExpiresAt: 1000 };
  const sent = [999, 1000].map((now) => secretFor({ ...NOTHING, secret: second }, now));
  expect(sent).toEqual(['npe_two, npe_one', 'npe_two']);
});

it('connections are shared only where name, CA and client certificate are the same', () => {
  const keyOf = (about: object, to = origin) => targetOf({ origin: to, settings: { ...NOTHING, ...about } }).key;
  const keys = [
    targetOf({ origin, settings: null }).key,
    keyOf({}, 'https://other.example'),
    keyOf({ hostHeader: 'a.example' }),
    keyOf({ hostHeader: 'b.example' }),
    keyOf({ caCertificate: 'one' }),
    keyOf({ caCertificate: 'two' }),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  expect(keyOf({ hostHeader: 'a.example' })).toBe(keyOf({ hostHeader: 'a.example' }));
  // Without TLS there is nothing that differs.
  expect(keyOf({ hostHeader: 'a.example', caCertificate: 'one' }, 'http://10.0.0.1')).toBe('http://10.0.0.1');
});

it('SNI is the name that is set, and else that of the URL', () => {
  const tlsOf = (hostHeader: string) => targetOf({ origin, settings: { ...NOTHING, hostHeader } }).tls;
  expect([tlsOf('visitor'), tlsOf('origin'), tlsOf('a.example')]).toEqual([{}, {}, { servername: 'a.example' }]);
});
