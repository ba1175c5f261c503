import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { StoreUnavailable } from '../../store.ts';
import { cannotOpen, codeOf } from './database-file.ts';
import { appliedMigrations } from './migrate-sqlite.ts';
import { asUnavailable } from './sqlite-errors.ts';

/** Pages that are copied between two calls of `onProgress`. */
const STEP_PAGES = 1000;

/**
 * Copies a snapshot of the database to a new file, which only its owner can read, while others use it. The file gets its name once it has been
 * checked and synced. `onProgress` gets shares of 1, and cancels by throwing. Resolves with the size of the file in bytes; rejects with
 * `StoreUnavailable`, leaving nothing behind.
 */
export async function backUp(path: string, file: string, onProgress: (done: number) => void): Promise<number> {
  refuseExisting(file);
  const unfinished = `${file}.unfinished`;
  makeNew(unfinished);
  try {
    await copyPages(path, unfinished, onProgress);
    check(unfinished);
    sync(unfinished);
    makeNew(file);
    renameSync(unfinished, file);
    sync(dirname(file));
    return statSync(file).size;
  } catch (error) {
    for (const left of [unfinished, `${unfinished}-journal`]) rmSync(left, { force: true });
    throw asUnavailable(error);
  }
}

async function copyPages(path: string, unfinished: string, onProgress: (done: number) => void): Promise<void> {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    appliedMigrations(path, db);
    // Without a read transaction each write of others would restart the copy, which under load would never end.
    db.exec('begin');
    db.prepare('select count(*) from sqlite_schema').get();
    const progress = (pages: { totalPages: number; remainingPages: number }) =>
      onProgress(1 - pages.remainingPages / pages.totalPages);
    await backup(db, unfinished, { rate: STEP_PAGES, progress });
    onProgress(1);
  } catch (error) {
    throw cannotOpen(path, error);
  } finally {
    db.close();
  }
}

/** Also -wal and -journal files of another database, which SQLite would apply to the copy. */
function refuseExisting(file: string): void {
  const there = [file, `${file}-wal`, `${file}-journal`].find((name) => existsSync(name));
  if (there !== undefined) {
    throw new StoreUnavailable(`${there} exists, and a backup overwrites nothing: name a new file`);
  }
}

function makeNew(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    const code = codeOf(error);
    const what =
      code === 'EEXIST'
        ? `${file} exists: another backup is running, or was interrupted; remove it, or name another file`
        : `cannot create ${file} (${code}): check that ${dirname(file)} is a directory in which this user may write, or name another file`;
    throw new StoreUnavailable(what, { cause: error });
  }
}

/** Checks all of the copy, without creating side files. */
function check(file: string): void {
  const url = pathToFileURL(resolve(file));
  url.searchParams.set('immutable', '1');
  const db = new DatabaseSync(url, { readOnly: true });
  try {
    appliedMigrations(file, db);
    const results = [...db.prepare('pragma integrity_check').all(), ...db.prepare('pragma foreign_key_check').all()];
    const faults = results.filter(({ integrity_check }) => integrity_check !== 'ok');
    if (faults.length === 0) return;
    throw new StoreUnavailable(
      `the copy is damaged (${JSON.stringify(faults[0])}), and most likely the database too: keep the existing backups, and examine the disk`,
    );
  } finally {
    db.close();
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
