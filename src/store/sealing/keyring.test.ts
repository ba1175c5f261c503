import { createDecipheriv, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createKey, createKeyring, isClear, type KeySource, keyIdIn, parseKeys, SealingProblem } from './keyring.ts';

const key = (fill: string) => new Uint8Array(Buffer.alloc(32, fill));
const [A, B, C] = [key('a'), key('b'), key('c')];
const ring = (...keys: Uint8Array[]) => createKeyring({ name: 'the test', keys: () => keys });
const place = { kind: 'certificate', id: 'shop.acme.com' };
const secret = new Uint8Array(Buffer.from('a private key, as it were'));

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(SealingProblem);
    return (error as Error).message;
  }
  throw new Error('it was not refused');
}

describe('a sealed secret', () => {
  it('opens under any of the keys, and is sealed under the first', () => {
    const before = ring(A).seal(secret, place);
    const after = ring(B, A).seal(secret, place);
    for (const sealed of [before, after]) expect(ring(B, A).open(sealed, place)).toEqual(secret);
    expect(messageOf(() => ring(A).open(after, place))).toContain(keyIdIn(ring(B).prefix()));
  });

  it('may be empty, and may be long', () => {
    for (const plain of [new Uint8Array(), new Uint8Array(100_000).fill(7)]) {
      expect(ring(A).open(ring(A).seal(plain, place), place)).toEqual(plain);
    }
  });

  it('is format, id of the key, nonce, ciphertext and tag, as AES-256-GCM makes them of the key itself', () => {
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

  it('is another each time, with a nonce of its own', () => {
    const nonces = Array.from({ length: 1000 }, () => Buffer.from(ring(A).seal(secret, place)).toString('hex', 9, 21));
    expect(new Set(nonces).size).toBe(1000);
  });

  it.each([
    { kind: 'certificate', id: 'other.acme.com' },
    { kind: 'order', id: 'shop.acme.com' },
    { kind: 'certificates', id: 'hop.acme.com' },
  ])('does not open in another place (%o)', (other) => {
    expect(messageOf(() => ring(A).open(ring(A).seal(secret, place), other))).toMatch(/changed, or moved/);
  });

  it('does not open once any of its bits has changed, or when it is cut', () => {
    const sealed = ring(A).seal(secret, place);
    for (let i = 0; i < sealed.length * 8; i++) {
      const changed = Uint8Array.from(sealed);
      changed[i >> 3] = (changed[i >> 3] ?? 0) ^ (1 << (i & 7));
      expect(() => ring(A).open(changed, place), `bit ${i}`).toThrow(SealingProblem);
    }
    for (let length = 0; length < sealed.length; length++) {
      expect(() => ring(A).open(sealed.subarray(0, length), place), `${length} bytes`).toThrow(SealingProblem);
    }
  });

  it('whose key is missing is told by the id of that key, with what to do, and without any key or secret', () => {
    const message = messageOf(() => ring(B, C).open(ring(A).seal(secret, place), place));
    expect(message).toBe(
      `the private key of certificate shop.acme.com is sealed under the key ${keyIdIn(ring(A).prefix())}, which the test does not have: add that key there, after the first one, or restore it from where it was kept`,
    );
    for (const each of [A, B, C]) expect(message).not.toContain(Buffer.from(each).toString('base64').slice(0, 8));
  });
});

describe('a keyring', () => {
  it('without keys seals nothing, and says how to make one', () => {
    expect(messageOf(() => ring().seal(secret, place))).toMatch(/the test has no key .*"nameplate sealing key"/);
    expect(messageOf(() => ring().prefix())).toMatch(/has no key/);
  });

  it('seals under a key that has become the first, and opens what is sealed under one that was added', () => {
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
    expect(running.open(elsewhere, place)).toEqual(secret);
    expect(running.prefix()).toEqual(ring(B).prefix());
    expect(running.seal(secret, place).subarray(0, 9)).toEqual(ring(B).prefix());
    expect(asked).toEqual(['seal', 'open', 'seal', 'seal']);
  });

  it('knows by its beginning whether a secret can be opened', () => {
    expect(ring(B, A).knows(ring(A).prefix())).toBe(true);
    expect(ring(B).knows(ring(A).prefix())).toBe(false);
  });

  it('takes a private key in clear for what it is, and nothing that it sealed', () => {
    for (const { privateKey } of [generateKeyPairSync('ed25519'), generateKeyPairSync('ec', { namedCurve: 'P-256' })]) {
      const der = new Uint8Array(privateKey.export({ type: 'pkcs8', format: 'der' }));
      expect(isClear(der)).toBe(true);
      expect(isClear(ring(A).seal(der, place))).toBe(false);
      expect(ring().knows(der.subarray(0, 9))).toBe(true);
    }
  });
});

describe('keys as they are configured', () => {
  it('are 32 bytes in base64, with commas or white space between them', () => {
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
  ])('that are %s are refused without being shown', (_, text) => {
    const message = messageOf(() => parseKeys(text));
    expect(message).toMatch(/^NAMEPLATE_ENCRYPTION_KEY holds something that is no key/);
    expect(message).not.toContain(text);
  });
});
