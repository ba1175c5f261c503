import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { CLONE } from '../support/command.ts';

/** A file of the clone. */
export function read(path: string): string {
  return readFileSync(join(CLONE, path), 'utf8');
}

/** The instructions of the Dockerfile's last stage, which is the image. */
export function instructions(): { name: string; value: string }[] {
  const lines = read('Dockerfile')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line !== '');
  const own = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
  return own.map((line) => {
    const [name = '', ...words] = line.split(/\s+/);
    return { name, value: words.join(' ') };
  });
}

/** The value of an instruction that is there once. */
export function instruction(name: string): string {
  const found = instructions().filter((each) => each.name === name);
  if (found.length !== 1 || found[0] === undefined) throw new Error(`the Dockerfile has ${found.length} ${name}`);
  return found[0].value;
}

/** What the image sets in the environment. */
export function imageEnvironment(): Record<string, string> {
  return Object.fromEntries(instruction('ENV').split(' ').map(assignment));
}

export function assignment(text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}

/** The files of the image, without the system below them: nobody may write them, whoever runs the programs may read them. */
export interface Image {
  /** What is `/app` in the image. */
  app: string;
  /** A directory that can be written. */
  data: string;
  /** Everything that the environment of the image has in it. */
  env: Record<string, string>;
  /** Not the superuser, who may write anything. */
  user: { uid?: number; gid?: number };
  remove(): void;
}

/** Every system has a `nobody`. */
const NOBODY = 65_534;

/** Copies what the Dockerfile copies, and the packages that its `npm ci` leaves. */
export function makeImage(): Image {
  const directory = mkdtempSync(join(tmpdir(), 'nameplate-image-'));
  const app = join(directory, 'app');
  const data = join(directory, 'data');
  const programs = join(directory, 'programs');
  for (const path of [app, data, programs]) mkdirSync(path);
  for (const { name, value } of instructions()) if (name === 'COPY') copy(value.split(' '), app);
  // A clone may be where others cannot read.
  copyFileSync(process.execPath, join(programs, 'node'));
  execFileSync('chmod', ['-R', 'a-w,a+rX', app, programs]);
  const user = process.geteuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (user.uid !== undefined) execFileSync('chown', [String(user.uid), data]);
  chmodSync(directory, 0o755);
  return {
    app,
    data,
    user,
    env: { PATH: `${programs}:/usr/bin:/bin`, ...imageEnvironment() },
    remove() {
      execFileSync('chmod', ['-R', 'u+w', directory]);
      rmSync(directory, { recursive: true });
    },
  };
}

function copy(words: string[], app: string): void {
  if (words[0] === '--from=packages') copyPackages(app);
  else for (const source of words.slice(0, -1)) copyFiles(source, join(app, words.at(-1) ?? '.'));
}

/** A directory becomes the target, a file goes into it. */
function copyFiles(source: string, target: string): void {
  if (!read('.dockerignore').split('\n').includes(`!${source}`)) {
    throw new Error(`.dockerignore keeps ${source} from the Dockerfile`);
  }
  const from = join(CLONE, source);
  const to = statSync(from).isDirectory() ? target : join(target, basename(source));
  cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith('.test.ts') });
}

interface Locked {
  dev?: true;
  optional?: true;
  devOptional?: true;
}

/** As `npm ci --omit=dev --omit=optional` installs them. */
function copyPackages(app: string): void {
  const { packages }: { packages: Record<string, Locked> } = JSON.parse(read('package-lock.json'));
  for (const [path, { dev, optional, devOptional }] of Object.entries(packages)) {
    if (path === '' || dev || optional || devOptional) continue;
    // Packages below this one have entries of their own.
    const filter = (source: string) => source === join(CLONE, path) || basename(source) !== 'node_modules';
    cpSync(join(CLONE, path), join(app, path), { recursive: true, filter });
  }
}
