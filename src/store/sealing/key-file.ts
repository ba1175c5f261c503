import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { createKey, type KeySource, parseKeys, SealingProblem } from './keyring.ts';

/** The keys of an embedded store: a file beside the database, one key a line in base64, the first of which seals. */

type RandomBytes = (bytes: number) => Uint8Array;

/** The file as a source of keys. It is made, with one key, when the first secret is sealed; and read again whenever a key is asked for. */
export function keyFile(path: string, random: RandomBytes = randomBytes): KeySource {
  return {
    name: path,
    keys(purpose) {
      const keys = readKeys(path);
      if (keys !== null) return keys;
      if (purpose === 'open') return [];
      makeFile(path, random);
      return readKeys(path) ?? [];
    },
  };
}

/**
 * Puts a new key before the others: from then on it seals, in every process, and the others open what they have sealed. Throws `SealingProblem`
 * where another process is about to do the same.
 */
export function addKey(path: string, random: RandomBytes = randomBytes): void {
  keyFile(path, random).keys('seal');
  const next = `${path}.new`;
  writeNew(next, () => `${createKey(random)}\n${readFileSync(path, 'utf8')}`);
  renameSync(next, path);
  sync(dirname(path));
}

/** Null: there is no such file. */
function readKeys(path: string): Uint8Array[] | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw cannotRead(path, error);
  }
  try {
    if ((fstatSync(file).mode & 0o077) !== 0) {
      throw new SealingProblem(`others may read the keys in ${path}: say "chmod 600 ${path}"`);
    }
    const keys = parseKeys(readFileSync(file, 'utf8'), path);
    if (keys.length > 0) return keys;
    throw new SealingProblem(`${path} holds no key: restore it from where it was kept`);
  } catch (error) {
    throw error instanceof SealingProblem ? error : cannotRead(path, error);
  } finally {
    closeSync(file);
  }
}

/** Whoever finds the file finds all of it; of several processes that make it at once, one does. */
function makeFile(path: string, random: RandomBytes): void {
  const made = `${path}.${Buffer.from(random(8)).toString('hex')}`;
  writeNew(made, () => `${createKey(random)}\n`);
  try {
    linkSync(made, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw cannotMake(path, error);
  } finally {
    rmSync(made);
  }
  sync(dirname(path));
}

/** Writes a file that must not be there, for its owner alone. */
function writeNew(path: string, content: () => string): void {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    throw cannotMake(path, error);
  }
  try {
    writeSync(file, content());
    fsyncSync(file);
  } catch (error) {
    rmSync(path);
    throw cannotMake(path, error);
  } finally {
    closeSync(file);
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function cannotRead(path: string, error: unknown): SealingProblem {
  return new SealingProblem(`the keys in ${path} cannot be read (${codeOf(error)}): see that it belongs to this user`, {
    cause: error,
  });
}

function cannotMake(path: string, error: unknown): SealingProblem {
  const message =
    codeOf(error) === 'EEXIST'
      ? `${path} is there already: another process is adding a key, or did not come to its end; it is of no use then, so remove it`
      : `${path} cannot be made (${codeOf(error)}): see that its directory belongs to this user`;
  return new SealingProblem(message, { cause: error });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
