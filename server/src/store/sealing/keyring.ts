import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import type { SecretPlace } from '../store.ts';

/**
 * Encryption at rest: AES-256-GCM under one of several key-encryption keys. A sealed secret is a record of format (1 byte), key id (8),
 * nonce (12), ciphertext, tag (16). The format, the key id and the place of the secret are authenticated, so that no record can be unsealed
 * in the place of another.
 */

/** A secret of the store, or a block of the edge cache's file. */
export type SealedPlace = SecretPlace | { kind: 'edge_cache'; id: string };

export interface Keyring {
  /** Seals under the first key. Throws `SealingError`. */
  seal(plaintext: Uint8Array, place: SealedPlace): Uint8Array;
  /** Unseals under any of the keys; plaintext is returned as it is. Throws `SealingError`. */
  unseal(secret: Uint8Array, place: SealedPlace): Uint8Array;
  /** The first `PREFIX_LENGTH` bytes of what the first key seals. Throws `SealingError`. */
  prefix(): Uint8Array;
  /** Whether a secret with this prefix is plaintext, or sealed under one of the keys. */
  canUnseal(prefix: Uint8Array): boolean;
  /** A code of 32 bytes that only holders of the key with this prefix can make for a text (HMAC-SHA256); null: there is no such key. */
  authenticate(text: string, prefix: Uint8Array): Uint8Array | null;
}

/** A secret cannot be sealed or unsealed. The message says what to do, and contains no secret. */
export class SealingError extends Error {
  override name = 'SealingError';
}

/** Where keys come from: read before each seal, and to unseal under an unknown key, since keys may have been added. */
export interface KeySource {
  /** For people: the name of a variable or a file. */
  name: string;
  /** The first one seals, all of them unseal. `unseal`: must not create a key. */
  keys(purpose: 'seal' | 'unseal'): readonly Uint8Array[];
}

const KEY_LENGTH = 32;
const PREFIX_LENGTH = 9;
const FORMAT = 1;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
const ALGORITHM = 'aes-256-gcm';
/** A plaintext private key is DER, which begins with the tag of a sequence. */
const DER_SEQUENCE = 0x30;

/** A new key, as it is configured: in base64. */
export function createKey(random: (bytes: number) => Uint8Array = randomBytes): string {
  return Buffer.from(random(KEY_LENGTH)).toString('base64');
}

/** Keys in base64, separated by commas or white space; `where` is the variable or file, for people. Throws `SealingError`. */
export function parseKeys(text: string, where = 'NAMEPLATE_ENCRYPTION_KEY'): Uint8Array[] {
  return text
    .split(/[\s,]+/)
    .filter((item) => item !== '')
    .map((item) => {
      const key = new Uint8Array(Buffer.from(item, 'base64'));
      // Node skips whatever is not base64.
      if (key.length === KEY_LENGTH && Buffer.from(key).toString('base64') === item) return key;
      throw new SealingError(
        `${where} contains something that is not a key, which is 32 bytes in base64 (44 characters): "nameplate sealing key" prints a new one`,
      );
    });
}

/** Whether a release without sealing wrote the secret. */
export function isPlaintext(secret: Uint8Array): boolean {
  return secret[0] === DER_SEQUENCE;
}

/** The id of the key that secrets with this prefix are sealed under, for people; null: plaintext. */
export function keyIdOf(prefix: Uint8Array): string | null {
  return isPlaintext(prefix) ? null : hex(prefix.subarray(1, PREFIX_LENGTH));
}

/** `random` returns as many random bytes as it is asked for: the nonces. */
export function createKeyring(source: KeySource, random: (bytes: number) => Uint8Array = randomBytes): Keyring {
  /** Grows only: what is stored may be sealed under a key that the source has no more. */
  const byPrefix = new Map<string, KeyObject>();

  /** Reads the source; returns the prefix of the first key. */
  function readKeys(purpose: 'seal' | 'unseal'): string | undefined {
    const prefixes = source.keys(purpose).map((key) => {
      const prefix = hex(prefixOf(key));
      byPrefix.set(prefix, createSecretKey(key));
      return prefix;
    });
    return prefixes[0];
  }

  function firstKey(): { key: KeyObject; prefix: Uint8Array } {
    const prefix = readKeys('seal');
    const key = prefix === undefined ? undefined : byPrefix.get(prefix);
    if (prefix === undefined || key === undefined) {
      throw new SealingError(
        `a secret cannot be sealed, since ${source.name} has no key: "nameplate sealing key" prints one`,
      );
    }
    return { key, prefix: Buffer.from(prefix, 'hex') };
  }

  function findKey(prefix: Uint8Array): KeyObject | undefined {
    if (!byPrefix.has(hex(prefix))) readKeys('unseal');
    return byPrefix.get(hex(prefix));
  }

  return {
    seal(plaintext, place) {
      const { key, prefix } = firstKey();
      const nonce = random(NONCE_LENGTH);
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_LENGTH });
      cipher.setAAD(authenticated(prefix, place));
      const sealed = [cipher.update(plaintext), cipher.final()];
      return new Uint8Array(Buffer.concat([prefix, nonce, ...sealed, cipher.getAuthTag()]));
    },
    unseal(secret, place) {
      if (isPlaintext(secret)) return secret;
      const prefix = secret.subarray(0, PREFIX_LENGTH);
      const body = secret.subarray(PREFIX_LENGTH + NONCE_LENGTH, -TAG_LENGTH);
      if (secret[0] !== FORMAT || secret.length < PREFIX_LENGTH + NONCE_LENGTH + TAG_LENGTH) throw damaged(place);
      const key = findKey(prefix);
      if (key === undefined) throw missing(source, place, prefix);
      const nonce = secret.subarray(PREFIX_LENGTH, PREFIX_LENGTH + NONCE_LENGTH);
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_LENGTH });
      decipher.setAAD(authenticated(prefix, place)).setAuthTag(secret.subarray(-TAG_LENGTH));
      try {
        return new Uint8Array(Buffer.concat([decipher.update(body), decipher.final()]));
      } catch {
        throw damaged(place);
      }
    },
    prefix: () => new Uint8Array(firstKey().prefix),
    canUnseal: (prefix) => isPlaintext(prefix) || findKey(prefix) !== undefined,
    authenticate(text, prefix) {
      const key = findKey(prefix);
      // The label keeps this apart from all else that the key is used for.
      return key === undefined
        ? null
        : createHmac('sha256', key).update(`nameplate: authenticated text: ${text}`).digest();
    },
  };
}

/** Format and key id; the id reveals nothing of the key. */
function prefixOf(key: Uint8Array): Uint8Array {
  const id = createHmac('sha256', key).update('nameplate: id of a sealing key').digest();
  return Buffer.concat([Buffer.of(FORMAT), id.subarray(0, PREFIX_LENGTH - 1)]);
}

/** These keep their seal: the store moves them, and cannot unseal them. */
const MOVED: Partial<Record<SealedPlace['kind'], SealedPlace['kind']>> = {
  inherited_certificate: 'certificate',
  fallback_certificate: 'certificate',
  deleted_certificate: 'certificate',
  staged_certificate: 'certificate',
  previous_origin_secret: 'origin_secret',
};

function authenticated(prefix: Uint8Array, { kind, id }: SealedPlace): Uint8Array {
  const sealedAs = MOVED[kind] ?? kind;
  return Buffer.concat([prefix, Buffer.from(JSON.stringify([sealedAs, id]))]);
}

function missing({ name }: KeySource, place: SealedPlace, prefix: Uint8Array): SealingError {
  return new SealingError(
    `${describeSecret(place)} is sealed under the key ${keyIdOf(prefix)}, which ${name} does not have: add that key there, after the first one; restore it from your copy if it is missing`,
  );
}

function damaged(place: SealedPlace): SealingError {
  return new SealingError(
    `${describeSecret(place)} cannot be unsealed: it was changed or moved; restore a backup, or have another issued`,
  );
}

function describeSecret(place: SealedPlace): string {
  if (place.kind === 'edge_cache') return 'the edge cache';
  if (place.kind.endsWith('_secret')) return `the ${describePlace(place as SecretPlace)}`;
  return `${place.kind === 'idempotency_key' ? 'what is kept under' : 'the private key of'} ${describePlace(place)}`;
}

/** For people. */
export function describePlace({ kind, id }: SecretPlace): string {
  return `${kind.replaceAll('_', ' ')} ${id}`;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
