import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { Kysely, SqliteDialect, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { StoreUnavailable } from '../contract/store.ts';
import { allMigrations } from '../migrations/migrations.ts';
import type { Waiting } from '../waiting.ts';
import { cannotOpen, prepareFile } from './database-file.ts';
import { isBusy } from './sqlite-errors.ts';

const migrations = allMigrations({
  integer: sql`integer`,
  bytes: sql`blob`,
  text: sql`text`,
  table: (db, name) => db.schema.createTable(name).modifyEnd(sql`strict`),
  sequence: (table, column) => table.addColumn(column, 'integer', (c) => c.primaryKey().autoIncrement()),
});

/** How long one process waits for another that is migrating. */
const PATIENCE_MS = 30_000;
/** Between two attempts to get a lock that another process holds. */
const ATTEMPT_EVERY_MS = 20;
/** A wait that is longer is worth a word. */
const LONG_WAIT_MS = 1000;
/** In WAL mode readers wait for nobody but one who switches to it. */
const READ_PATIENCE_MS = 1000;

/**
 * Brings the schema of the file up to date, making the file where there is none. All of it happens or nothing; of two processes that do
 * it at once, one waits for the other. Resolves with the names of the migrations it ran.
 */
export async function migrate(path: string, waiting: Waiting = {}): Promise<string[]> {
  prepareFile(path);
  const db = open(path, { readOnly: false, timeout: 0 });
  try {
    await whenFree(path, () => db.exec('pragma journal_mode = wal'), waiting);
    await whenFree(path, () => db.exec('begin immediate'), waiting);
    return await migrateToLatest(path, db);
  } catch (error) {
    throw cannotOpen(path, error);
  } finally {
    db.close();
  }
}

/** Names of the migrations that `migrate` would run on the file. Changes nothing. */
export async function pendingMigrations(path: string): Promise<string[]> {
  const done = existsSync(path) ? readDone(path) : [];
  return Object.keys(migrations).filter((name) => !done.includes(name));
}

/** Makes the schema in a new file. A file with an older one is refused: whoever runs the program says when to upgrade. */
export async function prepareSchema(path: string): Promise<void> {
  prepareFile(path);
  const done = readDone(path);
  if (done.length === 0) {
    await migrate(path);
    return;
  }
  const pending = Object.keys(migrations).find((name) => !done.includes(name));
  if (pending !== undefined) {
    throw new StoreUnavailable(
      `${path} was written by an older nameplate (it lacks the migration "${pending}"): back it up, then run "nameplate migrate"`,
    );
  }
}

/** Tries until no other process holds the lock. SQLite's own wait would hold up the event loop, and with it every signal. */
async function whenFree(path: string, attempt: () => void, { signal, onLongWait }: Waiting): Promise<void> {
  const most = PATIENCE_MS / ATTEMPT_EVERY_MS;
  for (let attempts = 1; ; attempts++) {
    signal?.throwIfAborted();
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || attempts === most) throw error;
      if (attempts === LONG_WAIT_MS / ATTEMPT_EVERY_MS) onLongWait?.(`which holds the write lock of ${path}`);
      await delay(ATTEMPT_EVERY_MS);
    }
  }
}

/** Ends the transaction that was begun. */
async function migrateToLatest(path: string, db: DatabaseSync): Promise<string[]> {
  try {
    doneIn(path, db);
    const { results = [], error } = await migratorOn(db).migrateToLatest();
    if (error !== undefined) throw error;
    db.exec('commit');
    return results.map(({ migrationName }) => migrationName);
  } finally {
    if (db.isTransaction) db.exec('rollback');
  }
}

function migratorOn(db: DatabaseSync): Migrator {
  const dialect = new SqliteDialect({
    database: {
      close: () => db.close(),
      prepare: (text) => {
        const statement = db.prepare(text);
        const spread = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
        return {
          reader: statement.columns().length > 0,
          all: (parameters) => statement.all(...spread(parameters)),
          run: (parameters) => statement.run(...spread(parameters)),
          iterate: (parameters) => statement.iterate(...spread(parameters)),
        };
      },
    },
  });
  return new Migrator({
    db: new Kysely({ dialect }),
    provider: { getMigrations: async () => migrations },
  });
}

function readDone(path: string): string[] {
  const db = open(path, { readOnly: true, timeout: READ_PATIENCE_MS });
  try {
    return doneIn(path, db);
  } catch (error) {
    throw cannotOpen(path, error);
  } finally {
    db.close();
  }
}

/** Names of the migrations that the file has seen. Refuses a file that is not ours, or not of this version. */
export function doneIn(path: string, db: DatabaseSync): string[] {
  const tables = db.prepare("select name from sqlite_schema where type = 'table'").all();
  if (tables.length === 0) return [];
  if (!tables.some(({ name }) => name === 'kysely_migration')) {
    throw new StoreUnavailable(`${path} is the database of another program; name another file`);
  }
  const done = db
    .prepare('select name from kysely_migration order by name')
    .all()
    .map(({ name }) => String(name));
  const unknown = done.find((name) => migrations[name] === undefined);
  if (unknown !== undefined) {
    throw new StoreUnavailable(
      `${path} was written by a newer nameplate (it has the migration "${unknown}", unknown here): upgrade nameplate, or restore the backup taken before the upgrade`,
    );
  }
  return done;
}

function open(path: string, options: { readOnly: boolean; timeout: number }): DatabaseSync {
  try {
    return new DatabaseSync(path, options);
  } catch (error) {
    throw cannotOpen(path, error);
  }
}
