import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { issueChain, keyPem, newKey } from '../../../test/support/issue-chain.ts';
import { describeProblem, ImportProblems, readImport } from './imported-certificate.ts';

const NOW = Math.floor(Date.now() / 1000) * 1000;
const NAME = 'shop.example.com';
const good = issueChain(NAME, { now: NOW });
const { leaf, intermediate, root } = good;
const key = keyPem(good.key);
const DAY_MS = 86_400_000;

function problems(chain: string, privateKey = key, hostname = NAME, now = NOW): string[] {
  try {
    readImport(hostname, { chain, key: privateKey }, now);
  } catch (error) {
    if (error instanceof ImportProblems) return error.problems.map(describeProblem);
    throw error;
  }
  return [];
}

describe('a certificate from elsewhere', () => {
  test.each([
    ['with those between it and the root', leaf + intermediate],
    ['with the root as well', leaf + intermediate + root],
    ['with words around its certificates', `Bag Attributes\n${leaf}\nsubject=CN\n${intermediate}`],
  ])('is accepted %s', (_, chain) => {
    const read = readImport(NAME, { chain, key }, NOW);
    expect(read).toMatchObject({ notBefore: good.notBefore, notAfter: good.notAfter, notes: [] });
    expect(read.chain.startsWith(leaf)).toBe(true);
    const kept = createPrivateKey({ key: Buffer.from(read.privateKey), format: 'der', type: 'pkcs8' });
    expect(kept.equals(good.key)).toBe(true);
  });

  test('is accepted for a name that its wildcard covers, but not two labels below', () => {
    const wild = issueChain('*.example.com', { now: NOW });
    const chain = wild.leaf + wild.intermediate;
    expect(problems(chain, keyPem(wild.key))).toEqual([]);
    expect(problems(chain, keyPem(wild.key), 'a.b.example.com')).toEqual([
      'The first certificate is for *.example.com, not for a.b.example.com.',
    ]);
  });

  test('is accepted with an RSA key in PKCS #1', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const chain = issueChain(NAME, { now: NOW, key: privateKey });
    const older = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    expect(problems(chain.leaf + chain.intermediate, older)).toEqual([]);
  });

  test('without intermediates is accepted, with a warning', () => {
    expect(readImport(NAME, { chain: leaf, key }, NOW).notes).toEqual([
      expect.stringMatching(/no intermediate certificates/),
    ]);
  });

  test.each<[what: string, chain: string, privateKey: string, says: RegExp]>([
    ['no certificate', 'Dear diary', key, /no certificate in PEM/],
    [
      'a certificate that cannot be read',
      leaf + intermediate.replace(/\n.{20}/, '\nAAAAAAAAAAAAAAAAAAAA'),
      key,
      /Certificate 2 .* is not a valid X\.509 certificate/,
    ],
    ['a key that is none', leaf + intermediate, leaf, /no private key in PEM/],
    ['another key', leaf + intermediate, keyPem(newKey()), /does not belong to any/],
    ['the turned order', intermediate + leaf, key, /belongs to certificate 2, which must come first/],
    ['a gap', leaf + root, key, /is followed by that of Test root, but its issuer is not in the chain/],
    [
      'a wrong order above',
      leaf + root + intermediate,
      key,
      /Certificate 1 .* is followed by that of Test root, but its issuer is certificate 3/,
    ],
  ])('is rejected with %s', (_, chain, privateKey, says) => {
    expect(problems(chain, privateKey).join('\n')).toMatch(says);
  });

  test('is rejected if it, or one above it, has expired or is not valid yet', () => {
    const chain = leaf + intermediate;
    expect(problems(chain, key, NAME, NOW + 91 * DAY_MS)).toEqual([
      expect.stringMatching(/^Certificate 1 \(shop\.example\.com\) expired at /),
      expect.stringMatching(/^Certificate 2 \(Test intermediate\) expired at /),
    ]);
    expect(problems(chain, key, NAME, NOW - DAY_MS)[0]).toMatch(/is not valid before/);
  });

  test('is rejected with all problems at once', () => {
    expect(problems(leaf + root, keyPem(newKey()), 'other.example.org', NOW + 91 * DAY_MS)).toHaveLength(5);
  });

  test('is rejected with a key that TLS does not accept, and with an encrypted key', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const small = issueChain(NAME, { now: NOW, key: privateKey });
    expect(problems(small.leaf + small.intermediate, keyPem(privateKey)).join()).toMatch(/does not accept it for TLS/);
    const locked = good.key
      .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'hunter2' })
      .toString();
    expect(problems(leaf + intermediate, locked)).toEqual([expect.stringMatching(/encrypted.*openssl pkey -in/)]);
  });

  test('is rejected without printing the key', () => {
    const body = key.split('\n')[1] ?? '';
    for (const [chain, privateKey] of [
      [leaf + root, key],
      [key, key],
      [leaf, key.replace('PRIVATE KEY', 'PUBLIC KEY')],
    ] as const)
      expect(problems(chain, privateKey).join()).not.toContain(body);
  });
});
