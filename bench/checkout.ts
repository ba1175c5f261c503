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

/**
 * Where the modules are that measurements import: in the present source, and before they moved. Their interfaces are
 * the same.
 */
const PATHS: { [Name in keyof Modules]: string[] } = {
  config: ['server/src/config/config.ts', 'src/config/config.ts'],
  dnsClient: ['server/src/dns/transport/dns-client.ts', 'src/dns/transport/dns-client.ts'],
  edge: ['server/src/edge/edge.ts', 'src/edge/edge.ts'],
  log: ['server/src/base/log.ts', 'src/log.ts'],
  main: ['server/src/main.ts', 'src/main.ts'],
  metrics: ['server/src/roles/metrics.ts', 'src/metrics.ts'],
  postgres: ['server/src/store/engine/postgres/postgres.ts', 'src/store/postgres/postgres.ts'],
  resolver: ['server/src/dns/authoritative.ts', 'src/dns/authoritative.ts'],
  seed: ['playground/seed.ts', 'src/playground/seed.ts'],
  sqlite: ['server/src/store/engine/sqlite/sqlite.ts', 'src/store/sqlite/sqlite.ts'],
  verifier: ['server/src/verification/verifier.ts', 'src/verification/verifier.ts'],
};

interface Modules {
  config: typeof import('../server/src/config/config.ts');
  dnsClient: typeof import('../server/src/dns/transport/dns-client.ts');
  edge: typeof import('../server/src/edge/edge.ts');
  log: typeof import('../server/src/base/log.ts');
  main: typeof import('../server/src/main.ts');
  metrics: typeof import('../server/src/roles/metrics.ts');
  postgres: typeof import('../server/src/store/engine/postgres/postgres.ts');
  resolver: typeof import('../server/src/dns/authoritative.ts');
  seed: typeof import('../playground/seed.ts');
  sqlite: typeof import('../server/src/store/engine/sqlite/sqlite.ts');
  verifier: typeof import('../server/src/verification/verifier.ts');
}

/** A module of a source tree; unless given, of the one that this process measures. */
export async function importSource<Name extends keyof Modules>(
  name: Name,
  root = process.env[ROOT_VARIABLE] ?? PRESENT.root,
): Promise<Modules[Name]> {
  const path = PATHS[name].map((path) => join(root, path)).find((path) => existsSync(path));
  if (path === undefined) throw new Error(`${root} has no ${PATHS[name].join(' or ')} that could be measured`);
  return import(pathToFileURL(path).href);
}
