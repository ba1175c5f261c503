import { join } from 'node:path';
import { type DatabaseUrl, readCommandConfig } from '../config/config.ts';
import { STORE_FILE } from '../playground/ready.ts';
import type { Store } from '../store/contract/store.ts';
import { type Database, databaseAt, keyringFor } from '../store/database.ts';
import { CliError } from './cli-error.ts';
import { type StoreOptions, storeFlag } from './options.ts';

export const KEY_VARIABLE = 'NAMEPLATE_ENCRYPTION_KEY';

/** The database that the options name; otherwise the environment's. Throws what is wrong with a URL. */
export function databaseUrlOf(options: StoreOptions): DatabaseUrl {
  const config = readCommandConfig();
  return namedDatabase(options) ?? config.databaseUrl;
}

/** The database that the options name, if they do. */
export function namedDatabase({ database, data }: StoreOptions): DatabaseUrl | undefined {
  return database ?? (data === undefined ? undefined : { engine: 'sqlite', path: join(data, STORE_FILE) });
}

/** Where the keys are under which private keys lie in the store, for people. */
export function keysOf({ keyFile }: Database): string {
  return readCommandConfig().encryptionKeys === undefined && keyFile !== null ? keyFile : KEY_VARIABLE;
}

/** Throws `CliError` where nothing has been stored yet. */
export async function refuseNew(database: Database, options: StoreOptions): Promise<void> {
  if (!(await database.isNew())) return;
  throw new CliError(
    `There is no store at ${database.name}. Make one with "nameplate migrate${storeFlag(options)}", or name another with --database.`,
  );
}

/** Opens the store that the options name, for as long as `use` takes. Unless `make` is set there must be one. Throws `CliError`. */
export async function withStore<T>(
  options: StoreOptions,
  use: (store: Store) => Promise<T>,
  { make = false }: { make?: boolean } = {},
): Promise<T> {
  const database = await databaseAt(databaseUrlOf(options));
  if (!make) await refuseNew(database, options);
  const store = await database.open({ keyring: keyringFor(database, readCommandConfig().encryptionKeys) });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
