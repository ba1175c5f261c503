import { createDecipheriv, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SecretPlace } from '../store.ts';
import { createKey, createKeyring, isPlaintext, type KeySource, keyIdOf, parseKeys, SealingError } from './keyring.ts';

const key = (fill: string) => new Uint8Array(Buffer.alloc(32, fill));
const [A, B, C] = [key('a'), key('b'), key('c')];
const ring = (...keys: Uint8Array[]) => createKeyring({ name: 'the test', keys: () => keys });
const place: SecretPlace = { kind: 'certificate', id: 'shop.acme.com' };
const secret = new Uint8Array(Buffer.from('a private key, as it were'));

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(SealingError);
    return (error as Error).message;
  }
  throw new Error('it was not refused');
}

describe('a sealed secret', () => {
  it('is sealed under the first key, and can be unsealed under any', () => {
    const before = ring(A).seal(secret, place);
    const after = ring(B, A).seal(secret, place);
    for (const sealed of [before, after]) expect(ring(B, A).unseal(sealed, place)).toEqual(secret);
    expect(messageOf(() => ring(A).unseal(after, place))).toContain(keyIdOf(ring(B).prefix()));
  });

  it('may be empty, and may be long', () => {
    for (const plain of [new Uint8Array(), new Uint8Array(100_000).fill(7)]) {
      expect(ring(A).unseal(ring(A).seal(plain, place), place)).toEqual(plain);
    }
  });

  it('is format, key id, nonce, ciphertext and tag of AES-256-GCM', () => {
    const sealed = createKeyring({ name: 'the test', keys: () => [A] }, (bytes) => new Uint8Array(bytes).fill(9)).seal(
      secret,
      place,
    );
    expect(sealed[0]).toBe(1);
    expect(sealed.subarray(0, 9)).toEqual(ring(A).prefix());
    expect(sealed.subarray(9, 21)).toEqual(new Uint8Array(12).fill(9));
    expect(sealed.length).toBe(21 + secret.length + 16);
    const decipher = createDecipheriv('aes-256-gcm', A, sealed.subarray(9, 21));
    decipher.setAAD(Buffer.concat([sealed.subarray(0, 9), Buffer.from('["certificate","shop.acme.com"]')]));
    decipher.setAuthTag(sealed.subarray(-16));
    expect(new Uint8Array(Buffer.concat([decipher.update(sealed.subarray(21, -16)), decipher.final()]))).toEqual(
      secret,
    );
  });

  it('has a new nonce each time', () => {
    const nonces = Array.from({ length: 1000 }, () => Buffer.from(ring(A).seal(secret, place)).toString('hex', 9, 21));
    expect(new Set(nonces).size).toBe(1000);
  });

  it.each([
    { kind: 'certificate', id: 'other.acme.com' },
    { kind: 'order', id: 'shop.acme.com' },
    { kind: 'certificates' as 'certificate', id: 'hop.acme.com' },
  ] satisfies SecretPlace[])('cannot be unsealed in another place (%o)', (other) => {
    expect(messageOf(() => ring(A).unseal(ring(A).seal(secret, place), other))).toMatch(/changed or moved/);
  });

  it('cannot be unsealed after any bit has changed, or when it is cut', () => {
    const sealed = ring(A).seal(secret, place);
    for (let i = 0; i < sealed.length * 8; i++) {
      const changed = Uint8Array.from(sealed);
      changed[i >> 3] = (changed[i >> 3] ?? 0) ^ (1 << (i & 7));
      expect(() => ring(A).unseal(changed, place), `bit ${i}`).toThrow(SealingError);
    }
    for (let length = 0; length < sealed.length; length++) {
      expect(() => ring(A).unseal(sealed.subarray(0, length), place), `${length} bytes`).toThrow(SealingError);
    }
  });

  it('whose key is missing is an error with the id of that key and what to do, and without any key or secret', () => {
    const message = messageOf(() => ring(B, C).unseal(ring(A).seal(secret, place), place));
    expect(message).toBe(
      `the private key of certificate shop.acme.com is sealed under the key ${keyIdOf(ring(A).prefix())}, which the test does not have: add that key there, after the first one; restore it from your copy if it is missing`,
    );
    for (const each of [A, B, C]) expect(message).not.toContain(Buffer.from(each).toString('base64').slice(0, 8));
  });
});

describe('a keyring', () => {
  it('without keys cannot seal, and its error says how to create a key', () => {
    expect(messageOf(() => ring().seal(secret, place))).toMatch(/the test has no key.*"nameplate sealing key"/);
    expect(messageOf(() => ring().prefix())).toMatch(/has no key/);
  });

  it('seals under a new first key, and unseals under a key that was added', () => {
    let keys = [A];
    const asked: string[] = [];
    const source: KeySource = {
      name: 'the test',
      keys(purpose) {
        asked.push(purpose);
        return keys;
      },
    };
    const running = createKeyring(source);
    running.seal(secret, place);
    const elsewhere = ring(B, A).seal(secret, place);
    keys = [B, A];
    expect(running.unseal(elsewhere, place)).toEqual(secret);
    expect(running.prefix()).toEqual(ring(B).prefix());
    expect(running.seal(secret, place).subarray(0, 9)).toEqual(ring(B).prefix());
    expect(asked).toEqual(['seal', 'unseal', 'seal', 'seal']);
  });

  it('tells by the prefix whether a secret can be unsealed', () => {
    expect(ring(B, A).canUnseal(ring(A).prefix())).toBe(true);
    expect(ring(B).canUnseal(ring(A).prefix())).toBe(false);
  });

  it('recognises a plaintext private key, and returns it as it is', () => {
    for (const { privateKey } of [generateKeyPairSync('ed25519'), generateKeyPairSync('ec', { namedCurve: 'P-256' })]) {
      const der = new Uint8Array(privateKey.export({ type: 'pkcs8', format: 'der' }));
      expect(isPlaintext(der)).toBe(true);
      expect(isPlaintext(ring(A).seal(der, place))).toBe(false);
      expect(ring().canUnseal(der.subarray(0, 9))).toBe(true);
      expect(ring().unseal(der, place)).toEqual(der);
    }
  });
});

describe('configured keys', () => {
  it('are 32 bytes in base64, separated by commas or white space', () => {
    const [a, b] = [createKey(), createKey()];
    expect(parseKeys(`${a},${b}`)).toEqual([a, b].map((item) => new Uint8Array(Buffer.from(item, 'base64'))));
    expect(parseKeys(`\n${a}\r\n\n ${b} ,\n`)).toHaveLength(2);
    expect(parseKeys(' \n')).toEqual([]);
  });

  it.each([
    ['too short', createKey().slice(4)],
    ['too long', `${createKey()}AAAA`],
    ['not padded', createKey().replace('=', '')],
    ['of other characters', `${'-'.repeat(43)}=`],
    ['of another length of key', Buffer.alloc(16).toString('base64')],
  ])('that are %s are rejected without being shown', (_, text) => {
    const message = messageOf(() => parseKeys(text));
    expect(message).toMatch(/^NAMEPLATE_ENCRYPTION_KEY contains something that is not a key/);
    expect(message).not.toContain(text);
  });
});
