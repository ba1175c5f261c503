import { mkdtemp, readFile, rename, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, makeDirectory } from '../store/sqlite/database-file.ts';

/** The store in a data directory. */
export const STORE_FILE = 'nameplate.db';
/** The internal CA's certificate in a playground's data directory. */
export const CA_FILE = 'ca.pem';

/** What a playground says when everything listens, as `nameplate dev --json` prints it. */
export interface Ready {
  event: 'ready';
  api: string;
  rootKey: string;
  workspaceId: string;
  project: { id: string; slug: string };
  app: { id: string; slug: string };
  environment: { id: string; slug: string };
  /** Address and port of the DNS simulator. */
  dns: string;
  /** Addresses and ports of the edge; `ca` is the file with the certificate that has to be trusted. */
  edge: { http: string; https: string; ca: string };
}

/** What commands need of a playground, beyond what it says: `dev.json` in its data directory. */
export interface PlaygroundFile extends Ready {
  /** Where `nameplate dns` steers the simulator. */
  control: string;
  pid: number;
  /** Length of the verification window. */
  windowMs: number;
}

/** The file of the playground in a data directory; null when there is none that can be read. */
export async function readPlaygroundFile(dataDir: string): Promise<PlaygroundFile | null> {
  try {
    const file: unknown = JSON.parse(await readFile(pathOf(dataDir), 'utf8'));
    return isPlaygroundFile(file) ? file : null;
  } catch {
    return null;
  }
}

/** Replaces the file as a whole; only its owner can read it, since it holds a root key. */
export async function writePlaygroundFile(dataDir: string, file: PlaygroundFile): Promise<void> {
  await replaceFile(pathOf(dataDir), `${JSON.stringify(file, null, 2)}\n`);
}

/** Writes a file so that a reader sees all of it or what was there before. Mode 0600. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}

/** Makes the data directory, which only its owner may enter. Rejects, in one line that says what to do, where that cannot be. */
export async function makeDataDir(dataDir: string): Promise<void> {
  try {
    makeDirectory(dataDir);
    // Tried, since a directory whose mode allows it may still be of a file system that does not.
    await rmdir(await mkdtemp(join(dataDir, 'try-')));
  } catch (error) {
    throw new Error(
      `cannot keep data in ${dataDir} (${codeOf(error)}): see that it is a directory in which this user may write, or name another with --data`,
      { cause: error },
    );
  }
}

function pathOf(dataDir: string): string {
  return join(dataDir, 'dev.json');
}

function isPlaygroundFile(file: unknown): file is PlaygroundFile {
  if (typeof file !== 'object' || file === null) return false;
  return ['api', 'rootKey', 'control', 'dns'].every(
    (key) => key in file && typeof file[key as keyof typeof file] === 'string',
  );
}
