import { join } from 'node:path';
import { type DatabaseUrl, readCommandConfig } from '../config/config.ts';
import { STORE_FILE } from '../playground/data-dir.ts';
import type { AuditedStore, Changes, Store } from '../store/contract/store.ts';
import { type Database, databaseAt, keyringFor } from '../store/database.ts';
import { CliError } from './cli-error.ts';
import { commandAuthor } from './command-author.ts';
import { type StoreOptions, storeFlag } from './options.ts';

export const KEY_VARIABLE = 'NAMEPLATE_ENCRYPTION_KEY';

/** The database that the options name, else the environment's. Throws `ConfigError`. */
export function databaseUrlOf(options: StoreOptions): DatabaseUrl {
  const config = readCommandConfig();
  return namedDatabase(options) ?? config.databaseUrl;
}

/** The database that the options name, if they do. */
export function namedDatabase({ database, data }: StoreOptions): DatabaseUrl | undefined {
  return database ?? (data === undefined ? undefined : { engine: 'sqlite', path: join(data, STORE_FILE) });
}

/** Where the key-encryption keys are: a file, or the variable. */
export function keySource({ keyFile }: Database): string {
  return readCommandConfig().encryptionKeys === undefined && keyFile !== null ? keyFile : KEY_VARIABLE;
}

/** The database that the options name, which must hold a store already. Throws `CliError`. */
export async function existingDatabase(options: StoreOptions): Promise<Database> {
  const database = await databaseAt(databaseUrlOf(options));
  if (!(await database.isNew())) return database;
  throw new CliError(
    `There is no store at ${database.name}. Create one with "nameplate migrate${storeFlag(options)}", or name another with --database.`,
  );
}

/** Opens the store that the options name while `use` reads it. Throws `CliError`. */
export function withStore<T>(options: StoreOptions, use: (store: AuditedStore) => Promise<T>): Promise<T> {
  return opened(options, use, false);
}

/** The same where `use` changes something: the entries of the audit log name the command. Only with `create` may the store be new. */
export function withChanges<T>(
  options: StoreOptions,
  command: string,
  use: (store: AuditedStore & Changes) => Promise<T>,
  { create = false }: { create?: boolean } = {},
): Promise<T> {
  const by = commandAuthor(command);
  return opened(options, (store) => use({ ...store, ...store.changesBy(by) }), create);
}

async function opened<T>(options: StoreOptions, use: (store: Store) => Promise<T>, create: boolean): Promise<T> {
  const database = await (create ? databaseAt(databaseUrlOf(options)) : existingDatabase(options));
  const store = await database.open({ keyring: keyringFor(database, readCommandConfig().encryptionKeys) });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
