import { existsSync } from 'node:fs';
import type { Clock } from '../clock.ts';
import type { DatabaseUrl, PostgresUrl, SqliteUrl } from '../config/parse.ts';
import type { Store } from './store.ts';
import type { Waiting } from './waiting.ts';

/** A database that is configured, and what can be done with it. Whatever fails rejects with `StoreUnavailable`, in one line that says what to do. */
export interface Database {
  /** For people; without a password. */
  name: string;
  /** Whether nothing has been stored there yet, not even a schema. */
  isNew(): Promise<boolean>;
  /** Brings the schema up to date. Resolves with the names of the migrations it ran. */
  migrate(waiting?: Waiting): Promise<string[]>;
  /** Names of the migrations that `migrate` would run. Changes nothing. */
  pendingMigrations(): Promise<string[]>;
  /** Opens the store, making its schema where it is new. */
  open(options?: { clock?: Clock }): Promise<Store>;
  /** Makes this process the only owner of the roles that must be single there, until the returned function is called. */
  lockRoles(roles: readonly string[]): Promise<() => void>;
  /** Calls `onNews` soon after changes were announced, where the engine can. Polling the log of changes finds them all the same. */
  listen(onNews: () => Promise<void>): { stop(): Promise<void> };
}

/** The one place that knows which engine a URL means. Only that engine is loaded. */
export function databaseAt(url: DatabaseUrl): Promise<Database> {
  return url.engine === 'sqlite' ? sqliteDatabase(url) : postgresDatabase(url);
}

async function sqliteDatabase({ path }: SqliteUrl): Promise<Database> {
  const { lockRoles, migrate, pendingMigrations, sqliteStore } = await import('./sqlite.ts');
  return {
    name: path,
    isNew: async () => !existsSync(path),
    migrate: (waiting) => migrate(path, waiting),
    pendingMigrations: () => pendingMigrations(path),
    open: (options) => sqliteStore({ path, ...options }),
    lockRoles: (roles) => lockRoles(path, roles),
    listen: () => ({ stop: async () => {} }),
  };
}

async function postgresDatabase(address: PostgresUrl): Promise<Database> {
  const { isNew, listenForChanges, migrate, nameOf, pendingMigrations, postgresStore } = await import('./postgres.ts');
  return {
    name: nameOf(address),
    isNew: () => isNew(address),
    migrate: (waiting) => migrate(address, waiting),
    pendingMigrations: () => pendingMigrations(address),
    open: (options) => postgresStore({ address, ...options }),
    // Its work is claimed piece by piece, so no role has to be single.
    lockRoles: async () => () => {},
    listen: (onNews) => listenForChanges(address, onNews),
  };
}
