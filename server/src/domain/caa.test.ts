import { describe, expect, test } from 'vitest';
import { caaNames, judgeCaa } from './caa.ts';
import type { CaaRecord } from './certificate-state.ts';

const ACCOUNT = 'https://ca.test/acct/1';
const CA = { names: ['letsencrypt.org'], accountUrl: ACCOUNT };

/** `128 issue ca.test; x=y` */
function record(text: string): CaaRecord {
  const [flags = '', tag = '', ...value] = text.split(' ');
  return { critical: Number(flags) >= 128, tag, value: value.join(' ') };
}

function judge(...records: string[]) {
  const verdict = judgeCaa(records.map(record), CA);
  return verdict.kind === 'allowed' ? 'allowed' : verdict.because;
}

test('records are looked for at the name and at every one above it, but the root', () => {
  expect(caaNames('shop.eu.example.co.uk')).toEqual([
    'shop.eu.example.co.uk',
    'eu.example.co.uk',
    'example.co.uk',
    'co.uk',
    'uk',
  ]);
});

describe('a CA may issue', () => {
  test.each([
    ['where its name stands', ['0 issue letsencrypt.org']],
    ['where its name stands beside others', ['0 issue digicert.com', '0 issue letsencrypt.org']],
    ['whatever the case of its name', ['0 issue LetsEncrypt.ORG']],
    ['with white space around', ['0 issue  \tletsencrypt.org ; ']],
    ['where nobody is named for plain names', ['0 issuewild ;', '0 iodef mailto:x@example.com', '0 issuemail ;']],
    ['where issuewild forbids it', ['0 issue letsencrypt.org', '0 issuewild ;']],
    ['where unknown properties are not critical', ['0 tbs unknown', '0 issue letsencrypt.org']],
    ['where properties that everybody knows are critical', ['128 issue letsencrypt.org', '128 iodef mailto:x@y.test']],
    ['with parameters of its own', ['0 issue letsencrypt.org; cansignhttpexchanges=yes']],
    ['for our account', [`0 issue letsencrypt.org; accounturi=${ACCOUNT}`]],
    ['by our method', ['0 issue letsencrypt.org; validationmethods=dns-01,http-01']],
    ['by both', [`0 issue letsencrypt.org ;ValidationMethods = http-01; AccountURI=${ACCOUNT};`]],
    [
      'where one record of several fits',
      [`0 issue letsencrypt.org; accounturi=https://ca.test/acct/2`, `0 issue letsencrypt.org; accounturi=${ACCOUNT}`],
    ],
  ])('%s', (_, records) => {
    expect(judge(...records)).toBe('allowed');
  });

  test('by any of its names', () => {
    expect(judgeCaa([record('0 issue pki.goog')], { ...CA, names: ['google.com', 'pki.goog'] }).kind).toBe('allowed');
  });
});

describe('a CA must not issue', () => {
  test.each([
    ['where nobody may', 'other', ['0 issue ;']],
    ['where an empty value says that nobody may', 'other', ['0 issue ']],
    ['where only others may', 'other', ['0 issue digicert.com']],
    ['where its name is part of another', 'other', ['0 issue notletsencrypt.org', '0 issue letsencrypt.org.evil.test']],
    ['where the value is malformed', 'other', ['0 issue %%%%%']],
    ['where a parameter is malformed', 'other', ['0 issue letsencrypt.org; policy']],
    ['where parameters are not separated', 'other', ['0 issue letsencrypt.org accounturi=x']],
    ['where a label is empty', 'other', ['0 issue letsencrypt..org']],
    ['where a property is critical that nobody knows', 'unknown', ['0 issue letsencrypt.org', '128 tbs unknown']],
    ['for another account', 'account', ['0 issue letsencrypt.org; accounturi=https://ca.test/acct/2']],
    ['for an account that is nearly ours', 'account', [`0 issue letsencrypt.org; accounturi=${ACCOUNT}/`]],
    ['for two accounts at once', 'account', [`0 issue letsencrypt.org; accounturi=${ACCOUNT}; accounturi=${ACCOUNT}`]],
    ['by other methods', 'method', ['0 issue letsencrypt.org; validationmethods=dns-01,tls-alpn-01']],
    ['by no method', 'method', ['0 issue letsencrypt.org; validationmethods=']],
    [
      'by methods said twice',
      'method',
      ['0 issue letsencrypt.org; validationmethods=http-01; validationmethods=dns-01'],
    ],
  ])('%s', (_, because, records) => {
    expect(judge(...records)).toBe(because);
  });

  test('for an account, while we have none', () => {
    const records = [record(`0 issue letsencrypt.org; accounturi=${ACCOUNT}`)];
    expect(judgeCaa(records, { ...CA, accountUrl: null })).toMatchObject({ because: 'account' });
  });
});

test('the record that is nearest to allowing it is shown', () => {
  const verdict = judgeCaa(
    [record('0 issue digicert.com'), record('0 issue letsencrypt.org; validationmethods=dns-01')],
    CA,
  );
  expect(verdict).toEqual({
    kind: 'forbidden',
    because: 'method',
    record: { critical: false, tag: 'issue', value: 'letsencrypt.org; validationmethods=dns-01' },
  });
});

describe('for a wildcard', () => {
  const ask = (challenge: 'http-01' | 'dns-01', ...records: string[]) =>
    judgeCaa(records.map(record), CA, { wildcard: true, challenge }).kind;

  test('issuewild counts in place of issue, and issue where there is none', () => {
    expect(ask('dns-01', '0 issue letsencrypt.org', '0 issuewild ;')).toBe('forbidden');
    expect(ask('dns-01', '0 issue ;', '0 issuewild letsencrypt.org')).toBe('allowed');
    expect(ask('dns-01', '0 issue letsencrypt.org')).toBe('allowed');
    expect(ask('dns-01', '0 issue ;')).toBe('forbidden');
  });

  test('validationmethods are those of the challenge', () => {
    expect(ask('dns-01', '0 issue letsencrypt.org; validationmethods=dns-01')).toBe('allowed');
    expect(ask('http-01', '0 issue letsencrypt.org; validationmethods=dns-01')).toBe('forbidden');
  });
});
