import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { issueChain, keyPem, newKey } from '../../../test/support/issue-chain.ts';
import { certificatePem } from '../certificates/x509/pem.ts';
import { createAuthorityCertificate, createServerCertificate } from '../certificates/x509/x509-certificate.ts';
import { Problem } from './errors.ts';
import { readImport } from './imported-certificate.ts';

const NOW = Math.floor(Date.now() / 1000) * 1000;
const NAME = 'shop.example.com';
const good = issueChain(NAME, { now: NOW });
const { leaf, intermediate, root } = good;
const key = keyPem(good.key);
const DAY_MS = 86_400_000;

function problems(chain: string, privateKey = key, hostname = NAME, now = NOW): string[] {
  try {
    readImport(hostname, { certificates: chain, privateKey }, now, 0);
  } catch (error) {
    if (error instanceof Problem)
      return (error.errors ?? []).map(({ location, message, fix }) => `${location} ${message}: ${fix}.`);
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
    const read = readImport(NAME, { certificates: chain, privateKey: key }, NOW, 0);
    expect(read).toMatchObject({ notBefore: good.notBefore, notAfter: good.notAfter });
    expect(read.chain.startsWith(leaf)).toBe(true);
    const kept = createPrivateKey({ key: Buffer.from(read.privateKey), format: 'der', type: 'pkcs8' });
    expect(kept.equals(good.key)).toBe(true);
  });

  test('is accepted for a name that its wildcard covers, but not two labels below', () => {
    const wild = issueChain('*.example.com', { now: NOW });
    const chain = wild.leaf + wild.intermediate;
    expect(problems(chain, keyPem(wild.key))).toEqual([]);
    expect(problems(chain, keyPem(wild.key), 'a.b.example.com')).toEqual([
      'body.certificates is for "*.example.com", not for a.b.example.com: have one issued for a.b.example.com.',
    ]);
  });

  test('is accepted with an RSA key in PKCS #1', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const chain = issueChain(NAME, { now: NOW, key: privateKey });
    const older = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    expect(problems(chain.leaf + chain.intermediate, older)).toEqual([]);
  });

  test('is put in order, without its root and without what is there twice, whatever the ends of its lines', () => {
    const text = [root, intermediate, leaf, intermediate]
      .join('Bag Attributes: <No Attributes>\n')
      .replaceAll('\n', '\r\n');
    const boxed = `Bag Attributes\r\n    friendlyName: shop\r\n${key.replaceAll('\n', '\r\n')}`;
    expect(readImport(NAME, { certificates: text, privateKey: boxed }, NOW, 0)).toMatchObject({
      chain: leaf + intermediate,
    });
  });

  test('is accepted for a wildcard domain only where it names the wildcard', () => {
    const wild = issueChain('*.example.com', { now: NOW });
    expect(problems(wild.leaf + wild.intermediate, keyPem(wild.key), '*.example.com')).toEqual([]);
    expect(problems(wild.leaf + wild.intermediate, keyPem(wild.key), '*.shop.example.com')).toHaveLength(1);
    expect(problems(leaf + intermediate, key, '*.example.com')).toHaveLength(1);
  });

  test.each<[what: string, chain: string, privateKey: string, says: RegExp]>([
    ['no intermediates', leaf, key, /lacks the intermediate/],
    ['its root alone, above a gap', leaf + root, key, /lacks the intermediate/],
    ['a certificate that signed itself', root, keyPem(good.key), /does not belong/],
    ['no certificate', 'Dear diary', key, /no certificate in PEM/],
    ['a beginning without an end', '-----BEGIN CERTIFICATE-----\n'.repeat(1000), key, /no certificate in PEM/],
    ['more certificates than any CA uses', intermediate.repeat(11), key, /more than 10/],
    [
      'a certificate that cannot be read',
      leaf + intermediate.replace(/\n.{20}/, '\nAAAAAAAAAAAAAAAAAAAA'),
      key,
      /cannot be read, its number 2/,
    ],
    ['a key that is none', leaf + intermediate, leaf, /no private key in PEM/],
    ['another key', leaf + intermediate, keyPem(newKey()), /does not belong to any/],
    ['a certificate of another chain', leaf + intermediate + issueChain(NAME).leaf, key, /issued no other/],
  ])('is rejected with %s', (_, chain, privateKey, says) => {
    expect(problems(chain, privateKey).join('\n')).toMatch(says);
  });

  test('is rejected for a wildcard domain that only another name in it contains', () => {
    const odd = issueChain('evil.test, DNS:*.example.com', { now: NOW });
    expect(problems(odd.leaf + odd.intermediate, keyPem(odd.key), '*.example.com').join()).toMatch(/is for/);
  });

  test('is rejected if it is for clients or for a CA, or if its issuer is no CA', () => {
    const signer = { name: 'Test intermediate', privateKey: newKey() };
    const validity = { notBefore: NOW - DAY_MS, notAfter: NOW + 90 * DAY_MS };
    const der = createServerCertificate({ hostname: NAME, key: good.key }, { signer, ...validity });
    const above = certificatePem(createAuthorityCertificate(signer, { pathLength: 0, ...validity }));
    expect(problems(certificatePem(der) + above)).toEqual([]);

    const forServers = Buffer.from('2b06010505070301', 'hex');
    der.set(Buffer.from('2b06010505070302', 'hex'), der.indexOf(forServers));
    // The signature of the leaf is wrong now, too, which is told beside.
    expect(problems(certificatePem(der) + above).join()).toMatch(/is not for servers/);
    const ca = { name: NAME, privateKey: good.key };
    const caLeaf = certificatePem(createAuthorityCertificate(ca, { signer, pathLength: 0, ...validity }));
    expect(problems(caLeaf + above).join()).toMatch(/is not for servers/);

    const server = createServerCertificate(
      { hostname: signer.name, key: signer.privateKey },
      { signer: ca, ...validity },
    );
    const byServer = createServerCertificate({ hostname: NAME, key: good.key }, { signer, ...validity });
    expect(problems(certificatePem(byServer) + certificatePem(server)).join()).toMatch(/lacks the intermediate/);
  });

  test('is rejected with a certificate whose public exponent makes each check slow', () => {
    const { n = '' } = rsa(3072).export({ format: 'jwk' });
    const e = Buffer.concat([Buffer.from([0x7f]), randomBytes(382), Buffer.from([1])]).toString('base64url');
    const slow = createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' });
    const signer = { name: 'Test root', privateKey: newKey() };
    const validity = { notBefore: NOW - DAY_MS, notAfter: NOW + 90 * DAY_MS };
    const hostile = certificatePem(
      createServerCertificate({ hostname: 'Test intermediate', key: slow }, { signer, ...validity }),
    );
    expect(problems(leaf + hostile).join()).toMatch(/cannot be read, its number 2/);
  });

  test('is rejected if it, or one above it, has expired or is not valid yet, and in its last day', () => {
    const chain = leaf + intermediate;
    expect(problems(chain, key, NAME, NOW + 91 * DAY_MS)).toEqual([
      expect.stringMatching(/"shop\.example\.com"\) that expired at /),
      expect.stringMatching(/"Test intermediate"\) that expired at /),
    ]);
    expect(problems(chain, key, NAME, NOW - DAY_MS)[0]).toMatch(/is not valid before/);
    expect(problems(chain, key, NAME, good.notAfter - DAY_MS)).toEqual([]);
    expect(problems(chain, key, NAME, good.notAfter - DAY_MS + 1)).toEqual([expect.stringMatching(/less than a day/)]);
  });

  test('is rejected with all problems at once', () => {
    expect(problems(leaf + intermediate, keyPem(newKey()), 'other.example.org', NOW + 91 * DAY_MS)).toHaveLength(4);
  });

  test.each<[what: string, privateKey: () => KeyObject, isAccepted: boolean]>([
    ['RSA of 2048 bits', () => rsa(2048), true],
    ['RSA of 4096 bits', () => rsa(4096), true],
    ['P-384', () => generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey, true],
    ['RSA of 1024 bits', () => rsa(1024), false],
    ['RSA of 4104 bits', () => rsa(4104), false],
    ['RSA for PSS alone', () => generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey, false],
    ['Ed25519', () => generateKeyPairSync('ed25519').privateKey, false],
    ['P-521', () => generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey, false],
  ])(
    'with a key of %s is accepted only where browsers accept it and the edge is quick with it',
    (_, make, isAccepted) => {
      const privateKey = make();
      const chain = issueChain(NAME, { now: NOW, key: privateKey });
      const found = problems(chain.leaf + chain.intermediate, keyPem(privateKey));
      if (isAccepted) expect(found).toEqual([]);
      else expect(found.join()).toMatch(/use RSA of 2048 to 4096 bits|cannot be read/);
    },
  );

  test('is rejected with a key whose private half is of another key', () => {
    for (const [own, other] of [
      [rsa(2048), rsa(2048)],
      [newKey(), newKey()],
    ] as const) {
      const { n = '', x, y = '' } = own.export({ format: 'jwk' });
      const halves = { ...other.export({ format: 'jwk' }), ...(x ? { x, y } : { n }) };
      const chain = issueChain(NAME, { now: NOW, key: own });
      const found = (() => {
        try {
          return problems(chain.leaf + chain.intermediate, keyPem(createPrivateKey({ key: halves, format: 'jwk' })));
        } catch {
          return ['Node does not read it at all'];
        }
      })();
      expect(found).toEqual([expect.stringMatching(/does not belong|no private key|at all/)]);
    }
  });

  test('is rejected with an encrypted key, of either form', () => {
    for (const type of ['pkcs8', 'sec1'] as const) {
      const locked = good.key.export({ type, format: 'pem', cipher: 'aes-256-cbc', passphrase: 'hunter2' }).toString();
      expect(problems(leaf + intermediate, locked)).toEqual([expect.stringMatching(/encrypted.*openssl pkey -in/)]);
    }
  });

  test('is rejected without printing the key', () => {
    const body = key.split('\n')[1] ?? '';
    for (const [chain, privateKey] of [
      [leaf + root, key.replace('MIG', 'MIX')],
      [key, key],
      [leaf, key.replace('PRIVATE KEY', 'PUBLIC KEY')],
    ] as const) {
      const found = problems(chain, privateKey).join();
      expect(found).not.toBe('');
      expect(found).not.toContain(body.slice(4));
    }
  });

  test('that was damaged anywhere is accepted or rejected, and nothing else happens', () => {
    const text = leaf + intermediate;
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.nat(key.length - 1), fc.string({ maxLength: 3 }), (at, keyAt, put) => {
        const damagedChain = text.slice(0, at) + put + text.slice(at + 1);
        const damagedKey = key.slice(0, keyAt) + put + key.slice(keyAt + 1);
        for (const [chain, privateKey] of [
          [damagedChain, key],
          [text, damagedKey],
        ] as const)
          expect(problems(chain, privateKey).length).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 500 },
    );
  });
});

function rsa(modulusLength: number): KeyObject {
  return generateKeyPairSync('rsa', { modulusLength }).privateKey;
}
