// npm run release -- DIRECTORY: makes what a release publishes, from the tag of this version. It publishes nothing.
// CONTRIBUTING.md has the steps around it, docs/internals/decisions/0077-packages.md the reasons.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { isBundled } from '../bin/bundle.mjs';
import { archive } from './archive.ts';
import { bundle } from './bundle.ts';
import { ARCHITECTURE, writeImage } from './image.ts';

const root = dirname(import.meta.dirname);
const run = (command: string, args: string[]) =>
  execFileSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 28,
  });

const SUMS = 'SHA256SUMS';
const TRY = 'To try it on any checkout: npm run release -- --dry-run';

/** Parts of a release: each writes its files into the directory. The image holds the package of the first part. */
const PARTS: ((directory: string) => void | Promise<void>)[] = [packages, materials, image, chart];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'dry-run': { type: 'boolean' } } });
const [directory = 'release'] = positionals;
const target = resolve(root, directory);
const problem = problemOfDirectory() ?? (values['dry-run'] ? null : problemOfCheckout());
if (problem !== null) {
  console.error(`release: ${problem}`);
  process.exitCode = 1;
} else await release(target);

async function release(path: string): Promise<void> {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  for (const part of PARTS) await part(path);
  const files = readdirSync(path).sort();
  const sums = files.map((file) => `${sha256(join(path, file))}  ${file}\n`);
  writeFileSync(join(path, SUMS), sums.join(''));
  process.stdout.write(sums.join(''));
}

/** Why the directory must not be replaced; null: it has nothing but files of releases, of which one may have broken off. */
function problemOfDirectory(): string | null {
  const { name } = manifest();
  const entries = existsSync(target) ? readdirSync(target, { withFileTypes: true }) : [];
  if (entries.every((each) => each.isFile() && (each.name === SUMS || each.name.startsWith(`${name}-`)))) return null;
  return `${target} has files of something other than a release. Delete it, or name another directory.`;
}

/** Why this checkout is not the tag of its version; null: it is. */
function problemOfCheckout(): string | null {
  const tag = `v${manifest().version}`;
  if (run('git', ['status', '--porcelain']) !== '') return `The checkout has changes. Commit or discard them. ${TRY}`;
  const tags = run('git', ['tag', '--points-at', 'HEAD']).split('\n');
  return tags.includes(tag) ? null : `This commit is not tagged ${tag}. Check out that tag. ${TRY}`;
}

/** The archives of npm. */
async function packages(path: string): Promise<void> {
  // Without a tag, tests run it beside others that use the bundle.
  const isTried = values['dry-run'] && isBundled(root) && existsSync(join(root, 'client/dist'));
  if (!isTried) await bundle(root);
  for (const workspace of ['.', './client'])
    run('npm', ['pack', workspace, '--silent', '--ignore-scripts', '--pack-destination', path]);
}

/**
 * The software bill of materials of the bundle, by its list of licences: `npm sbom --omit=dev` also leaves out packages
 * that a tool needs as well. The client has no packages.
 */
function materials(path: string): void {
  const licences = readFileSync(join(root, 'dist/licenses.txt'), 'utf8');
  const bundled = new Set(
    [...licences.matchAll(/^(\S+) (\d\S*) \(/gm)].map(([, name, version]) => `${name}@${version}`),
  );
  const { serialNumber: _, ...document } = JSON.parse(run('npm', ['sbom', '--sbom-format=cyclonedx'])) as Materials;
  const components = document.components.filter((each) => bundled.has(each['bom-ref']));
  if (components.length !== bundled.size) throw new Error('npm sbom does not list every package of dist/licenses.txt');
  const { name, version } = manifest();
  const metadata = {
    ...document.metadata,
    timestamp: run('git', ['log', '-1', '--format=%cI']).trim(),
    component: { ...document.metadata.component, name, version },
  };
  const program = { ref: document.metadata.component['bom-ref'], dependsOn: [...bundled].sort() };
  const dependencies = document.dependencies
    .filter(({ ref }) => bundled.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => bundled.has(each)) }));
  const text = JSON.stringify({ ...document, metadata, components, dependencies: [program, ...dependencies] }, null, 2);
  writeFileSync(join(path, `${name}-${version}.cdx.json`), `${text}\n`);
}

function image(path: string): void {
  const { name, version } = manifest();
  // Without a tag, packages of an earlier run do.
  const fetched = values['dry-run'] ? join(root, '.tools/image') : mkdtempSync(join(tmpdir(), 'nameplate-packages-'));
  try {
    writeImage(root, join(path, `${name}-${version}-linux-${ARCHITECTURE}.tar`), {
      version,
      revision: run('git', ['rev-parse', 'HEAD']).trim(),
      createdMs: committedMs(),
      program: join(path, `${name}-${version}.tgz`),
      packages: join(fetched, 'debian'),
    });
  } finally {
    if (!values['dry-run']) rmSync(fetched, { recursive: true });
  }
}

/** The chart of Helm, as `helm package` names it. */
function chart(path: string): void {
  const { name, version } = manifest();
  const tar = join(path, `${name}-chart-${version}.tar`);
  archive(join(root, 'deploy/chart'), tar, committedMs(), [name]);
  writeFileSync(tar.replace(/tar$/, 'tgz'), gzipSync(readFileSync(tar)));
  rmSync(tar);
}

function committedMs(): number {
  return Number(run('git', ['log', '-1', '--format=%ct'])) * 1000;
}

/** The parts of a CycloneDX document that are used here. */
interface Materials {
  serialNumber: string;
  metadata: { component: { 'bom-ref': string } };
  components: { 'bom-ref': string }[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

function manifest(): { name: string; version: string } {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
