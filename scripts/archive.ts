import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

/** Options of GNU tar by which equal files give equal bytes, whoever packs them and when. */
export function fixed(timeMs: number): string[] {
  return ['--format=gnu', '--numeric-owner', `--mtime=@${Math.floor(timeMs / 1000)}`];
}

/** Packs the contents of a directory: in order, of root, readable by everybody. */
export function archive(directory: string, file: string, timeMs: number, entries = readdirSync(directory)): void {
  const owner = ['--sort=name', '--owner=0', '--group=0', '--mode=a+rX,u+w,go-w', ...fixed(timeMs)];
  execFileSync('tar', ['--create', '--file', file, ...owner, '--directory', directory, ...entries.sort()]);
}
