import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readCommandConfig } from '../config.ts';
import type { Store } from '../store/store.ts';
import { Failure } from './failure.ts';
import { type StoreOptions, storeFlag } from './options.ts';

/** The file that the options name; otherwise the environment's. Throws what is wrong with a URL. */
export function databasePath(options: StoreOptions): string {
  const config = readCommandConfig();
  return namedPath(options) ?? config.databaseUrl.path;
}

/** The file that the options name, if they do. */
export function namedPath({ database, data }: StoreOptions): string | undefined {
  return database?.path ?? (data === undefined ? undefined : join(data, 'nameplate.db'));
}

/** Opens the store that the options name, for as long as `use` takes. Unless `make` is set there must be one. Throws `Failure`. */
export async function withStore<T>(
  options: StoreOptions,
  use: (store: Store) => Promise<T>,
  { make = false }: { make?: boolean } = {},
): Promise<T> {
  const path = databasePath(options);
  if (!make && !existsSync(path)) {
    throw new Failure(
      `There is no store at ${path}. Make one with "nameplate migrate${storeFlag(options)}", or name another with --database.`,
    );
  }
  const { sqliteStore } = await import('../store/sqlite.ts');
  const store = await sqliteStore({ path });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
