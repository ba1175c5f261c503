import { describe, expect, it } from 'vitest';
import { caaNamesOf } from './caa-names.ts';

const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory';
const OTHER = 'https://acme.ca.example.net/directory';
const config = { issuer: 'acme', acmeDirectory: LETS_ENCRYPT, acmeSecondDirectory: undefined, acmeCaaNames: undefined };

describe('how the CAs call themselves in CAA records', () => {
  it.each([
    ['is known for a well-known CA', {}, ['letsencrypt.org']],
    ['is unknown as soon as one of two CAs is', { acmeSecondDirectory: OTHER }, []],
    [
      'is what is configured, whatever is known',
      { acmeSecondDirectory: OTHER, acmeCaaNames: ['letsencrypt.org', 'ca.example.net'] },
      ['letsencrypt.org', 'ca.example.net'],
    ],
    ['is what the internal CA obeys, where that issues', { issuer: 'internal' }, ['internal.example']],
  ] as const)('%s', (_, changes, names) => {
    const changed = { ...config, ...changes } as Parameters<typeof caaNamesOf>[0]['config'];
    expect(caaNamesOf({ config: changed, internalCaaNames: ['internal.example'] })).toEqual(names);
  });

  it('is nothing where an internal CA obeys no CAA record', () => {
    const changed = { ...config, issuer: 'internal', acmeCaaNames: ['ca.example.net'] } as Parameters<
      typeof caaNamesOf
    >[0]['config'];
    expect(caaNamesOf({ config: changed })).toEqual([]);
  });
});
