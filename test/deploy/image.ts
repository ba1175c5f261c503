import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { CLONE } from '../support/command.ts';

/** A file of the clone. */
export function read(path: string): string {
  return readFileSync(join(CLONE, path), 'utf8');
}

interface Instruction {
  name: string;
  value: string;
}

/**
 * The instructions of a stage of the Dockerfile: of the first one, which bundles the program, or of the last one, which
 * is the image.
 */
export function instructions(stage: 'bundle' | 'image' = 'image'): Instruction[] {
  const stages = read('Dockerfile')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split(/^(?=FROM )/m)
    .slice(1);
  const lines = (stage === 'bundle' ? stages[0] : stages.at(-1))?.trim().split(/\n+/) ?? [];
  return lines.map((line) => {
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

/** The command of the image: an init with its options, which starts the program. */
export function entrypoint(): { init: string[]; program: string[] } {
  const words: string[] = JSON.parse(instruction('ENTRYPOINT'));
  const end = words.indexOf('--');
  return { init: words.slice(0, end), program: words.slice(end + 1) };
}

/** The environment that the image sets. */
export function imageEnvironment(): Record<string, string> {
  return Object.fromEntries(instruction('ENV').split(' ').map(assignment));
}

export function assignment(text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}

/**
 * The files of the image, without the system below them: nobody may write them, whoever runs the programs may read
 * them.
 */
export interface Image {
  /** The directory that is `/app` in the image. */
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

/** Copies what the Dockerfile copies, and bundles as it does, with the packages of the clone. */
export function makeImage(): Image {
  const directory = mkdtempSync(join(tmpdir(), 'nameplate-image-'));
  const bundled = join(directory, 'bundle');
  const app = join(directory, 'app');
  const data = join(directory, 'data');
  const programs = join(directory, 'programs');
  for (const path of [bundled, app, data, programs]) mkdirSync(path);
  copyInto(bundled, instructions('bundle'));
  symlinkSync(join(CLONE, 'node_modules'), join(bundled, 'node_modules'));
  const build = instructions('bundle').findLast(({ name }) => name === 'RUN');
  execFileSync('sh', ['-c', build?.value ?? 'false'], { cwd: bundled, stdio: 'pipe' });
  copyInto(app, instructions(), bundled);
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

/** `bundled`: what is `/app` in the first stage. */
function copyInto(app: string, stage: readonly Instruction[], bundled = ''): void {
  for (const { name, value } of stage) {
    if (name !== 'COPY') continue;
    const words = value.split(' ');
    const target = join(app, words.at(-1) ?? '.');
    if (words[0] === '--from=bundle') copyFile(join(bundled, (words[1] ?? '').replace(/^\/app/, '')), target);
    else for (const source of words.slice(0, -1)) copyFile(fileOfClone(source), target);
  }
}

function fileOfClone(source: string): string {
  const kept = read('.dockerignore').split('\n');
  if (!kept.some((line) => line === `!${source}` || source.startsWith(`${line.slice(1)}/`))) {
    throw new Error(`.dockerignore keeps ${source} from the Dockerfile`);
  }
  return join(CLONE, source);
}

/** A directory becomes the target, a file goes into it. */
function copyFile(source: string, target: string): void {
  const to = statSync(source).isDirectory() ? target : join(target, basename(source));
  cpSync(source, to, { recursive: true, filter: (path) => !path.endsWith('.test.ts') });
}
