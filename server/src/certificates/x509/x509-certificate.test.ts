import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChainRefused, readChain } from './certificate-chain.ts';
import { readElements } from './der.ts';
import { certificatePem } from './pem.ts';
import { newPrivateKey, readPrivateKey } from './private-key.ts';
import { createAuthorityCertificate, createServerCertificate, readIdentity } from './x509-certificate.ts';

const NOW = Date.UTC(2026, 10, 21);
const DAY_MS = 24 * 3_600_000;
const validity = { notBefore: NOW, notAfter: NOW + 90 * DAY_MS };
const signer = { name: 'An authority', privateKey: readPrivateKey(newPrivateKey()) };
const key = readPrivateKey(newPrivateKey());
const hostname = 'www.example.com';
const root = certificatePem(createAuthorityCertificate(signer, { ...validity, pathLength: 0 }));
const leaf = certificatePem(createServerCertificate({ hostname, key }, { ...validity, signer }));

/** RFC 9773 appendix A. */
const EXAMPLE = `-----BEGIN CERTIFICATE-----
MIIBQzCB66ADAgECAgUAh2VDITAKBggqhkjOPQQDAjAVMRMwEQYDVQQDEwpFeGFt
cGxlIENBMCIYDzAwMDEwMTAxMDAwMDAwWhgPMDAwMTAxMDEwMDAwMDBaMBYxFDAS
BgNVBAMTC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBZu
7cbpAYNXZLbbh8rNIzuOoqOOtmxA1v7cRm//AwyMwWxyHz4zfwmBhcSrf47NUAFf
qzLQ2PPQxdTXREYEnKMjMCEwHwYDVR0jBBgwFoAUaYhba4dGQEHhs3uEe6CuLN4B
yNQwCgYIKoZIzj0EAwIDRwAwRAIge09+S5TZAlw5tgtiVvuERV6cT4mfutXIlwTb
+FYN/8oCIClDsqBklhB9KAelFiYt9+6FDj3z4KGVelYM5MdsO3pK
-----END CERTIFICATE-----
`;

describe('a certificate', () => {
  test('names its authority and itself as RFC 9773 appendix A reads them', () => {
    const identity = readIdentity(new X509Certificate(EXAMPLE));
    expect(identity?.authorityKeyId.toString('hex')).toBe('69885b6b87464041e1b37b847ba0ae2cde01c8d4');
    expect(identity?.serial.toString('hex')).toBe('0087654321');
  });

  test('that was damaged anywhere is read, or not, and nothing else happens', () => {
    const der = new X509Certificate(EXAMPLE).raw;
    fc.assert(
      fc.property(fc.nat(der.length - 1), fc.nat(255), (at, octet) => {
        const raw = Buffer.from(der);
        raw[at] = octet;
        const damaged = Object.create(X509Certificate.prototype, { raw: { value: raw } });
        const identity = readIdentity(damaged);
        if (identity !== null) expect(identity.authorityKeyId).toBeInstanceOf(Buffer);
      }),
      { numRuns: 2000 },
    );
  });

  test('has a serial number of its own', () => {
    const serials = Array.from({ length: 50 }, () => {
      const made = createServerCertificate({ hostname, key }, { ...validity, signer });
      return new X509Certificate(made).serialNumber;
    });
    expect(new Set(serials).size).toBe(50);
    for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9A-F]{31}$/);
  });

  test('is DER to the last octet', () => {
    const der = new X509Certificate(leaf).raw;
    expect(readElements(der)).toMatchObject([{ tag: 0x30, whole: der }]);
  });
});

describe('a chain', () => {
  const wanted = { hostname, key, now: NOW };

  test('for the name and the key is accepted, without the other text around it', () => {
    const text = `issued by somebody\r\n${leaf}\nand above:\n${root}<script>`;
    const { chain, notBefore, notAfter } = readChain(text, wanted);
    expect(chain).toBe(leaf + root);
    expect({ notBefore, notAfter }).toEqual(validity);
  });

  const other = readPrivateKey(newPrivateKey());
  test.each([
    ['of another name', leaf, { ...wanted, hostname: 'example.com' }, 'wrong'],
    ['of another key', leaf, { ...wanted, key: other }, 'wrong'],
    ['that begins with another certificate', root + leaf, wanted, 'wrong'],
    ['that has ended', leaf, { ...wanted, now: validity.notAfter }, 'expired'],
    ['of nothing', 'not found', wanted, 'unreadable'],
    ['that is cut off', leaf.slice(0, 300), wanted, 'unreadable'],
    ['that is damaged', leaf + root.replace(/\nMII/, '\nAAA'), wanted, 'unreadable'],
    ['without an end', leaf.repeat(11), wanted, 'unreadable'],
  ])('%s is not', (_, text, about, fault) => {
    const refused = (() => {
      try {
        return readChain(text, about);
      } catch (error) {
        return error;
      }
    })();
    expect(refused).toBeInstanceOf(ChainRefused);
    expect(refused).toMatchObject({ fault });
  });
});
