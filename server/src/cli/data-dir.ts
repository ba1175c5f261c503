import { mkdtemp, readFile, rename, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, makeDirectory } from '../store/engine/sqlite/database-file.ts';

/** The internal CA's certificate in a playground's data directory. */
export const CA_FILE = 'ca.pem';

/** The line that `nameplate dev --json` prints when everything listens. */
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
  /** Addresses and ports of the edge; `ca` is the file with the CA certificate for clients to trust. */
  edge: { http: string; https: string; ca: string };
  /** The link that signs in to the dashboard, once. */
  dashboard: string;
  /** The link to the page of the DNS panel. */
  dnsPanel: string;
  /**
   * The link to the set-up page of the example domain; absent in a demo, and where the workspace may have no more
   * domains.
   */
  setup?: string;
}

/** `dev.json` in the data directory: how commands find and use the playground. */
export interface PlaygroundFile extends Ready {
  /** Origin of the server that the playground brings with it. */
  hello: string;
  /** URL for `nameplate dns` to control the simulator. */
  control: string;
  pid: number;
  /** Length of the verification window. */
  windowMs: number;
}

/** Reads `dev.json`; null if there is none, or it is invalid. */
export async function readPlaygroundFile(dataDir: string): Promise<PlaygroundFile | null> {
  try {
    const file: unknown = JSON.parse(await readFile(pathOf(dataDir), 'utf8'));
    return isPlaygroundFile(file) ? file : null;
  } catch {
    return null;
  }
}

/** Replaces `dev.json`. Only its owner can read it, because it contains a root key. */
export async function writePlaygroundFile(dataDir: string, file: PlaygroundFile): Promise<void> {
  await replaceFile(pathOf(dataDir), `${JSON.stringify(file, null, 2)}\n`);
}

/** Replaces a file atomically. Mode 0600. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}

/** Creates the data directory, for its owner only. Rejects with advice if it cannot be written. */
export async function makeDataDir(dataDir: string): Promise<void> {
  try {
    makeDirectory(dataDir);
    // The mode may allow writing where the file system does not.
    await rmdir(await mkdtemp(join(dataDir, 'try-')));
  } catch (error) {
    throw new Error(
      `cannot write to ${dataDir} (${codeOf(error)}): make it a directory that this user can write to, or name another with --data`,
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
