import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A file system of a few megabytes, for programs that are started in it; nobody else sees it, and it goes with its last
 * program.
 */
export interface Room {
  /** Words that run a program in it. */
  wrapper: readonly string[];
  /** Its directory, for a program in it. */
  inside: string;
  /** Its directory, for everybody else. */
  outside: string;
  /** Takes all the space that is left. */
  fill(): void;
  /** Gives it back. */
  clear(): void;
  /** Programs in it have to have ended. */
  close(): Promise<void>;
}

/** Rejects with the reason where the system does not let us mount. */
export async function createRoom(megabytes: number): Promise<Room> {
  const inside = await mkdtemp(join(tmpdir(), 'nameplate-'));
  const mount = `mount -t tmpfs -o size=${megabytes}m nameplate "$0" && echo mounted && exec cat`;
  const holder = spawn('unshare', ['--map-root-user', '--mount', 'sh', '-c', mount, inside], { stdio: 'pipe' });
  let complaint = '';
  holder.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  const failed = once(holder, 'close').then(() =>
    Promise.reject(new Error(`no file system can be mounted: ${complaint}`)),
  );
  failed.catch(() => {});
  await Promise.race([once(holder.stdout, 'data'), failed]);
  const outside = `/proc/${holder.pid}/root${inside}`;
  const filler = join(outside, 'filler');
  return {
    wrapper: [
      'nsenter',
      '--target',
      String(holder.pid),
      '--user',
      '--preserve-credentials',
      '--mount',
      `--wd=${process.cwd()}`,
    ],
    inside,
    outside,
    fill: () => fill(filler),
    clear: () => rmSync(filler),
    async close() {
      const closed = once(holder, 'close');
      holder.stdin.end();
      await closed;
      await rm(inside, { recursive: true });
    },
  };
}

function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (let octets = 1 << 16; octets >= 1; ) {
      try {
        writeSync(file, Buffer.alloc(octets));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
        octets >>= 1;
      }
    }
  } finally {
    closeSync(file);
  }
}
