import { joinList } from '../../domain/text.ts';
import type { SecretStore, StoredSecret } from '../store.ts';
import { describePlace, isPlaintext, type Keyring, keyIdOf, SealingError } from './keyring.ts';

/**
 * Re-seals under the first key everything that is not. It can be interrupted and run again, and others may use the store meanwhile.
 * `onProgress` gets the number of secrets done. When all that any key unseals is done, rejects with `SealingError` if anything is left.
 */
export async function rotateSecrets(
  store: SecretStore,
  keyring: Keyring,
  onProgress: (done: number) => void = () => {},
): Promise<number> {
  const isOld = (prefix: Uint8Array) => !isSame(prefix, keyring.prefix());
  const { done, damaged } = await reseal(store, keyring, isOld, onProgress);
  const [missing] = await missingKeys(store, keyring);
  const problems: string[] = [];
  if (missing !== undefined) {
    problems.push(
      `secrets remain that are sealed under the key ${missing}, which is not among the configured ones: add it after the first one, then try again`,
    );
  }
  if (damaged.length > 0) {
    problems.push(
      `secrets remain that no key unseals, since they were changed or moved (${joinList(damaged.map(describePlace), 10)}): restore a backup, or have others issued`,
    );
  }
  if (problems.length > 0) throw new SealingError(problems.join('; '));
  return done;
}

/** Seals what a release without sealing wrote. Resolves with the number of secrets sealed. */
export async function sealPlaintextSecrets(store: SecretStore, keyring: Keyring): Promise<number> {
  return (await reseal(store, keyring, isPlaintext, () => {})).done;
}

/** Ids of keys that secrets are sealed under and that the keyring lacks. */
export async function missingKeys(store: Pick<SecretStore, 'listSecretPrefixes'>, keyring: Keyring): Promise<string[]> {
  const prefixes = await store.listSecretPrefixes();
  return prefixes.filter((prefix) => !keyring.canUnseal(prefix)).map((prefix) => String(keyIdOf(prefix)));
}

/** Secrets that are read, and written, at once. */
const BATCH = 100;

/** A secret that cannot be unsealed is `damaged`, and left as it is. */
async function reseal(
  store: SecretStore,
  keyring: Keyring,
  isWanted: (prefix: Uint8Array) => boolean,
  onProgress: (done: number) => void,
): Promise<{ done: number; damaged: StoredSecret[] }> {
  const damaged: StoredSecret[] = [];
  const isDamaged = ({ kind, id, bytes }: StoredSecret) =>
    damaged.some((one) => one.kind === kind && one.id === id && isSame(one.bytes, bytes));

  async function resealOne(secret: StoredSecret) {
    let plaintext: Uint8Array;
    try {
      plaintext = keyring.unseal(secret.bytes, secret);
    } catch (error) {
      if (!(error instanceof SealingError)) throw error;
      damaged.push(secret);
      return 'damaged';
    }
    return store.replaceSecret(secret, keyring.seal(plaintext, secret));
  }

  for (let done = 0; ; ) {
    let found = 0;
    const prefixes = await store.listSecretPrefixes();
    for (const prefix of prefixes.filter((it) => isWanted(it) && keyring.canUnseal(it))) {
      // Damaged ones are listed again each time.
      const secrets = (await store.listSecrets(prefix, BATCH + damaged.length)).filter((it) => !isDamaged(it));
      const results = await Promise.all(secrets.map(resealOne));
      found += secrets.length;
      // One that changed meanwhile (`stale`) is listed again in the next round.
      done += results.filter((result) => result === 'replaced').length;
      onProgress(done);
    }
    if (found === 0) return { done, damaged };
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
