// npm run release -- DIRECTORY: makes what a release publishes, from the tag of this version. It publishes nothing.
// CONTRIBUTING.md has the steps around it, docs/decisions/0077-packages.md the reasons.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from './bundle.ts';

const root = dirname(import.meta.dirname);
const run = (command: string, args: string[]) =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 28 });

/** Parts of a release: each writes its files into the directory. An image and a chart are two more of them. */
const PARTS: ((directory: string) => void | Promise<void>)[] = [packages, materials];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'dry-run': { type: 'boolean' } } });
const [directory = 'release'] = positionals;
const problem = values['dry-run'] ? null : problemOfCheckout();
if (problem !== null) {
  console.error(`release: ${problem} To try it on any checkout: npm run release -- --dry-run`);
  process.exitCode = 1;
} else await release(resolve(root, directory));

async function release(path: string): Promise<void> {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  for (const part of PARTS) await part(path);
  const files = readdirSync(path).sort();
  const sums = files.map((file) => `${sha256(join(path, file))}  ${file}\n`);
  writeFileSync(join(path, 'SHA256SUMS'), sums.join(''));
  process.stdout.write(sums.join(''));
}

/** Why this checkout is not the tag of its version; null: it is. */
function problemOfCheckout(): string | null {
  const tag = `v${manifest().version}`;
  if (run('git', ['status', '--porcelain']) !== '') return 'The checkout has changes. Commit or discard them.';
  const tags = run('git', ['tag', '--points-at', 'HEAD']).split('\n');
  return tags.includes(tag) ? null : `This commit is not tagged ${tag}. Check out that tag.`;
}

/** The archives of npm. */
async function packages(path: string): Promise<void> {
  await bundle(root);
  for (const workspace of ['.', './client']) run('npm', ['pack', workspace, '--ignore-scripts', '--pack-destination', path]);
}

/** Software bills of materials: the client has no packages, so one names those that are in the bundle. */
function materials(path: string): void {
  const workspaces = ['server', 'playground', 'page'].flatMap((name) => ['--workspace', name]);
  const text = run('npm', ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--omit=dev', ...workspaces]);
  const { serialNumber: _, ...document } = JSON.parse(text);
  document.metadata.timestamp = run('git', ['log', '-1', '--format=%cI']).trim();
  const { name, version } = manifest();
  writeFileSync(join(path, `${name}-${version}.cdx.json`), `${JSON.stringify(document, null, 2)}\n`);
}

function manifest(): { name: string; version: string } {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
