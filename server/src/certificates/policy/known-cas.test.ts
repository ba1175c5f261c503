import { expect, it } from 'vitest';
import { knownCaaNames } from './known-cas.ts';

it.each([
  ['https://acme-v02.api.letsencrypt.org/directory', ['letsencrypt.org']],
  ['https://acme-staging-v02.api.letsencrypt.org/directory', ['letsencrypt.org']],
  ['https://dv.acme-v02.api.pki.goog/directory', ['pki.goog']],
  ['https://acme.zerossl.com/v2/DV90', ['sectigo.com']],
  ['https://ca.internal:14000/dir', []],
  ['https://api.letsencrypt.org.evil.example/directory', []],
])('%s is the CA %j', (directory, names) => {
  expect(knownCaaNames(directory)).toEqual(names);
});
