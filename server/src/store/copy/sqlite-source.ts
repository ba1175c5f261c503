import { DatabaseSync } from 'node:sqlite';
import { cannotOpen } from '../engine/sqlite/database-file.ts';
import { prepareSchema } from '../engine/sqlite/migrate-sqlite.ts';
import { asUnavailable, isBusy } from '../engine/sqlite/sqlite-errors.ts';
import { StoreUnavailable } from '../store.ts';

/** A table as the database itself describes it, so that a table that a later migration adds is copied too. */
export interface Table {
  name: string;
  columns: string[];
  /** Columns of the primary key, in its order. */
  key: string[];
}

/** The values of a row in the order of the columns, exactly as they are stored: integers of any size, text, bytes. */
export type Row = readonly (string | bigint | Uint8Array | null)[];

/** An SQLite file that no other process can open until it is closed. */
export interface CopySource {
  /** In order of creation: a table is created after those that it references. */
  tables: Table[];
  /** The last number that was given, of tables whose key is a sequence. */
  lastNumbers: Map<string, bigint>;
  count(table: Table): number;
  /** All rows in order of the key, at most `size` at a time. */
  batches(table: Table, size: number): Iterable<Row[]>;
  close(): void;
}

/** A short command may be using the file. */
const BUSY_TIMEOUT_MS = 1000;

/** Its schema must be current. Rejects with `StoreUnavailable`. */
export async function openSource(path: string): Promise<CopySource> {
  await prepareSchema(path);
  const db = openExclusively(path);
  try {
    return sourceIn(db);
  } catch (error) {
    db.close();
    throw error;
  }
}

function sourceIn(db: DatabaseSync): CopySource {
  const tables = namesIn(
    db,
    "select name from sqlite_schema where type = 'table' and name not glob 'sqlite_*' and name not glob 'kysely_*' order by rowid",
  ).map((name) => ({
    name,
    columns: namesIn(db, 'select name from pragma_table_info(?)', name),
    key: namesIn(db, 'select name from pragma_table_info(?) where pk > 0 order by pk', name),
  }));
  return {
    tables,
    lastNumbers: new Map([...rowsOf(db, 'select name, seq from sqlite_sequence')] as unknown as [string, bigint][]),
    count: ({ name }) => Number([...rowsOf(db, `select count(*) from ${quoteName(name)}`)][0]?.[0]),
    *batches(table, size) {
      let batch: Row[] = [];
      for (const row of rowsOf(db, selectInOrder(table))) {
        batch.push(row);
        if (batch.length < size) continue;
        yield batch;
        batch = [];
      }
      if (batch.length > 0) yield batch;
    },
    close: () => db.close(),
  };
}

/** The operating system releases the lock when the process dies, however it dies. */
function openExclusively(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    // In WAL mode every connection, also one that only reads, holds a shared lock, which this one waits for.
    db.exec('pragma locking_mode = exclusive; begin exclusive; commit');
    return db;
  } catch (error) {
    db.close();
    if (!isBusy(error)) throw cannotOpen(path, error);
    throw new StoreUnavailable(
      `${path} is in use by another process: stop every "nameplate serve" and "nameplate dev" that runs on it, then try again`,
      { cause: error },
    );
  }
}

/** All rows of a table, in the order of its key: byte by byte, as both engines are told to compare text. */
export function selectInOrder({ name, columns, key }: Table): string {
  const list = (names: string[]) => names.map(quoteName).join(', ');
  return `select ${list(columns)} from ${quoteName(name)} order by ${list(key)}`;
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function namesIn(db: DatabaseSync, sql: string, ...values: string[]): string[] {
  return [...rowsOf(db, sql, ...values)].map(([name]) => String(name));
}

function* rowsOf(db: DatabaseSync, sql: string, ...values: string[]): Generator<Row> {
  try {
    const statement = db.prepare(sql);
    statement.setReturnArrays(true);
    statement.setReadBigInts(true);
    for (const row of statement.iterate(...values)) yield row as unknown as Row;
  } catch (error) {
    throw asUnavailable(error);
  }
}
