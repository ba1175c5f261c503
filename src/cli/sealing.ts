import type { Command } from 'commander';
import { readCommandConfig } from '../config/config.ts';
import type { Store } from '../store/contract/store.ts';
import { keyringFor } from '../store/database.ts';
import { addKey, keyFile } from '../store/sealing/key-file.ts';
import { createKey, isPlaintext, type Keyring } from '../store/sealing/keyring.ts';
import { missingKeys, rotateSecrets } from '../store/sealing/rotation.ts';
import { CliError } from './cli-error.ts';
import { addForget } from './forget-secrets.ts';
import { existingDatabase, KEY_VARIABLE, keySource } from './open-database.ts';
import { define, jsonOption, type StoreOptions, storeCommand } from './options.ts';
import { type JsonOption, show } from './output.ts';
import { withBar } from './progress-bar.ts';

const SUMMARY =
  'Manage the keys that encrypt the secrets in the store: private keys, the secrets of webhooks, and responses that are kept for an Idempotency-Key and hold a secret.';

export function addSealing(program: Command): void {
  const sealing = define(program, 'sealing', SUMMARY, ['nameplate sealing key', 'nameplate sealing rotate']);
  addPrintKey(sealing);
  addRotate(sealing);
  addForget(sealing);
}

function addPrintKey(sealing: Command): void {
  const summary = `Print a new key for ${KEY_VARIABLE}. It is not saved anywhere.`;
  jsonOption(define(sealing, 'key', summary, ['nameplate sealing key'])).action((options: JsonOption) => {
    show(options, { key: createKey() }, ({ key }) => key);
  });
}

interface Rotation {
  database: string;
  /** Secrets that were encrypted under another key, or not at all. */
  sealed: number;
  /** Where the keys are. */
  keys: string;
  /** Whether a key was added to the key file. */
  madeKey: boolean;
}

function addRotate(sealing: Command): void {
  const summary = `Encrypt every secret in the store again, while servers run: under the first key of ${KEY_VARIABLE}, or, if that is not set, under a new key in the key file of the SQLite store. If it is interrupted, run it again to continue.`;
  const examples = [
    'nameplate sealing rotate',
    'nameplate sealing rotate --database sqlite:/var/lib/nameplate/nameplate.db',
  ];
  storeCommand(sealing, 'rotate', summary, examples).action(async (options: StoreOptions) => {
    const database = await existingDatabase(options);
    const { encryptionKeys } = readCommandConfig();
    const file = encryptionKeys === undefined ? database.keyFile : null;
    if (encryptionKeys === undefined && file === null)
      throw new CliError(`${KEY_VARIABLE} is not set. Set it to the same value as on the servers.`);
    const keyring = keyringFor(database, encryptionKeys);
    const keys = keySource(database);
    const store = await database.open();
    try {
      await requireAllKeys(store, keyring, keys);
      const madeKey = file !== null && !(await isUnfinished(store, keyring, file));
      if (madeKey) addKey(file);
      const sealed = await rotate(store, keyring);
      const rotation: Rotation = { database: database.name, sealed, keys, madeKey };
      show(options, rotation, () => describeRotation(rotation, encryptionKeys?.length ?? 0));
    } finally {
      await store.close();
    }
  });
}

/** Throws `CliError` if a secret cannot be decrypted: rotation would only hide that its key is missing. */
async function requireAllKeys(store: Store, keyring: Keyring, source: string): Promise<void> {
  const [missing] = await missingKeys(store, keyring);
  if (missing === undefined) return;
  throw new CliError(
    `Secrets in the store are encrypted under the key ${missing}, which is not in ${source}; nothing was changed. Restore that key from its backup. If it is lost: "nameplate sealing forget".`,
  );
}

/** Whether an earlier rotation was interrupted: it is then completed under the key that was added for it. */
async function isUnfinished(store: Store, keyring: Keyring, file: string): Promise<boolean> {
  if (keyFile(file).keys('unseal').length < 2) return false;
  const first = Buffer.from(keyring.prefix());
  const prefixes = await store.listSecretPrefixes();
  return prefixes.some((prefix) => !isPlaintext(prefix) && !first.equals(prefix));
}

async function rotate(store: Store, keyring: Keyring): Promise<number> {
  // Most secrets are private keys of certificates.
  const total = Object.values(await store.countCertificates()).reduce((sum, count) => sum + count, 0);
  return withBar((bar, interrupted) =>
    rotateSecrets(store, keyring, (done) => {
      if (interrupted.aborted)
        throw new CliError(`Interrupted after ${done} secrets. Run the same command to continue.`);
      bar.show('Encrypting secrets', Math.min(1, done / Math.max(1, total)));
    }),
  );
}

/** `configured`: number of keys in the variable. */
function describeRotation({ database, sealed, keys, madeKey }: Rotation, configured: number): string {
  const added = madeKey ? `Added a new first key to ${keys}.\n` : '';
  const done = `${added}Encrypted ${sealed} secrets of ${database} under the first key of ${keys}.`;
  const older = 'The keys after it decrypt older backups.';
  if (keys !== KEY_VARIABLE) return `${done}\n${older} Remove their lines when no such backup is left.`;
  if (configured > 1) return `${done}\n${older} Remove them on every node when no such backup is left.`;
  return [
    done,
    'To change from this key (OLD) to a new one (NEW, printed by "nameplate sealing key"), complete each step on every node before the next:',
    `  1  Set ${KEY_VARIABLE}=OLD,NEW and restart: every node can decrypt with both.`,
    `  2  Set ${KEY_VARIABLE}=NEW,OLD and restart: the first key encrypts.`,
    '  3  Run "nameplate sealing rotate" once, with the same value.',
    `  4  Set ${KEY_VARIABLE}=NEW and restart, when no backup from before is left.`,
  ].join('\n');
}
