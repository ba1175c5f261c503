import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { SealedCertificate, ServedOrigin, ServedSite } from './served-sites.ts';

/**
 * The file: lines of JSON. The first names the format, the database and when that confirmed what follows; the last has the SHA-256 of all lines before it, so
 * that half a file is none. Private keys are sealed as in the store.
 */

export interface EdgeCacheContent {
  sites: [string, ServedSite][];
  origins: [string, ServedOrigin][];
}

/** `database`: its URL without a password. What was served from one database is no answer for another. */
export interface FileOf {
  path: string;
  database: string;
}

/** Why a file is not used; the message completes "the edge cache … is ignored: …". */
export class UnusableFile extends Error {
  override name = 'UnusableFile';
}

/** Goes up whenever a site is described otherwise. */
const FORMAT = 2;
const ABSENT: unknown[] = ['ENOENT', 'ENOTDIR'];
const OTHERS = 0o077;
/** Far more than is ever written is not read into memory. */
const MOST_BYTES = 128 * 1024 * 1024;
/** Lines between which other work has its turn: a few milliseconds. */
const LINES_AT_ONCE = 200;
/** A temporary file that is older was left by a process that was killed. */
const LEFTOVER_MS = 600_000;

/** One entry; `at`: when the store confirmed it. */
export type EdgeCacheLine =
  | {
      site: ServedSite['site'];
      certificate: (Omit<SealedCertificate, 'privateKey'> & { privateKey: string }) | null;
      at: number;
    }
  | { environment: string; origin: ServedOrigin['origin']; at: number };

/** Null: there is no file. Rejects with `UnusableFile`, or with the error of the system. */
export async function readEdgeCache({
  path,
  database,
}: FileOf): Promise<(EdgeCacheContent & { bytes: number; confirmedAt: number }) | null> {
  const text = await readPrivate(path);
  if (text === null) return null;
  const lines = text.toString('utf8').split('\n');
  const header = headerOf(lines[0]);
  if (header.nameplateEdgeCache !== FORMAT) throw new UnusableFile('another version of the program wrote it');
  if (header.database !== database) throw new UnusableFile(`it is of another database, ${header.database}`);
  expectWhole(text, lines.at(-2));
  const content: EdgeCacheContent = { sites: [], origins: [] };
  for (const [at, line] of lines.slice(1, -2).entries()) {
    if (at % LINES_AT_ONCE === 0) await setImmediate();
    addLine(content, JSON.parse(line));
  }
  return { ...content, bytes: text.length, confirmedAt: header.confirmedAt };
}

/** Replaces the file at once: whoever reads it finds the old or the new one. Resolves with its size in bytes. */
export async function writeEdgeCache(
  { path, database }: FileOf,
  content: Iterable<EdgeCacheLine>,
  confirmedAt: number,
): Promise<number> {
  const temporary = `${path}.${process.pid}.new`;
  await makeDirectory(dirname(path));
  // Not followed, should somebody have put a link there.
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  const file = await open(temporary, flags, 0o600);
  let bytes: number;
  try {
    await file.chmod(0o600);
    bytes = await writeLines(file, { nameplateEdgeCache: FORMAT, database, confirmedAt }, content);
    await file.sync();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncDirectory(dirname(path));
  return bytes;
}

/** Deletes what processes left behind that were killed while they wrote. */
export async function removeLeftovers(path: string, now: number): Promise<void> {
  const [directory, name] = [dirname(path), basename(path)];
  for (const file of await readdir(directory).catch(() => [])) {
    if (!file.startsWith(`${name}.`) || !/^\d+\.new$/.test(file.slice(name.length + 1))) continue;
    const found = await stat(join(directory, file)).catch(() => null);
    if (found !== null && now - found.mtimeMs > LEFTOVER_MS) await rm(join(directory, file), { force: true });
  }
}

export function siteLine({ site, certificate }: ServedSite, at: number): EdgeCacheLine {
  const privateKey = certificate && Buffer.from(certificate.privateKey).toString('base64');
  return { site, certificate: certificate && privateKey !== null ? { ...certificate, privateKey } : null, at };
}

export function originLine(environment: string, { origin }: ServedOrigin, at: number): EdgeCacheLine {
  return { environment, origin, at };
}

function addLine(content: EdgeCacheContent, line: EdgeCacheLine): void {
  if ('environment' in line) {
    content.origins.push([line.environment, { origin: line.origin, confirmedAt: line.at }]);
    return;
  }
  const { site, certificate, at } = line;
  const privateKey = certificate && new Uint8Array(Buffer.from(certificate.privateKey, 'base64'));
  const sealed = certificate && privateKey && { ...certificate, privateKey };
  content.sites.push([site.hostname, { site, certificate: sealed, confirmedAt: at }]);
}

async function writeLines(file: FileHandle, header: object, content: Iterable<EdgeCacheLine>): Promise<number> {
  const hash = createHash('sha256');
  let bytes = 0;
  let lines = [JSON.stringify(header)];
  const flush = async () => {
    const chunk = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    lines = [];
    hash.update(chunk);
    bytes += chunk.length;
    await file.writeFile(chunk);
  };
  for (const line of content) {
    lines.push(JSON.stringify(line));
    if (lines.length >= LINES_AT_ONCE) await flush();
  }
  await flush();
  const end = Buffer.from(`${JSON.stringify({ sha256: hash.digest('hex') })}\n`);
  await file.writeFile(end);
  return bytes + end.length;
}

/** A file that others may read or change, or may have put there, is not used: it says where requests go. */
async function readPrivate(path: string): Promise<Buffer | null> {
  let file: FileHandle;
  try {
    // A FIFO would otherwise wait for somebody who writes.
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

function headerOf(line = ''): { nameplateEdgeCache?: unknown; database?: unknown; confirmedAt: number } {
  try {
    const header = JSON.parse(line);
    if (typeof header === 'object' && header !== null) return header;
  } catch {
    // Not JSON.
  }
  throw new UnusableFile('it is damaged, or something else');
}

function expectWhole(text: Buffer, last = ''): void {
  const end = text.lastIndexOf('\n', text.length - 2) + 1;
  const sha256 = createHash('sha256').update(text.subarray(0, end)).digest('hex');
  if (last !== JSON.stringify({ sha256 }) || !text.subarray(end).equals(Buffer.from(`${last}\n`)))
    throw new UnusableFile('it is damaged, or was not written to its end');
}

async function makeDirectory(directory: string): Promise<void> {
  await mkdir(directory, { mode: 0o700 }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
