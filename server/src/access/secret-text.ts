import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * Secrets that are shown once: a prefix, 33 characters that encode 24 random bytes, and 6 that encode the CRC-32 of the
 * 33: all base58 (without 0, O, I and l), each part padded on the left with `1`. The checksum detects a mistyped secret
 * without a lookup; it proves nothing. Only the SHA-256 of the whole is stored.
 */
interface SecretForm {
  /** Every secret of this form has this many characters. */
  length: number;
  /** Makes one of 24 bytes from `randomBytes`, which must be a CSPRNG. */
  create(randomBytes: (bytes: number) => Uint8Array): string;
  /** Whether a text has the form and the checksum, existing or not. */
  matches(text: string): boolean;
}

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const SECRET_BYTES = 24;
const SECRET_CHARACTERS = 33;
const CHECKSUM_CHARACTERS = 6;

export function secretForm(prefix: string): SecretForm {
  const form = new RegExp(`^${prefix}[${ALPHABET}]{${SECRET_CHARACTERS + CHECKSUM_CHARACTERS}}$`);
  const end = prefix.length + SECRET_CHARACTERS;
  return {
    length: end + CHECKSUM_CHARACTERS,
    create(randomBytes) {
      const secret = base58(bigEndian(randomBytes(SECRET_BYTES)), SECRET_CHARACTERS);
      return prefix + secret + checksum(secret);
    },
    matches: (text) => form.test(text) && checksum(text.slice(prefix.length, end)) === text.slice(end),
  };
}

/** SHA-256 of a secret, in hex. Lookups compare it, so their time reveals nothing about existing secrets. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
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

/** A root key is `np_` and 39 characters, see `secretForm`. */
interface NewRootKey {
  /** The secret: shown once, never stored. */
  key: string;
  /** SHA-256 of the key: 32 bytes. */
  hash: Uint8Array;
  /** First characters, to tell keys apart. */
  start: string;
}

const PREFIX = 'np_';
const FORM = secretForm(PREFIX);
const START_CHARACTERS = 8;

/** Every key has this many characters. */
export const ROOT_KEY_LENGTH = FORM.length;

/** A root key of 24 bytes from `randomBytes`, which must be a CSPRNG. */
export function createRootKey(randomBytes: (bytes: number) => Uint8Array): NewRootKey {
  const key = FORM.create(randomBytes);
  return { key, hash: Buffer.from(hashRootKey(key), 'hex'), start: key.slice(0, START_CHARACTERS) };
}

/** Whether a text has the form and the checksum of a key, existing or not. */
export function isRootKey(text: string): boolean {
  return FORM.matches(text);
}

/** Whether a text begins like a key, whatever follows. */
export function isMeantAsKey(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** SHA-256 of a key, in hex. Lookups compare it, so their time reveals nothing about existing keys. */
export const hashRootKey = hashSecret;
