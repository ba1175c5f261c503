import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { type MigrateOptions, olderSchema, refuseForeign, timed, waitForLock } from '../../schema/migrate.ts';
import { allMigrations } from '../../schema/migrations.ts';
import { cannotOpen, prepareFile } from './database-file.ts';
import { isBusy } from './sqlite-errors.ts';

const migrations = allMigrations({
  INTEGER: 'integer',
  BYTES: 'blob',
  TEXT: 'text',
  SEQUENCE: 'integer primary key autoincrement',
  STRICT: 'strict',
});
const names = Object.keys(migrations);

/** In WAL mode a reader waits only for a process that switches the file to it. */
const READ_BUSY_TIMEOUT_MS = 1000;

/**
 * Migrates the schema of the file, which is created where there is none, in one transaction; of two processes that do it at once, one waits
 * for the other. Resolves with the names of the migrations it ran.
 */
export async function migrate(path: string, options: MigrateOptions = {}): Promise<string[]> {
  prepareFile(path);
  const db = open(path, { readOnly: false, timeout: 0 });
  try {
    for (const statement of ['pragma journal_mode = wal', 'begin immediate']) {
      // SQLite's own busy timeout would block the event loop, and with it every signal.
      await waitForLock(() => executes(db, statement), `which holds the write lock of ${path}`, options);
    }
    return await migrateToLatest(path, db, options);
  } catch (error) {
    throw cannotOpen(path, error);
  } finally {
    db.close();
  }
}

/** Names of the migrations that `migrate` would run. Changes nothing. */
export async function pendingMigrations(path: string): Promise<string[]> {
  const applied = existsSync(path) ? readApplied(path) : [];
  return names.filter((name) => !applied.includes(name));
}

/** Creates the schema in a new file. Rejects an older one. */
export async function prepareSchema(path: string): Promise<void> {
  prepareFile(path);
  const applied = readApplied(path);
  if (applied.length === 0) {
    await migrate(path);
    return;
  }
  const pending = names.find((name) => !applied.includes(name));
  if (pending !== undefined) throw olderSchema(path, pending);
}

/** False when another process holds the lock that the statement needs. */
function executes(db: DatabaseSync, statement: string): boolean {
  try {
    db.exec(statement);
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

/** Ends the transaction. */
async function migrateToLatest(path: string, db: DatabaseSync, options: MigrateOptions): Promise<string[]> {
  try {
    appliedMigrations(path, db);
    const { results = [], error } = await migratorOn(db, timed(migrations, options)).migrateToLatest();
    if (error !== undefined) throw error;
    db.exec('commit');
    return results.map(({ migrationName }) => migrationName);
  } finally {
    if (db.isTransaction) db.exec('rollback');
  }
}

function migratorOn(db: DatabaseSync, wanted: typeof migrations): Migrator {
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
  return new Migrator({ db: new Kysely({ dialect }), provider: { getMigrations: async () => wanted } });
}

function readApplied(path: string): string[] {
  const db = open(path, { readOnly: true, timeout: READ_BUSY_TIMEOUT_MS });
  try {
    return appliedMigrations(path, db);
  } catch (error) {
    throw cannotOpen(path, error);
  } finally {
    db.close();
  }
}

/** Names of the migrations in the file. Throws where it belongs to another program or to a newer version. */
export function appliedMigrations(path: string, db: DatabaseSync): string[] {
  const namesIn = (query: string) =>
    db
      .prepare(query)
      .all()
      .map(({ name }) => String(name));
  const tables = namesIn("select name from sqlite_schema where type = 'table'");
  const applied = tables.includes('kysely_migration') ? namesIn('select name from kysely_migration order by name') : [];
  refuseForeign(path, tables, applied, names);
  return applied;
}

function open(path: string, options: { readOnly: boolean; timeout: number }): DatabaseSync {
  try {
    return new DatabaseSync(path, options);
  } catch (error) {
    throw cannotOpen(path, error);
  }
}
