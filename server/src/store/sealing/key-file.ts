import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
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
import { createKey, type KeySource, parseKeys, SealingError } from './keyring.ts';

type RandomBytes = (bytes: number) => Uint8Array;

/**
 * The keys of an embedded store: a file beside the database, one key a line in base64; the first one seals. It is created, with one key, when
 * the first secret is sealed, but never in place of one that was there: another key would open nothing that is stored.
 */
export function keyFile(path: string, random: RandomBytes = randomBytes): KeySource {
  let existed = existsSync(path);

  function read(): Uint8Array[] | null {
    const keys = readKeys(path);
    existed ||= keys !== null;
    return keys;
  }

  return {
    name: path,
    keys(purpose) {
      const keys = read();
      if (keys !== null) return keys;
      if (purpose === 'unseal') return [];
      if (existed) throw new SealingError(`${path} is gone: restore the file from your copy, then try again`);
      createFile(path, random);
      return read() ?? [];
    },
  };
}

/** Adds a new first key, which seals from then on, in every process. Throws `SealingError` while another process adds one. */
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
      throw new SealingError(`others may read the keys in ${path}: run "chmod 600 ${path}"`);
    }
    const keys = parseKeys(readFileSync(file, 'utf8'), path);
    if (keys.length > 0) return keys;
    throw new SealingError(`${path} has no key: restore the file from your copy`);
  } catch (error) {
    throw error instanceof SealingError ? error : cannotRead(path, error);
  } finally {
    closeSync(file);
  }
}

/** Nobody can read half a file; of several processes that create it at once, one wins. */
function createFile(path: string, random: RandomBytes): void {
  const made = `${path}.${Buffer.from(random(8)).toString('hex')}`;
  writeNew(made, () => `${createKey(random)}\n`);
  try {
    linkSync(made, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw cannotCreate(path, error);
  } finally {
    rmSync(made);
  }
  sync(dirname(path));
}

/** Writes a new file that only its owner can read. */
function writeNew(path: string, content: () => string): void {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    throw cannotCreate(path, error);
  }
  try {
    writeSync(file, content());
    fsyncSync(file);
  } catch (error) {
    rmSync(path);
    throw cannotCreate(path, error);
  } finally {
    closeSync(file);
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function cannotRead(path: string, error: unknown): SealingError {
  return new SealingError(`the keys in ${path} cannot be read (${codeOf(error)}): check that it belongs to this user`, {
    cause: error,
  });
}

function cannotCreate(path: string, error: unknown): SealingError {
  const message =
    codeOf(error) === 'EEXIST'
      ? `${path} exists already: another process is adding a key, or was interrupted; in that case remove the file`
      : `${path} cannot be created (${codeOf(error)}): check that its directory belongs to this user`;
  return new SealingError(message, { cause: error });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
