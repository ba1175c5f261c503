import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRootKey, hashRootKey, isRootKey } from './secret-text.ts';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const keys = fc.uint8Array({ minLength: 24, maxLength: 24 }).map((bytes) => createRootKey(() => bytes));

describe('root keys', () => {
  it('begin with np_ and have 42 characters, all of base58', () => {
    fc.assert(fc.property(keys, ({ key }) => new RegExp(`^np_[${ALPHABET}]{39}$`).test(key)));
  });

  // Computed with another program: zlib's CRC-32 and base58 in Python.
  it.each([
    [new Uint8Array(24), 'np_1111111111111111111111111111111112cy26Y'],
    [new Uint8Array(24).fill(255), 'np_QLbz7JHiBTspS962RLKV8GndWFwiEaqKL412bCE'],
    [Uint8Array.from({ length: 24 }, (_, i) => i), 'np_112D2adLM3UKy4Z4giRbReR6gjWrtsxoG1fctns'],
  ])('are the same for the same random bytes', (bytes, key) => {
    expect(createRootKey(() => bytes).key).toBe(key);
  });

  it('are taken for keys', () => {
    fc.assert(fc.property(keys, ({ key }) => isRootKey(key)));
  });

  it('are stored as nothing but their SHA-256 and first characters', () => {
    const { key, hash, start } = createRootKey(randomBytes);
    expect(Buffer.from(hash).toString('hex')).toBe(createHash('sha256').update(key).digest('hex'));
    expect(hashRootKey(key)).toBe(Buffer.from(hash).toString('hex'));
    expect(start).toBe(key.slice(0, 8));
  });

  it('are not taken for keys with one character mistyped', () => {
    const mistyped = fc
      .tuple(keys, fc.integer({ min: 3, max: 41 }), fc.constantFrom(...ALPHABET))
      .filter(([{ key }, at, character]) => key.charAt(at) !== character);
    fc.assert(
      fc.property(mistyped, ([{ key }, at, character]) => !isRootKey(key.slice(0, at) + character + key.slice(at + 1))),
    );
  });

  it('are not taken for keys with two neighbouring characters of the secret exchanged', () => {
    const exchanged = fc
      .tuple(keys, fc.integer({ min: 3, max: 34 }))
      .filter(([{ key }, at]) => key.charAt(at) !== key.charAt(at + 1));
    fc.assert(
      fc.property(
        exchanged,
        ([{ key }, at]) => !isRootKey(key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2)),
      ),
    );
  });

  it.each(['', 'np_', 'np', 'xx_1111111111111111111111111111111112cy26Y', 'np_'.padEnd(42, '0'), ' np_', 'np_\n'])(
    'are not %j',
    (text) => {
      expect(isRootKey(text)).toBe(false);
    },
  );

  it('are not a key with something around it', () => {
    const { key } = createRootKey(randomBytes);
    for (const text of [` ${key}`, `${key}\n`, `${key}1`, key.slice(1), key.slice(0, -1), key.toUpperCase()]) {
      expect(isRootKey(text)).toBe(false);
    }
  });
});
