import type { Command } from 'commander';
import { readCommandConfig } from '../../config/config.ts';
import { type Database, keyringFor } from '../../store/database.ts';
import { addKey, keyFile } from '../../store/sealing/key-file.ts';
import { createKey, isPlaintext, type Keyring, keyIdOf } from '../../store/sealing/keyring.ts';
import { missingKeys, rotateSecrets } from '../../store/sealing/rotation.ts';
import type { SecretCounts, SecretPlace, Store } from '../../store/store.ts';
import { CliError } from '../cli-error.ts';
import { define, jsonOption, type StoreOptions, storeCommand, storeFlag } from '../options.ts';
import { type JsonOption, printable, show } from '../output/output.ts';
import { withBar } from '../output/terminal.ts';
import { commandAuthor, existingDatabase, KEY_VARIABLE, keySource } from './open-database.ts';

const SUMMARY =
  'Manage the keys that encrypt the secrets in the database: private keys, the secrets of webhooks and origins, and stored responses that contain a secret.';

export function addSealing(program: Command): void {
  const sealing = define(program, 'sealing', SUMMARY, ['nameplate sealing key', 'nameplate sealing rotate']);
  addPrintKey(sealing);
  addRotate(sealing);
  addForget(sealing);
}

function addPrintKey(sealing: Command): void {
  const summary = `Print a new key for ${KEY_VARIABLE}. It is not saved anywhere.`;
  jsonOption(define(sealing, 'key', summary, [''])).action((options: JsonOption) => {
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
  const summary = `Encrypt every secret in the database again, while servers run. Uses the first key of ${KEY_VARIABLE}. Without that setting, creates a new key in the key file of the SQLite database. If it is interrupted, run it again to continue.`;
  const examples = ['', '--database sqlite:/var/lib/nameplate/nameplate.db'];
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

/** The consequences of a lost key, by kind of secret. */
const CONSEQUENCES: Record<SecretPlace['kind'], string> = {
  certificate:
    'certificates: each is ordered again within the limits of the CA; imported ones have to be imported again',
  inherited_certificate:
    'certificates of former domains, which served names after a takeover until a new one was issued',
  fallback_certificate:
    'managed certificates behind imported ones: another is ordered when the imported one is removed, or about to expire',
  deleted_certificate: 'certificates of deleted domains: a domain that is restored gets a new one',
  staged_certificate:
    'certificates that were uploaded before verification: upload them again, or one is ordered for each',
  order: 'orders in flight at a CA: each is begun again',
  account: 'accounts at a CA: a new one is made',
  signing_key: 'keys that sign dashboard tokens: tokens that exist become invalid',
  connect_key:
    'keys that sign links to DNS providers: none is offered until "nameplate domain-connect rotate-key" makes another',
  webhook_secret:
    'secrets of webhooks: events wait until webhooks.rotateSecret gives each a new one, which its receiver has to know',
  origin_secret: 'secrets of origins: none is sent until environments.rotateOriginSecret makes another',
  previous_origin_secret: 'secrets of origins that were rotated: they are sent no more',
  origin_client_key: 'keys of client certificates for origins: none is shown until another is uploaded',
  idempotency_key: 'responses that are kept for an Idempotency-Key: a repeated request creates again',
};

interface LostKey {
  keyId: string;
  secrets: SecretCounts;
}

function addForget(sealing: Command): void {
  const summary =
    'Show which secrets no configured key decrypts. With the id of a lost key, delete the secrets that it encrypted: certificates are then ordered again. First stop every server and make a backup.';
  const examples = ['', '0f1e2d3c4b5a6978'];
  storeCommand(sealing, 'forget [key]', summary, examples).action(
    async (keyId: string | undefined, options: StoreOptions) => {
      const database = await existingDatabase(options);
      const store = await database.open();
      try {
        if (keyId === undefined) await showLost(store, database, options);
        else await forget(store, database, keyId, options);
      } finally {
        await store.close();
      }
    },
  );
}

async function showLost(store: Store, database: Database, options: StoreOptions): Promise<void> {
  const prefixes = await lostPrefixes(store, database);
  const lost = await Promise.all(
    prefixes.map(async (prefix) => ({ keyId: String(keyIdOf(prefix)), secrets: await store.countSecrets(prefix) })),
  );
  show(options, lost, () => {
    if (lost.length === 0) return `The keys of ${keySource(database)} decrypt every secret in ${database.name}.`;
    return lost.map((one) => describeLost(one, database, storeFlag(options))).join('\n\n');
  });
}

async function forget(store: Store, database: Database, keyId: string, options: StoreOptions): Promise<void> {
  const prefixes = await lostPrefixes(store, database);
  const prefix = prefixes.find((each) => keyIdOf(each) === keyId);
  if (prefix === undefined) {
    throw new CliError(
      `No secret in ${database.name} is lost with a key ${printable(keyId)}; nothing was deleted. "nameplate sealing forget${storeFlag(options)}" names the keys that are missing.`,
    );
  }
  const { forgetSecrets } = store.changesBy(commandAuthor('sealing forget'));
  const forgotten: LostKey = { keyId, secrets: await forgetSecrets(prefix) };
  show(options, forgotten, ({ secrets }) =>
    [`Deleted what the key ${keyId} encrypted:`, ...consequences(secrets), 'Start the servers again.'].join('\n'),
  );
}

/** Lists the prefixes of secrets that no configured key decrypts. */
async function lostPrefixes(store: Store, database: Database): Promise<Uint8Array[]> {
  const keyring = keyringFor(database, readCommandConfig().encryptionKeys);
  return (await store.listSecretPrefixes()).filter((prefix) => !isPlaintext(prefix) && !keyring.canUnseal(prefix));
}

function describeLost({ keyId, secrets }: LostKey, database: Database, flag: string): string {
  return [
    `${keySource(database)} lacks the key ${keyId}. If there is a copy of it, add it there, after the first one. Without it these are lost:`,
    ...consequences(secrets),
    `To delete them and go on without: stop every server, take a backup, and run "nameplate sealing forget ${keyId}${flag}".`,
  ].join('\n');
}

function consequences(secrets: SecretCounts): string[] {
  return Object.entries(secrets).map(([kind, count]) => `  ${count} ${CONSEQUENCES[kind as SecretPlace['kind']]}`);
}
