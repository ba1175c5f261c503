import type { Command } from 'commander';
import { readCommandConfig } from '../config/config.ts';
import type { SecretCounts, SecretPlace, Store } from '../store/contract/store.ts';
import { type Database, keyringFor } from '../store/database.ts';
import { isPlaintext, keyIdOf } from '../store/sealing/keyring.ts';
import { CliError } from './cli-error.ts';
import { commandAuthor } from './command-author.ts';
import { existingDatabase, keySource } from './open-database.ts';
import { type StoreOptions, storeCommand, storeFlag } from './options.ts';
import { printable, show } from './output.ts';

/** What becomes of secrets whose key is lost, by kind. */
const CONSEQUENCES: Record<SecretPlace['kind'], string> = {
  certificate:
    'certificates: each is ordered again within the limits of the CA; imported ones have to be imported again',
  inherited_certificate:
    'certificates of former domains, which served names after a takeover until a new one was issued',
  deleted_certificate: 'certificates of deleted domains: a domain that is restored gets a new one',
  order: 'orders in flight at a CA: each is begun again',
  account: 'accounts at a CA: a new one is made',
  signing_key: 'keys that sign dashboard tokens: tokens that exist become invalid',
  webhook_secret:
    'secrets of webhooks: events wait until webhooks.rotateSecret gives each a new one, which its receiver has to know',
  idempotency_key: 'responses that are kept for an Idempotency-Key: a repeated request creates again',
};

interface LostKey {
  keyId: string;
  secrets: SecretCounts;
}

export function addForget(sealing: Command): void {
  const summary =
    'Show which secrets no configured key decrypts, or, with the id of a lost key, delete what it encrypted: certificates are then ordered again. Stop every server first, and take a backup.';
  const examples = ['nameplate sealing forget', 'nameplate sealing forget 0f1e2d3c4b5a6978'];
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

/** Of secrets that no configured key decrypts. */
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
