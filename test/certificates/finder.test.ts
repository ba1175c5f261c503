import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { newPrivateKey, readPrivateKey } from '../../server/src/certificates/x509/private-key.ts';
import { createFinder, secretOf } from './live/finder.ts';

const key = newPrivateKey();
const finder = createFinder([
  secretOf('the key', key),
  ...Array.from({ length: 50 }, (_, i) => secretOf(`${i}`, newPrivateKey())),
  { name: 'a password', bytes: Buffer.from('correct horse battery staple') },
]);
const object = readPrivateKey(key);
const pem = object.export({ format: 'pem', type: 'pkcs8' }).toString();
const sec1 = object.export({ format: 'pem', type: 'sec1' }).toString();

test.each([
  ['DER in a file', Buffer.concat([randomBytes(1000), key, randomBytes(999)]).toString('latin1')],
  ['PEM', pem],
  ['PEM of SEC 1', sec1],
  ['PEM in a line of a log', JSON.stringify({ err: { message: `cannot read ${pem}` } })],
  ['a JWK', JSON.stringify(object.export({ format: 'jwk' }))],
  ['hexadecimal', `x'${Buffer.from(key).toString('hex').toUpperCase()}'`],
  ['base64 behind one byte', Buffer.concat([Buffer.of(1), key]).toString('base64')],
  ['base64url behind two bytes', Buffer.concat([Buffer.of(1, 2), key]).toString('base64url')],
])('a private key is found in %s', (_, text) => {
  expect(finder.find(text)).toEqual([expect.stringMatching(/^the key, /)]);
});

test('any secret is found, and nothing in a text without one', () => {
  expect(finder.find('is it correct horse battery staple?')).toEqual(['a password, raw']);
  expect(finder.find(newPrivateKey().toString('base64') + randomBytes(5000).toString('latin1'))).toEqual([]);
});
