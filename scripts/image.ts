// The image of a release: an archive that holds the package `nameplate`, the pinned Node and the shared libraries that
// Node needs. No daemon builds it, and it has no shell. docs/internals/decisions/0079-image.md has the reasons.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { archive, fixed } from './archive.ts';

const STORE = '/var/lib/nameplate';
const UID = 1000;

/** The configuration of its containers, by the specification of images. */
export const IMAGE = {
  // By number, so that Kubernetes can check "runAsNonRoot". Only the store is written to: the rest may be read-only.
  User: `${UID}:${UID}`,
  WorkingDir: STORE,
  Env: {
    PATH: '/usr/local/bin:/usr/bin',
    // As bin/nameplate does, which needs a shell.
    NODE_OPTIONS: '--max-semi-space-size=8 --expose-gc',
    MALLOC_ARENA_MAX: '2',
    NAMEPLATE_DATABASE_URL: `sqlite:${STORE}/nameplate.db`,
    NAMEPLATE_EDGE_CACHE: `${STORE}/edge-cache`,
    NAMEPLATE_LISTEN: '*:7070',
    NAMEPLATE_METRICS_LISTEN: '*:7071',
    // Published as 80 and 443. Not every runtime lets a user other than root listen below 1024.
    NAMEPLATE_EDGE_HTTP_LISTEN: '*:8080',
    NAMEPLATE_EDGE_HTTPS_LISTEN: '*:8443',
    NAMEPLATE_EDGE_HEALTH_LISTEN: '*:7073',
  },
  ports: [7070, 7071, 8080, 8443, 7073],
  // An init clears away the processes that reloads have replaced: Node waits only for those that it has started.
  Entrypoint: ['/usr/bin/tini', '--', '/usr/local/bin/nameplate'],
  Cmd: ['serve'],
  /** Docker reads it, though the specification has no such field. Times in nanoseconds. */
  Healthcheck: {
    Test: ['CMD', '/usr/bin/node', '/app/dist/healthcheck.js'],
    ...{ Interval: 15e9, Timeout: 5e9, StartPeriod: 60e9 },
  },
};

/** Debian packages: the libraries of Node, the init, and the roots that an operating system trusts. */
const PACKAGES = ['ca-certificates', 'libc6', 'libgcc-s1', 'libstdc++6', 'tini'];

/** Parts of these packages that nothing in the image uses. */
const UNUSED =
  /^(etc\/ca-certificates|usr\/(sbin|lib\/[^/]+\/(gconv|audit)|share\/(?!doc$|doc\/)|share\/doc\/.*\/(?!copyright)|bin\/tini-static))/;

export interface ImageOptions {
  version: string;
  /** The commit of the sources. */
  revision: string;
  /** All its files have this time, so that two builds are equal. */
  createdMs: number;
  /** The archive of npm. */
  program: string;
  /** A folder of Debian packages; they are fetched into it unless it exists. */
  packages: string;
}

/** Its platform, as images name it: that of this machine. */
export const ARCHITECTURE = process.arch === 'x64' ? 'amd64' : process.arch;

/** Writes the image, as a layout of OCI in a tar that `docker load` takes too. */
export function writeImage(root: string, file: string, options: ImageOptions): void {
  const work = mkdtempSync(join(tmpdir(), 'nameplate-image-'));
  try {
    const layout = join(work, 'layout');
    mkdirSync(join(layout, 'blobs/sha256'), { recursive: true });
    fetchPackages(options.packages);
    layOutSystem(join(work, 'system'), root, options.packages);
    layOutProgram(join(work, 'program'), options.program);
    const layers = ['system', 'program'].map((name) => {
      const tar = join(work, `${name}.tar`);
      archive(join(work, name), tar, options.createdMs);
      if (name === 'system') addFolders(tar, work, options.createdMs);
      return { diffId: digestOf(readFileSync(tar)), blob: addBlob(layout, gzipSync(readFileSync(tar))) };
    });
    writeIndex(layout, layers, options);
    archive(layout, file, options.createdMs);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** With package lists of its own, since those of the machine may be old or absent. */
function fetchPackages(folder: string): void {
  if (existsSync(folder)) return;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(join(unfinished, 'lists/partial'), { recursive: true });
  const lists = `Dir::State::lists=${join(unfinished, 'lists')}`;
  const apt = (...words: string[]) =>
    execFileSync('apt-get', ['-qq', '-o', lists, '-o', 'Debug::NoLocking=1', '-o', 'APT::Sandbox::User=', ...words], {
      cwd: unfinished,
    });
  apt('update', '--error-on=any');
  apt('download', ...PACKAGES);
  // It has the licence of two others.
  const compiler = readdirSync(unfinished).find((name) => name.startsWith('libgcc')) ?? '';
  apt('download', /gcc-\d+-base/.exec(field(join(unfinished, compiler), 'Depends'))?.[0] ?? '');
  rmSync(join(unfinished, 'lists'), { recursive: true });
  renameSync(unfinished, folder);
}

function field(file: string, ...names: string[]): string {
  return execFileSync('dpkg-deb', ['--field', file, ...names], { encoding: 'utf8' });
}

function layOutSystem(directory: string, root: string, packages: string): void {
  const folders = ['usr/bin', 'usr/lib', 'usr/lib64', 'usr/share/doc/nodejs', 'etc', 'var/lib/dpkg/status.d'];
  for (const folder of folders) mkdirSync(join(directory, folder), { recursive: true });
  for (const folder of ['lib', 'lib64']) symlinkSync(`usr/${folder}`, join(directory, folder));
  for (const name of readdirSync(packages).filter((each) => each.endsWith('.deb'))) {
    const file = join(packages, name);
    const input = execFileSync('dpkg-deb', ['--fsys-tarfile', file], { maxBuffer: 2 ** 28 });
    execFileSync('tar', ['--extract', '--keep-directory-symlink', '--directory', directory], { input });
    // Where scanners of images look, as in images of distroless.
    writeFileSync(join(directory, 'var/lib/dpkg/status.d', name.replace(/_.*/, '')), field(file));
  }
  // The script of the package does that, where it is installed.
  const roots = join(directory, 'usr/share/ca-certificates/mozilla');
  const texts = readdirSync(roots).sort();
  writeFileSync(
    join(directory, 'etc/ssl/certs/ca-certificates.crt'),
    texts.map((name) => readFileSync(join(roots, name), 'utf8')).join(''),
  );
  for (const path of readdirSync(directory, { recursive: true, encoding: 'utf8' }))
    if (UNUSED.test(path)) rmSync(join(directory, path), { recursive: true, force: true });
  const node = realpathSync(join(root, 'node_modules/.bin/node'));
  copyFileSync(node, join(directory, 'usr/bin/node'));
  copyFileSync(join(dirname(node), '../LICENSE'), join(directory, 'usr/share/doc/nodejs/copyright'));
  writeFileSync(join(directory, 'etc/passwd'), `nameplate:x:${UID}:${UID}::${STORE}:/nonexistent\n`);
  writeFileSync(join(directory, 'etc/group'), `nameplate:x:${UID}:\n`);
}

function layOutProgram(directory: string, file: string): void {
  const app = join(directory, 'app');
  for (const folder of [app, join(directory, 'usr/local/bin')]) mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['--extract', '--gzip', '--file', file, '--strip-components=1', '--directory', app]);
  rmSync(join(app, 'bin/nameplate'));
  chmodSync(join(app, 'bin/start.mjs'), 0o755);
  symlinkSync('/app/bin/start.mjs', join(directory, 'usr/local/bin/nameplate'));
}

/** Folders that are not of root, or that others may write. */
function addFolders(tar: string, work: string, timeMs: number): void {
  const add = (folder: string, owner: number, mode: string) => {
    mkdirSync(join(work, 'folders', folder), { recursive: true });
    const own = [`--owner=${owner}`, `--group=${owner}`, `--mode=${mode}`, '--no-recursion', ...fixed(timeMs)];
    execFileSync('tar', ['--append', '--file', tar, ...own, '--directory', join(work, 'folders'), folder]);
  };
  add('tmp', 0, '1777');
  // A named volume that is mounted here inherits owner and mode.
  add(STORE.slice(1), UID, '0700');
}

interface Blob {
  digest: string;
  size: number;
}

function addBlob(layout: string, content: string | Buffer): Blob {
  const digest = digestOf(content);
  writeFileSync(join(layout, pathOf(digest)), content);
  return { digest, size: Buffer.byteLength(content) };
}

function pathOf(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`;
}

function digestOf(content: string | Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

const TYPE = 'application/vnd.oci.image';

function writeIndex(layout: string, layers: { diffId: string; blob: Blob }[], options: ImageOptions): void {
  const { version, revision, createdMs } = options;
  const platform = { architecture: ARCHITECTURE, os: 'linux' };
  const created = new Date(createdMs).toISOString();
  const about = { title: 'Nameplate', version, revision, licenses: 'MIT', created };
  const Labels = Object.fromEntries(
    Object.entries(about).map(([name, value]) => [`org.opencontainers.image.${name}`, value]),
  );
  const { ports, Env, ...settings } = IMAGE;
  const config = {
    ...settings,
    Labels,
    Env: Object.entries(Env).map((each) => each.join('=')),
    ExposedPorts: Object.fromEntries(ports.map((port) => [`${port}/tcp`, {}])),
  };
  const rootfs = { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) };
  const configBlob = addBlob(layout, JSON.stringify({ ...platform, created, config, rootfs }));
  const manifest = addBlob(
    layout,
    JSON.stringify({
      schemaVersion: 2,
      mediaType: `${TYPE}.manifest.v1+json`,
      config: { mediaType: `${TYPE}.config.v1+json`, ...configBlob },
      layers: layers.map(({ blob }) => ({ mediaType: `${TYPE}.layer.v1.tar+gzip`, ...blob })),
      annotations: Labels,
    }),
  );
  const name = `nameplate:${version}`;
  const annotations = {
    'org.opencontainers.image.ref.name': version,
    'io.containerd.image.name': `docker.io/library/${name}`,
  };
  const files = {
    'oci-layout': { imageLayoutVersion: '1.0.0' },
    'index.json': {
      schemaVersion: 2,
      mediaType: `${TYPE}.index.v1+json`,
      manifests: [{ mediaType: `${TYPE}.manifest.v1+json`, ...manifest, platform, annotations }],
    },
    // For `docker load` where the daemon does not keep its images in containerd.
    'manifest.json': [
      { Config: pathOf(configBlob.digest), RepoTags: [name], Layers: layers.map(({ blob }) => pathOf(blob.digest)) },
    ],
  };
  for (const [path, content] of Object.entries(files)) writeFileSync(join(layout, path), JSON.stringify(content));
}
