import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/** A source tree that is measured: the present one, or that of another commit. */
export interface Checkout {
  root: string;
  /** As given; null: the present source. */
  commit: string | null;
}

export const PRESENT: Checkout = { root: fileURLToPath(new URL('..', import.meta.url)), commit: null };

/** A part imports the source that this names (`startPart`). */
export const ROOT_VARIABLE = 'NAMEPLATE_BENCH_ROOT';

const run = promisify(execFile);

/** Unpacks a commit into a new directory, installs its packages, and builds what is built of it. */
export async function checkOut(commit: string, directory: string): Promise<Checkout> {
  await mkdir(directory);
  const { stdout: hash } = await run('git', ['rev-parse', '--verify', `${commit}^{commit}`], { cwd: PRESENT.root });
  const archive = join(directory, 'source.tar');
  await run('git', ['archive', '--output', archive, hash.trim()], { cwd: PRESENT.root });
  await run('tar', ['-xf', archive, '-C', directory]);
  await run('npm', ['ci', '--loglevel=error', '--no-audit', '--no-fund'], { cwd: directory });
  await run('npm', ['run', '--if-present', 'build'], { cwd: directory });
  return { root: directory, commit };
}

/** Where the modules are that measurements import: in the present source, and before they moved. Their interfaces are the same. */
const PATHS: { [Name in keyof Modules]: string[] } = {
  config: ['config/config.ts', 'config.ts'],
  dnsClient: ['dns/transport/dns-client.ts', 'dns/client.ts'],
  edge: ['edge/edge.ts'],
  log: ['log.ts'],
  main: ['main.ts'],
  metrics: ['metrics.ts'],
  postgres: ['store/postgres/postgres.ts', 'store/postgres.ts'],
  resolver: ['dns/authoritative.ts'],
  seed: ['playground/seed.ts', 'dev/seed.ts'],
  sqlite: ['store/sqlite/sqlite.ts', 'store/sqlite.ts'],
  verifier: ['verification/verifier.ts', 'verification/worker.ts'],
};

interface Modules {
  config: typeof import('../src/config/config.ts');
  dnsClient: typeof import('../src/dns/transport/dns-client.ts');
  edge: typeof import('../src/edge/edge.ts');
  log: typeof import('../src/log.ts');
  main: typeof import('../src/main.ts');
  metrics: typeof import('../src/metrics.ts');
  postgres: typeof import('../src/store/postgres/postgres.ts');
  resolver: typeof import('../src/dns/authoritative.ts');
  seed: typeof import('../src/playground/seed.ts');
  sqlite: typeof import('../src/store/sqlite/sqlite.ts');
  verifier: typeof import('../src/verification/verifier.ts');
}

/** A module of a source tree; unless given, of the one that this process measures. */
export async function importSource<Name extends keyof Modules>(
  name: Name,
  root = process.env[ROOT_VARIABLE] ?? PRESENT.root,
): Promise<Modules[Name]> {
  const path = PATHS[name].map((path) => join(root, 'src', path)).find((path) => existsSync(path));
  if (path === undefined) throw new Error(`${root} has no ${PATHS[name].join(' or ')} that could be measured`);
  return import(pathToFileURL(path).href);
}
