import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import type { Clock } from '../base/clock.ts';
import type { MigrateOptions } from './schema/migrate.ts';
import { keyFile } from './sealing/key-file.ts';
import { createKeyring, type Keyring } from './sealing/keyring.ts';
import { sealedStore } from './sealing/sealed-store.ts';
import type { Store } from './store.ts';
import type { DatabaseUrl, PostgresUrl, SqliteUrl } from './url.ts';

/** A configured database. Its methods reject with `StoreUnavailable`, in one line that says what to do. */
export interface Database {
  /** For people; without a password. */
  name: string;
  /** Whether several nodes may serve the API from it, and so have to share rate limits. */
  manyNodes: boolean;
  /** Whether it has no schema yet. */
  isNew(): Promise<boolean>;
  /** Migrates the schema. Resolves with the names of the migrations it ran. */
  migrate(options?: MigrateOptions): Promise<string[]>;
  /** Names of the migrations that `migrate` would run. Changes nothing. */
  pendingMigrations(): Promise<string[]>;
  /** Opens the store; creates the schema of a new one. Without a keyring, secrets are read and written as they are stored. */
  open(options?: OpenOptions): Promise<Store>;
  /** Opens the store for several threads of this process. */
  openShared(options: OpenOptions & { onWriterLost(error: unknown): void }): Promise<SharedStore>;
  /** Opens the store in another thread of the process that has called `openShared`. */
  join(writerPort: MessagePort | null, options?: OpenOptions): Promise<Store>;
  /** The file of the sealing keys, unless keys are configured; null: they must be configured. */
  keyFile: string | null;
  /** Takes the locks of roles that only one process may run, until the returned function is called. */
  lockRoles(roles: readonly string[]): Promise<() => void>;
  /** It only makes polls come early. After `openShared`. */
  listen(listener: StoreListener): { stop(): Promise<void> };
  /** Copies an embedded store to a new file while it is used (`sqlite/backup.ts`); null: PostgreSQL has its own tools. */
  backUp: ((file: string, onProgress: (done: number) => void) => Promise<number>) | null;
}

export interface StoreListener {
  /** Called soon after a delivery was added, and perhaps without one. */
  onDelivery(): void;
  /** Called soon after a change was logged, where several processes share the store; one call at a time. */
  onChange(): Promise<void>;
}

interface OpenOptions {
  clock?: Clock;
  keyring?: Keyring;
}

/** A store that other threads of the process join. */
export interface SharedStore {
  store: Store;
  /** A thread's way to the one writer; null where each thread has connections of its own. */
  newWriterPort(): MessagePort | null;
}

/** The configured keys, or those of the key file where the store has one. */
export function keyringFor({ keyFile: path }: Pick<Database, 'keyFile'>, configured?: readonly Uint8Array[]): Keyring {
  if (configured === undefined && path !== null) return createKeyring(keyFile(path));
  return createKeyring({ name: 'NAMEPLATE_ENCRYPTION_KEY', keys: () => configured ?? [] });
}

/** The only place that chooses the engine of a URL. Only that engine is loaded. */
export function databaseAt(url: DatabaseUrl): Promise<Database> {
  return url.engine === 'sqlite' ? sqliteDatabase(url) : postgresDatabase(url);
}

async function sqliteDatabase({ path }: SqliteUrl): Promise<Database> {
  const { joinSqliteStore, lockRoles, migrate, pendingMigrations, sharedSqliteStore, sqliteStore } = await import(
    './engine/sqlite/sqlite.ts'
  );
  let listener: Pick<StoreListener, 'onDelivery'> | undefined;
  return {
    name: path,
    manyNodes: false,
    isNew: async () => !existsSync(path),
    migrate: (options) => migrate(path, options),
    pendingMigrations: () => pendingMigrations(path),
    open: ({ keyring, ...options } = {}) => sealed(sqliteStore({ path, ...options }), keyring),
    async openShared({ keyring, ...options }) {
      const { store, newWriterPort } = await sharedSqliteStore({
        path,
        ...options,
        onDelivery: () => listener?.onDelivery(),
      });
      return { store: await sealed(store, keyring), newWriterPort };
    },
    async join(writerPort, { keyring, ...options } = {}) {
      if (writerPort === null) throw new Error('a thread joins an SQLite store with a port to its writer');
      return sealed(joinSqliteStore(writerPort, { path, ...options }), keyring);
    },
    keyFile: join(dirname(path), 'encryption.key'),
    lockRoles: (roles) => lockRoles(path, roles),
    // Other processes are commands, whose changes the next poll finds.
    listen(given) {
      listener = given;
      return {
        async stop() {
          listener = undefined;
        },
      };
    },
    backUp: async (file, onProgress) => (await import('./engine/sqlite/backup.ts')).backUp(path, file, onProgress),
  };
}

async function postgresDatabase(address: PostgresUrl): Promise<Database> {
  const { isNew, listenForChanges, migrate, nameOf, pendingMigrations, postgresStore } = await import(
    './engine/postgres/postgres.ts'
  );
  const open = ({ keyring, ...options }: OpenOptions = {}) => sealed(postgresStore({ address, ...options }), keyring);
  return {
    name: nameOf(address),
    manyNodes: true,
    isNew: () => isNew(address),
    migrate: (options) => migrate(address, options),
    pendingMigrations: () => pendingMigrations(address),
    open,
    openShared: async ({ onWriterLost: _, ...options }) => ({ store: await open(options), newWriterPort: () => null }),
    join: (_, options) => open(options),
    keyFile: null,
    // Work is claimed in transactions, so that any number of processes may run each role.
    lockRoles: async () => () => {},
    // One channel for both: a notification costs the server a lock.
    listen: ({ onDelivery, onChange }) =>
      listenForChanges(address, () => {
        onDelivery();
        return onChange();
      }),
    backUp: null,
  };
}

async function sealed(opening: Store | Promise<Store>, keyring: Keyring | undefined): Promise<Store> {
  const store = await opening;
  return keyring === undefined ? store : sealedStore(store, keyring);
}
