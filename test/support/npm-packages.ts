import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TOOLS } from './debian.ts';

/** How long a test may take that needs packages: they may have to be fetched first. */
export const FETCH_LIMIT_MS = 5 * 60_000;

/**
 * Installs npm packages into a folder of their own in the clone, unless they are there: those that are too large for
 * everybody who runs `npm ci`. `packages` have exact versions, and their dependencies too. Scripts of packages do not
 * run. Returns the URL of a file of theirs. Throws, with what npm says, when that cannot be done.
 */
export function npmPackages(folder: string, packages: string[], file: string): string {
  const installed = join(TOOLS, folder);
  if (!existsSync(installed)) install(installed, packages);
  return pathToFileURL(join(installed, 'node_modules', file)).href;
}

function install(folder: string, packages: string[]): void {
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  console.log(`fetching ${packages.join(' and ')} for the tests (once)…`);
  const quiet = ['--ignore-scripts', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--prefer-offline'];
  const words = ['install', '--prefix', unfinished, ...quiet, ...packages];
  const { status, error, stderr } = spawnSync('npm', words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm cannot install ${packages.join(' and ')}: ${error?.message ?? stderr}`);
  try {
    renameSync(unfinished, folder);
  } catch (failure) {
    // Another test file was quicker.
    if (!existsSync(folder)) throw failure;
    rmSync(unfinished, { recursive: true });
  }
}
