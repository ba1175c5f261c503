import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreUnavailable } from '../store.ts';
import { asUnavailable } from './failure.ts';

/** Makes sure that there is a file, readable by its owner alone, and its directory likewise; SQLite gives its own side files the same mode. */
export function prepareFile(path: string): void {
  const directory = dirname(path);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    // An existing file is left alone: opening and closing it would drop the locks that SQLite holds on it in this process.
    if (codeOf(error) !== 'EEXIST' || !isDirectory(directory)) {
      throw new StoreUnavailable(
        `cannot create the database ${path} (${codeOf(error)}): check that ${directory} is a directory that this user may write to, or name another file`,
        { cause: error },
      );
    }
  }
  if (isDirectory(path)) {
    throw new StoreUnavailable(`${path} is a directory, and the database is to be a file: name a file in it`);
  }
}

/** Says of an engine's error which file it is about. */
export function cannotOpen(path: string, error: unknown): unknown {
  const unavailable = asUnavailable(error);
  if (!(unavailable instanceof StoreUnavailable) || unavailable === error) return error;
  return new StoreUnavailable(`cannot open the database ${path}: ${unavailable.message}`, { cause: error });
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
