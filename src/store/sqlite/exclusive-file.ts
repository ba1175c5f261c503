import { DatabaseSync } from 'node:sqlite';
import { StoreUnavailable } from '../contract/store.ts';
import { cannotOpen } from './database-file.ts';
import { isBusy } from './sqlite-errors.ts';

/** A short command may be at work on the file. */
const PATIENCE_MS = 1000;

/**
 * Opens a file that no other process has open, and none can until it is closed here: the operating system lets go of it when the process
 * dies, however it dies. Throws `StoreUnavailable`.
 */
export function openAlone(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: PATIENCE_MS });
  try {
    // In WAL mode every connection, also one that only reads, holds a lock that is in the way of this one.
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
