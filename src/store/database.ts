import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Store } from './contract/store.ts';
import { keyFile } from './sealing/key-file.ts';
import { createKeyring, type Keyring } from './sealing/keyring.ts';
import { sealSecrets } from './sealing/sealed-store.ts';
import type { DatabaseUrl, PostgresUrl, SqliteUrl } from './url.ts';
import type { Waiting } from './waiting.ts';

/** A database that is configured, and what can be done with it. Whatever fails rejects with `StoreUnavailable`, in one line that says what to do. */
export interface Database {
  /** For people; without a password. */
  name: string;
  /** Whether several nodes may serve the API from it, so that what each counts has to be added up. */
  manyNodes: boolean;
  /** Whether nothing has been stored there yet, not even a schema. */
  isNew(): Promise<boolean>;
  /** Brings the schema up to date. Resolves with the names of the migrations it ran. */
  migrate(waiting?: Waiting): Promise<string[]>;
  /** Names of the migrations that `migrate` would run. Changes nothing. */
  pendingMigrations(): Promise<string[]>;
  /** Opens the store, making its schema where it is new; secrets in it are sealed with the keyring, or lie there as they are given. */
  open(options?: { clock?: Clock; keyring?: Keyring }): Promise<Store>;
  /** Where the keys lie that secrets are sealed with, unless others are configured; null: they have to be. */
  keyFile: string | null;
  /** Makes this process the only owner of the roles that must be single there, until the returned function is called. */
  lockRoles(roles: readonly string[]): Promise<() => void>;
  /** Calls `onNews` soon after changes were announced, where the engine can. Polling the log of changes finds them all the same. */
  listen(onNews: () => Promise<void>): { stop(): Promise<void> };
  /** Copies an embedded store to a new file while it is used (`sqlite/backup.ts`); null where a server has ways of its own. */
  backUp: ((file: string, onProgress: (done: number) => void) => Promise<number>) | null;
}

/** The configured keys; or those of the key file, where the store has one. */
export function keyringFor({ keyFile: path }: Pick<Database, 'keyFile'>, configured?: readonly Uint8Array[]): Keyring {
  if (configured === undefined && path !== null) return createKeyring(keyFile(path));
  return createKeyring({ name: 'NAMEPLATE_ENCRYPTION_KEY', keys: () => configured ?? [] });
}

/** The one place that knows which engine a URL means. Only that engine is loaded. */
export function databaseAt(url: DatabaseUrl): Promise<Database> {
  return url.engine === 'sqlite' ? sqliteDatabase(url) : postgresDatabase(url);
}

async function sqliteDatabase({ path }: SqliteUrl): Promise<Database> {
  const { lockRoles, migrate, pendingMigrations, sqliteStore } = await import('./sqlite/sqlite.ts');
  return {
    name: path,
    manyNodes: false,
    isNew: async () => !existsSync(path),
    migrate: (waiting) => migrate(path, waiting),
    pendingMigrations: () => pendingMigrations(path),
    open: ({ keyring, ...options } = {}) => sealed(sqliteStore({ path, ...options }), keyring),
    keyFile: join(dirname(path), 'encryption.key'),
    lockRoles: (roles) => lockRoles(path, roles),
    listen: () => ({ stop: async () => {} }),
    backUp: async (file, onProgress) => (await import('./sqlite/backup.ts')).backUp(path, file, onProgress),
  };
}

async function postgresDatabase(address: PostgresUrl): Promise<Database> {
  const { isNew, listenForChanges, migrate, nameOf, pendingMigrations, postgresStore } = await import(
    './postgres/postgres.ts'
  );
  return {
    name: nameOf(address),
    manyNodes: true,
    isNew: () => isNew(address),
    migrate: (waiting) => migrate(address, waiting),
    pendingMigrations: () => pendingMigrations(address),
    open: ({ keyring, ...options } = {}) => sealed(postgresStore({ address, ...options }), keyring),
    keyFile: null,
    // Its work is claimed piece by piece, so no role has to be single.
    lockRoles: async () => () => {},
    listen: (onNews) => listenForChanges(address, onNews),
    backUp: null,
  };
}

async function sealed(opening: Promise<Store>, keyring: Keyring | undefined): Promise<Store> {
  const store = await opening;
  return keyring === undefined ? store : sealSecrets(store, keyring);
}
