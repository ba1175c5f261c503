import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { StoreUnavailable } from '../contract/store.ts';
import { cannotOpen, codeOf } from './database-file.ts';
import { appliedMigrations } from './migrate-sqlite.ts';
import { asUnavailable } from './sqlite-errors.ts';

/** Pages that are copied before progress is told. */
const STEP_PAGES = 1000;

/**
 * Copies the database to a new file, of its owner alone, while others use it: as it was at one moment after the call. What is found under
 * the name of the file was checked and is on the disk. `onProgress` is told shares of 1, and ends it by throwing. Resolves with the size of the file in bytes; rejects
 * with `StoreUnavailable`, leaving nothing behind.
 */
export async function backUp(path: string, file: string, onProgress: (done: number) => void): Promise<number> {
  refuseToMix(file);
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
    // Without a transaction the copy would begin anew with every write of others, and under load never end.
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

/** Side files that were left by another database would be taken for those of the copy. */
function refuseToMix(file: string): void {
  const there = [file, `${file}-wal`, `${file}-journal`].find((name) => existsSync(name));
  if (there !== undefined) {
    throw new StoreUnavailable(`${there} is there already, and a backup overwrites nothing: name a file that is new`);
  }
}

function makeNew(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    const code = codeOf(error);
    const what =
      code === 'EEXIST'
        ? `${file} is there already: another backup is under way, or did not come to its end; remove it, or name another file`
        : `cannot make ${file} (${code}): see that ${dirname(file)} is a directory in which this user may write, or name another file`;
    throw new StoreUnavailable(what, { cause: error });
  }
}

/** Reads the copy from end to end, without making side files. */
function check(file: string): void {
  const url = pathToFileURL(resolve(file));
  url.searchParams.set('immutable', '1');
  const db = new DatabaseSync(url, { readOnly: true });
  try {
    appliedMigrations(file, db);
    const faults = [...db.prepare('pragma integrity_check').all(), ...db.prepare('pragma foreign_key_check').all()];
    if (faults.length === 1 && faults[0]?.integrity_check === 'ok') return;
    throw new StoreUnavailable(
      `the copy is damaged (${JSON.stringify(faults[0])}), and so is the database, most likely: keep the backups there are, and look at the disk`,
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
