import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * Root keys. A key is `np_`, 33 characters that hold 24 random bytes, and 6 that hold the CRC-32 of the 33: all base58 (the alphabet
 * without 0, O, I and l), each part padded on the left with `1`. The checksum tells a mistyped or invented key without a look-up; it is
 * no secret and proves nothing. Only the SHA-256 of the whole key is ever stored.
 */
export interface NewRootKey {
  /** The secret itself: shown once, kept nowhere. */
  key: string;
  /** SHA-256 of the key: 32 bytes. */
  hash: Uint8Array;
  /** First characters, for telling keys apart. */
  start: string;
}

const PREFIX = 'np_';
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const SECRET_BYTES = 24;
const SECRET_CHARACTERS = 33;
const CHECKSUM_CHARACTERS = 6;
const FORM = new RegExp(`^${PREFIX}[${ALPHABET}]{${SECRET_CHARACTERS + CHECKSUM_CHARACTERS}}$`);
const START_CHARACTERS = 8;

/** Makes a root key out of 24 bytes of `randomBytes`, which must be a CSPRNG. */
export function createRootKey(randomBytes: (bytes: number) => Uint8Array): NewRootKey {
  const secret = base58(bigEndian(randomBytes(SECRET_BYTES)), SECRET_CHARACTERS);
  const key = PREFIX + secret + checksum(secret);
  return { key, hash: Buffer.from(hashRootKey(key), 'hex'), start: key.slice(0, START_CHARACTERS) };
}

/** Whether a text has a key's form and its checksum is right. Says nothing about whether the key exists. */
export function isRootKey(text: string): boolean {
  if (!FORM.test(text)) return false;
  const end = PREFIX.length + SECRET_CHARACTERS;
  return checksum(text.slice(PREFIX.length, end)) === text.slice(end);
}

/** SHA-256 of a key, in hex. Look-ups compare this, so their time says nothing about the keys that exist. */
export function hashRootKey(key: string): string {
  return hash('sha256', key, 'hex');
}

function checksum(secret: string): string {
  return base58(BigInt(crc32(secret)), CHECKSUM_CHARACTERS);
}

function base58(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 58n) text = ALPHABET.charAt(Number(rest % 58n)) + text;
  return text;
}

function bigEndian(bytes: Uint8Array): bigint {
  return bytes.reduce((value, byte) => value * 256n + BigInt(byte), 0n);
}
