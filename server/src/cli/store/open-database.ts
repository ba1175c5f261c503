import { hostname, userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Command } from 'commander';
import { type DatabaseUrl, readCommandConfig } from '../../config/config.ts';
import { type Database, databaseAt, keyringFor } from '../../store/database.ts';
import type { AuditedStore, Author, Changes, Store } from '../../store/store.ts';
import { STORE_FILE } from '../../store/url.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { readPlaygroundFile } from '../data-dir.ts';
import { pathOf, type StoreOptions, storeFlag } from '../options.ts';
import { printable, show } from '../output/output.ts';

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

/** The arguments of a command's action. */
export interface StoreCall<O, S = AuditedStore> {
  store: S;
  options: StoreOptions & O;
}

/** The action of a command that reads the store: prints what `run` returns. `args` are those of the command. */
export function storeAction<T, O extends object = object>(
  run: (call: StoreCall<O, AuditedStore>, ...args: string[]) => Promise<T>,
  textOf: (value: T, options: StoreOptions & O) => string,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const options = given.at(-2) as StoreOptions & O;
    const value = await withStore(options, (store) => run({ store, options }, ...(given.slice(0, -2) as string[])));
    show(options, value, () => textOf(value, options));
  };
}

/** The action of a command that changes something: entries of the audit log name it. */
export function changeAction<T, O extends object = object>(
  run: (call: StoreCall<O, AuditedStore & Changes>, ...args: string[]) => Promise<T>,
  textOf: (value: T, options: StoreOptions & O) => string,
  mayCreate?: { create: boolean },
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const options = given.at(-2) as StoreOptions & O;
    const change = (store: AuditedStore & Changes) => run({ store, options }, ...(given.slice(0, -2) as string[]));
    const value = await withChanges(options, pathOf(given.at(-1) as Command), change, mayCreate);
    show(options, value, () => textOf(value, options));
  };
}

/** Opens the store that the options name while `use` reads it. Throws `CliError`. */
export function withStore<T>(options: StoreOptions, use: (store: AuditedStore) => Promise<T>): Promise<T> {
  return opened(options, use, false);
}

/**
 * Opens the store where `use` changes something: the entries of the audit log name the command. Only with `create` may
 * the store be new.
 */
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

/** Who runs a command on which machine, for the audit log. */
export function commandAuthor(command: string): Author {
  return {
    kind: 'command',
    actor: userOf(process.getuid?.(), process.env),
    action: command,
    from: hostname(),
    requestId: null,
  };
}

/**
 * The user as whom the process runs, by the system's own account of it: variables such as USER can have any value.
 * SUDO_USER is one too; it is shown for root alone, who could write anything here, and under its own name.
 */
export function userOf(uid: number | undefined, { SUDO_USER: sudoUser }: NodeJS.ProcessEnv): string {
  const user = nameOf(uid);
  return uid === 0 && sudoUser !== undefined && sudoUser !== '' ? `${user} (SUDO_USER=${sudoUser})` : user;
}

function nameOf(uid: number | undefined): string {
  try {
    return userInfo().username;
  } catch {
    // In a container a user need not have a name.
    return `uid ${uid}`;
  }
}

/** The name that was typed, in canonical form. Throws `CliError`. */
export async function hostnameOf(name: string): Promise<string> {
  const { canonicalName } = await import('../../domain/name.ts');
  const hostname = canonicalName(name);
  if (hostname === null) throw new CliError(`"${printable(name)}" is not a domain name.`, { exitCode: EXIT.usage });
  return hostname;
}

export const NAME_ANOTHER_FILE =
  'Set NAMEPLATE_DATABASE_URL to another file, such as sqlite:/var/lib/nameplate/nameplate.db.';

/**
 * The path of a playground's store, if the URL names one: whoever can read the file beside it has its root key. Else
 * null.
 */
export async function playgroundStoreOf(url: DatabaseUrl): Promise<string | null> {
  if (url.engine !== 'sqlite' || basename(url.path) !== STORE_FILE) return null;
  return (await readPlaygroundFile(dirname(url.path))) === null ? null : url.path;
}
