import { hashSecret, secretForm } from './secret-text.ts';

/** A root key is `np_` and 39 characters, see `secretForm`. */
interface NewRootKey {
  /** The secret: shown once, never stored. */
  key: string;
  /** SHA-256 of the key: 32 bytes. */
  hash: Uint8Array;
  /** First characters, to tell keys apart. */
  start: string;
}

const FORM = secretForm('np_');
const START_CHARACTERS = 8;

/** Of every key. */
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

/** SHA-256 of a key, in hex. Lookups compare it, so their time reveals nothing about existing keys. */
export const hashRootKey = hashSecret;
