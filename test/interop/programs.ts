import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where the packages of Knot and Unbound are unpacked; git ignores it. */
export const UNPACKED = join(import.meta.dirname, '../../.tools/dns');

export type Program = 'knotd' | 'knotc' | 'keymgr' | 'unbound' | 'unbound-control';

/** How to run the unpacked programs. */
export interface Programs {
  path(program: Program): string;
  env: NodeJS.ProcessEnv;
}

/** Fetches and unpacks the programs unless they are there. Rejects, never skips, when that cannot be done: the reason has been printed. */
export async function findPrograms(): Promise<Programs> {
  if (!existsSync(UNPACKED)) await install();
  const libraries = join(UNPACKED, 'usr/lib');
  // One folder for each architecture, such as x86_64-linux-gnu.
  const folders = readdirSync(libraries).filter((name) => name.includes('-linux-'));
  return {
    path: (program) => join(UNPACKED, 'usr/sbin', program),
    env: { LD_LIBRARY_PATH: folders.map((name) => join(libraries, name)).join(':') },
  };
}

/** Under a lock that ends with its process: several test files begin at once. */
async function install(): Promise<void> {
  const tools = dirname(UNPACKED);
  mkdirSync(tools, { recursive: true });
  const script = join(import.meta.dirname, 'install.ts');
  const words = [join(tools, '.lock'), process.execPath, script];
  const child = spawn('flock', words, { stdio: ['ignore', 'inherit', 'inherit'] });
  const [status] = await once(child, 'exit');
  if (status !== 0)
    throw new Error('The DNS servers of the interop tests could not be installed; the reason is above.');
}
