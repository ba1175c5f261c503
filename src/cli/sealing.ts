import type { Command } from 'commander';
import { readCommandConfig } from '../config/config.ts';
import type { Store } from '../store/contract/store.ts';
import { type Database, databaseAt, keyringFor } from '../store/database.ts';
import { addKey, keyFile } from '../store/sealing/key-file.ts';
import { createKey, isClear, type Keyring } from '../store/sealing/keyring.ts';
import { missingKeys, rotateSecrets } from '../store/sealing/sealed-store.ts';
import { CliError } from './cli-error.ts';
import { databaseUrlOf, KEY_VARIABLE, keysOf, refuseNew } from './open-database.ts';
import { define, group, jsonOption, type StoreOptions, storeOptions } from './options.ts';
import { type JsonOption, show } from './output.ts';
import { createBar } from './progress-bar.ts';
import { untilSignal } from './signals.ts';

export function addSealing(program: Command): void {
  const sealing = group(program, 'sealing', 'The keys under which private keys lie in the store.', [
    'nameplate sealing key',
    'nameplate sealing rotate',
  ]);
  addPrintKey(sealing);
  addRotate(sealing);
}

function addPrintKey(sealing: Command): void {
  const summary = `Print a new key for ${KEY_VARIABLE}. It is kept nowhere.`;
  jsonOption(define(sealing, 'key', summary, ['nameplate sealing key'])).action((options: JsonOption) => {
    show(options, { key: createKey() }, ({ key }) => key);
  });
}

interface Rotated {
  database: string;
  /** Private keys that lay in the store under another key, or in clear. */
  sealed: number;
  /** Where the keys are. */
  keys: string;
  /** Whether a key was made; otherwise the first of those that there are. */
  madeKey: boolean;
}

function addRotate(sealing: Command): void {
  const summary = `Seal every private key anew, while servers run: under a new key in the key file of an embedded store, or under the first key of ${KEY_VARIABLE}. Once interrupted, the same command goes on.`;
  const examples = [
    'nameplate sealing rotate',
    'nameplate sealing rotate --database sqlite:/var/lib/nameplate/nameplate.db',
  ];
  storeOptions(define(sealing, 'rotate', summary, examples)).action(async (options: StoreOptions) => {
    const database = await databaseAt(databaseUrlOf(options));
    await refuseNew(database, options);
    const { encryptionKeys } = readCommandConfig();
    const file = encryptionKeys === undefined ? database.keyFile : null;
    if (encryptionKeys === undefined && file === null) {
      throw new CliError(`${KEY_VARIABLE} is not set. Give this command the value that the servers have.`);
    }
    const keyring = keyringFor(database, encryptionKeys);
    const store = await database.open();
    try {
      await refuseLacking(store, keyring, keysOf(database));
      const madeKey = file !== null && !(await isUnfinished(store, keyring, file));
      if (madeKey) addKey(file);
      const sealed = await rotateWithBar(store, keyring);
      const rotated: Rotated = { database: database.name, sealed, keys: keysOf(database), madeKey };
      show(options, rotated, () => inWords(rotated, database, encryptionKeys?.length ?? 0));
    } finally {
      await store.close();
    }
  });
}

/** Throws `CliError` where a private key cannot be opened: a new key would only hide that the one it takes has to be put back. */
async function refuseLacking(store: Store, keyring: Keyring, where: string): Promise<void> {
  const [missing] = await missingKeys(store, keyring);
  if (missing === undefined) return;
  throw new CliError(
    `Private keys in the store are sealed under the key ${missing}, which ${where} does not have, so nothing was changed. Put it back from where it was kept; where nobody has kept it, docs/certificates.md says how to begin anew.`,
  );
}

/** Whether a rotation was begun that did not come to its end: then what there is gets sealed under the key that was made for it. */
async function isUnfinished(store: Store, keyring: Keyring, file: string): Promise<boolean> {
  const keys = keyFile(file).keys('open');
  if (keys.length < 2) return false;
  const first = Buffer.from(keyring.prefix()).toString('hex');
  const prefixes = await store.listSecretPrefixes();
  return prefixes.some((prefix) => !isClear(prefix) && Buffer.from(prefix).toString('hex') !== first);
}

async function rotateWithBar(store: Store, keyring: Keyring): Promise<number> {
  const bar = createBar(process.stderr);
  let stopping = false;
  void untilSignal().then(() => {
    stopping = true;
  });
  // Most private keys are those of certificates.
  const total = Object.values(await store.countCertificates()).reduce((sum, count) => sum + count, 0);
  try {
    return await rotateSecrets(store, keyring, (done) => {
      if (stopping) throw new CliError(`Stopped after ${done} private keys: the same command goes on there.`);
      bar.show('Sealing private keys', Math.min(1, done / Math.max(1, total)));
    });
  } finally {
    bar.clear();
  }
}

function inWords({ sealed, keys, madeKey }: Rotated, database: Database, configured: number): string {
  const done = `${sealed} private keys of ${database.name} were sealed anew, under the first key of ${keys}.`;
  if (keys !== KEY_VARIABLE) {
    const made = madeKey ? `${keys} has a new first key. ` : '';
    return [
      `${made}${done}`,
      'The keys after it open backups that were made until now: take their lines away once no such backup is left.',
    ].join('\n');
  }
  if (configured > 1)
    return [
      done,
      'The keys after it open backups that were made until now. Take them away on every node once no such backup is left.',
    ].join('\n');
  return [
    done,
    'To change to another key, on every node before the next step:',
    `  1  Put a new one ("nameplate sealing key") behind the one in ${KEY_VARIABLE}, after a comma, and restart.`,
    '  2  Put the new one first, and restart.',
    '  3  Say "nameplate sealing rotate" once, with the same value.',
    '  4  Take the old one away, once no backup is left that was made before.',
  ].join('\n');
}
