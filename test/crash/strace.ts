import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Where the package of strace is unpacked where the system has none; git ignores it. */
const UNPACKED = join(import.meta.dirname, '../../.tools/strace');

/**
 * Words that run strace: the system's own, or that of a Debian package, unpacked into the clone. Throws the reason
 * where it cannot be run.
 */
export function findStrace(): string[] {
  const own = ['strace'];
  if (failureOf(own) === null) return own;
  if (!existsSync(join(UNPACKED, 'usr/bin/strace'))) unpack();
  const folder = readdirSync(join(UNPACKED, 'usr/lib')).find((name) => name.includes('-linux-')) ?? '';
  const unpacked = ['env', `LD_LIBRARY_PATH=${join(UNPACKED, 'usr/lib', folder)}`, join(UNPACKED, 'usr/bin/strace')];
  const failure = failureOf(unpacked);
  if (failure !== null) throw new Error(`no system calls can be traced here: ${failure}`);
  return unpacked;
}

/** Null: it traces what it runs. */
function failureOf([program = '', ...words]: string[]): string | null {
  const { error, status, stderr } = spawnSync(program, [...words, '-f', '-o', '/dev/null', 'true'], {
    encoding: 'utf8',
  });
  return error?.message ?? (status === 0 ? null : stderr);
}

function unpack(): void {
  console.error('nameplate: fetching strace for the test of power cuts (once, 1.4 MB)…');
  mkdirSync(UNPACKED, { recursive: true });
  const script = 'apt-get download strace libunwind8 && for file in *.deb; do dpkg --extract "$file" . || exit; done';
  const { error, status, stderr } = spawnSync('sh', ['-c', script], { cwd: UNPACKED, encoding: 'utf8' });
  if (error !== undefined || status !== 0) throw new Error(`strace cannot be fetched: ${error?.message ?? stderr}`);
}
