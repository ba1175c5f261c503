import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import { isPlaintext, type Keyring } from '../../store/sealing/keyring.ts';

/**
 * The file: a header and blocks of entries. Each is sealed in its place, with its length before it: what was changed or
 * cut off does not open.
 */
export interface EdgeCacheFile {
  path: string;
  /** URL of the database, without a password. A file that was written for one database is not used for another. */
  database: string;
  keyring: Keyring;
}

export interface EdgeSnapshot<Entry> {
  /** When the store confirmed it last, Unix ms. */
  confirmedAt: number;
  entries: Entry[];
}

/** Why a file is not used; the message completes "the edge cache … is ignored: …". */
export class UnusableFile extends Error {
  override name = 'UnusableFile';
}

interface Header {
  /** Incremented whenever the form of an entry changes. */
  format: number;
  database: string;
  confirmedAt: number;
  blocks: number;
}

const FORMAT = 2;
const ABSENT: unknown[] = ['ENOENT', 'ENOTDIR'];
const OTHERS = 0o077;
/** A file that is far longer than any that is written is not read into memory. */
const MOST_BYTES = 128 * 1024 * 1024;
/** The event loop is blocked for a few milliseconds at most: other work runs between blocks. */
const ENTRIES_IN_BLOCK = 200;
const LENGTH_BYTES = 4;

/** Null: there is no file. Rejects with `UnusableFile`, or with the error of the system. */
export async function readEdgeCache<Entry>(
  file: EdgeCacheFile,
): Promise<(EdgeSnapshot<Entry> & { bytes: number }) | null> {
  const bytes = await readPrivate(file.path);
  if (bytes === null) return null;
  const next = blockReader(bytes, file.keyring);
  const { format, database, confirmedAt, blocks } = next<Header>('header');
  if (format !== FORMAT) throw new UnusableFile('another version of the program wrote it');
  if (database !== file.database) throw new UnusableFile(`it is of another database, ${database}`);
  const entries: Entry[] = [];
  for (let block = 0; block < blocks; block += 1) {
    await setImmediate();
    entries.push(...next<Entry[]>(placeOf(confirmedAt, block)));
  }
  return { confirmedAt, entries, bytes: bytes.length };
}

/** Replaces the file atomically: readers find the old or the new one. Resolves with its size in bytes. */
export async function writeEdgeCache<Entry>(
  { path, database, keyring }: EdgeCacheFile,
  { confirmedAt, entries }: EdgeSnapshot<Entry>,
): Promise<number> {
  const temporary = `${path}.new`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // A killed process may have left one.
  await rm(temporary, { force: true });
  const file = await open(temporary, 'wx', 0o600);
  let bytes = 0;
  const write = async (place: string, content: unknown) => {
    const sealed = keyring.seal(serialize(content), { kind: 'edge_cache', id: place });
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(sealed.length);
    await file.writeFile(Buffer.concat([length, sealed]));
    bytes += LENGTH_BYTES + sealed.length;
  };
  try {
    const blocks = Math.ceil(entries.length / ENTRIES_IN_BLOCK);
    await write('header', { format: FORMAT, database, confirmedAt, blocks } satisfies Header);
    for (let block = 0; block < blocks; block += 1) {
      const from = block * ENTRIES_IN_BLOCK;
      await write(placeOf(confirmedAt, block), entries.slice(from, from + ENTRIES_IN_BLOCK));
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  return bytes;
}

function placeOf(confirmedAt: number, block: number): string {
  return `${confirmedAt} ${block}`;
}

function blockReader(bytes: Buffer, keyring: Keyring): <T>(place: string) => T {
  let at = 0;
  return (place) => {
    try {
      const start = at + LENGTH_BYTES;
      at = start + bytes.readUInt32BE(at);
      const sealed = bytes.subarray(start, at);
      // The keyring would return what is not sealed as it is.
      if (at > bytes.length || isPlaintext(sealed)) throw new Error('a block is cut off, or not sealed');
      return deserialize(keyring.unseal(sealed, { kind: 'edge_cache', id: place }));
    } catch (error) {
      throw new UnusableFile('it is damaged, or sealed under a key that is missing', { cause: error });
    }
  };
}

/** Rejects a file that others may read, change or have created: it decides where requests go. */
async function readPrivate(path: string): Promise<Buffer | null> {
  let file: FileHandle;
  try {
    // Opening a FIFO would otherwise block until somebody writes to it.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (ABSENT.includes(code)) return null;
    if (code === 'ELOOP') throw new UnusableFile('it is a link, which is not followed');
    throw error;
  }
  try {
    const found = await file.stat();
    const { mode, size, uid } = found;
    if (!found.isFile()) throw new UnusableFile('it is not a regular file');
    if (uid !== process.geteuid?.()) throw new UnusableFile(`it belongs to another user, number ${uid}`);
    if ((mode & OTHERS) !== 0) throw new UnusableFile(`others may read or change it: run "chmod 600 ${path}"`);
    if (size > MOST_BYTES) throw new UnusableFile('it is larger than any that is written');
    return await file.readFile();
  } finally {
    await file.close();
  }
}
