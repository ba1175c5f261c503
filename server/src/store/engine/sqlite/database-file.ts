import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreUnavailable, StoreUnreachable } from '../../store.ts';
import { asUnavailable } from './sqlite-errors.ts';

/**
 * Creates the file and its directory where they are missing, readable by their owner alone; SQLite gives -wal and -shm the same mode. Throws
 * `StoreUnavailable`, in one line that says what to do.
 */
export function prepareFile(path: string): void {
  const directory = dirname(path);
  try {
    makeDirectory(directory);
    // An existing file is not opened: closing it would release the locks that SQLite holds on it in this process.
    if (statSync(path, { throwIfNoEntry: false }) === undefined) closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw new StoreUnreachable(
      `cannot create the database ${path} (${codeOf(error)}): check that ${directory} is a directory in which this user may write, or name another file`,
      { cause: error },
    );
  }
  if (statSync(path).isDirectory()) {
    throw new StoreUnavailable(`${path} is a directory, and the database must be a file: name a file in it`);
  }
}

/** Adds the file to an engine's error. */
export function cannotOpen(path: string, error: unknown): unknown {
  const unavailable = asUnavailable(error);
  if (!(unavailable instanceof StoreUnavailable) || unavailable === error) return error;
  return new StoreUnreachable(`cannot open the database ${path}: ${unavailable.message}`, { cause: error });
}

/** Creates a directory and its parents. Step by step, since recursive `mkdirSync` never ends under /proc (Node 24). */
export function makeDirectory(directory: string): void {
  if (existsSync(directory)) return;
  makeDirectory(dirname(directory));
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it.
    if (!existsSync(directory)) throw error;
  }
}

/** The operating system's code of an error, as `EACCES`. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
