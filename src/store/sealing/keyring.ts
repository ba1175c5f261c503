import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

/**
 * Secrets at rest: AES-256-GCM under one of several keys. A sealed secret is a record of format (1 byte), id of the key (8), nonce (12),
 * ciphertext, tag (16). The format, the key and the place where the secret lies are authenticated with it, so that no record opens in the
 * place of another.
 */

/** Where a secret lies: a record opens there and nowhere else. */
export interface Place {
  kind: string;
  id: string;
}

export interface Keyring {
  /** Seals under the first key. Throws `SealingProblem`. */
  seal(plain: Uint8Array, place: Place): Uint8Array;
  /** Opens what was sealed under any of the keys. Throws `SealingProblem`. */
  open(sealed: Uint8Array, place: Place): Uint8Array;
  /** What a record begins with that is sealed under the first key; `PREFIX_LENGTH` bytes. Throws `SealingProblem`. */
  prefix(): Uint8Array;
  /** Whether the keys open records that begin so. */
  knows(prefix: Uint8Array): boolean;
}

/** A secret cannot be sealed or opened. The message says what to do, and holds nothing secret. */
export class SealingProblem extends Error {
  override name = 'SealingProblem';
}

/** Where keys come from: asked before each sealing, and when a key is met that is not known, since keys may have been added. */
export interface KeySource {
  /** For people, such as the name of a variable or a file. */
  name: string;
  /** The first one seals, all of them open. `open`: nothing new is to be made. */
  keys(purpose: 'seal' | 'open'): readonly Uint8Array[];
}

export const KEY_LENGTH = 32;
export const PREFIX_LENGTH = 9;
const FORMAT = 1;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
const ALGORITHM = 'aes-256-gcm';
/** A private key in clear is DER, which begins with the tag of a sequence. */
const DER_SEQUENCE = 0x30;

/** A new key, as it is configured: in base64. */
export function createKey(random: (bytes: number) => Uint8Array = randomBytes): string {
  return Buffer.from(random(KEY_LENGTH)).toString('base64');
}

/** Keys in base64, with commas or white space between them; `where` is where they stand, for people. Throws `SealingProblem`. */
export function parseKeys(text: string, where = 'NAMEPLATE_ENCRYPTION_KEY'): Uint8Array[] {
  return text
    .split(/[\s,]+/)
    .filter((item) => item !== '')
    .map((item) => {
      const key = new Uint8Array(Buffer.from(item, 'base64'));
      // Node skips whatever is not base64.
      if (key.length === KEY_LENGTH && Buffer.from(key).toString('base64') === item) return key;
      throw new SealingProblem(
        `${where} holds something that is no key, which is 32 bytes in base64 (44 characters): "nameplate sealing key" prints a new one`,
      );
    });
}

/** Whether a secret was written before there was sealing. */
export function isClear(secret: Uint8Array): boolean {
  return secret[0] === DER_SEQUENCE;
}

/** The id of the key that records with this prefix are sealed under, for people; null where they are in clear. */
export function keyIdIn(prefix: Uint8Array): string | null {
  return isClear(prefix) ? null : hex(prefix.subarray(1, PREFIX_LENGTH));
}

/** `random` yields the nonces: as many random bytes as it is asked for. */
export function createKeyring(source: KeySource, random: (bytes: number) => Uint8Array = randomBytes): Keyring {
  let known = new Map<string, KeyObject>();

  function read(purpose: 'seal' | 'open'): string | undefined {
    const keys = source.keys(purpose);
    known = new Map(keys.map((key) => [hex(prefixOf(key)), createSecretKey(key)]));
    return known.keys().next().value;
  }

  function first(): { key: KeyObject; prefix: Uint8Array } {
    const prefix = read('seal');
    const key = prefix === undefined ? undefined : known.get(prefix);
    if (prefix === undefined || key === undefined) {
      throw new SealingProblem(
        `a private key cannot be sealed, since ${source.name} has no key to seal it with: "nameplate sealing key" prints one`,
      );
    }
    return { key, prefix: Buffer.from(prefix, 'hex') };
  }

  function find(prefix: Uint8Array): KeyObject | undefined {
    const name = hex(prefix);
    if (!known.has(name)) read('open');
    return known.get(name);
  }

  return {
    seal(plain, place) {
      const { key, prefix } = first();
      const nonce = random(NONCE_LENGTH);
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_LENGTH });
      cipher.setAAD(boundTo(prefix, place));
      const sealed = [cipher.update(plain), cipher.final()];
      return new Uint8Array(Buffer.concat([prefix, nonce, ...sealed, cipher.getAuthTag()]));
    },
    open(sealed, place) {
      const prefix = sealed.subarray(0, PREFIX_LENGTH);
      const body = sealed.subarray(PREFIX_LENGTH + NONCE_LENGTH, -TAG_LENGTH);
      if (sealed[0] !== FORMAT || sealed.length < PREFIX_LENGTH + NONCE_LENGTH + TAG_LENGTH) throw damaged(place);
      const key = find(prefix);
      if (key === undefined) throw missing(source, place, prefix);
      const nonce = sealed.subarray(PREFIX_LENGTH, PREFIX_LENGTH + NONCE_LENGTH);
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_LENGTH });
      decipher.setAAD(boundTo(prefix, place)).setAuthTag(sealed.subarray(-TAG_LENGTH));
      try {
        return new Uint8Array(Buffer.concat([decipher.update(body), decipher.final()]));
      } catch {
        throw damaged(place);
      }
    },
    prefix: () => new Uint8Array(first().prefix),
    knows: (prefix) => isClear(prefix) || find(prefix) !== undefined,
  };
}

/** Format and id of the key, which tells nothing about the key. */
function prefixOf(key: Uint8Array): Uint8Array {
  const id = createHmac('sha256', key).update('nameplate: id of a sealing key').digest();
  return Buffer.concat([Buffer.of(FORMAT), id.subarray(0, PREFIX_LENGTH - 1)]);
}

function boundTo(prefix: Uint8Array, { kind, id }: Place): Uint8Array {
  return Buffer.concat([prefix, Buffer.from(JSON.stringify([kind, id]))]);
}

function missing({ name }: KeySource, place: Place, prefix: Uint8Array): SealingProblem {
  return new SealingProblem(
    `the private key of ${nameOf(place)} is sealed under the key ${keyIdIn(prefix)}, which ${name} does not have: add that key there, after the first one, or restore it from where it was kept`,
  );
}

function damaged(place: Place): SealingProblem {
  return new SealingProblem(
    `the private key of ${nameOf(place)} cannot be opened: it was changed, or moved from elsewhere; restore a backup, or have another made`,
  );
}

/** For people. */
export function nameOf({ kind, id }: Place): string {
  return `${kind.replace('_', ' ')} ${id}`;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
