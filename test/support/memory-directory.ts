import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';

const MEMORY = '/dev/shm';
/** Several times what the files of a run take at once. */
const ROOM_BYTES = 4 * 2 ** 30;

/**
 * A directory in memory, for the files of one run of tests: on a disk a seventh of their CPU time, and more of their
 * waiting, is for its syncs. Undefined where the system has no room for them, or runs no programs from there.
 */
export function memoryDirectory(): string | undefined {
  if (!runsPrograms() || roomBytes() < ROOM_BYTES) return undefined;
  const directory = mkdtempSync(`${MEMORY}/nameplate-tests-`);
  // As that of the system: PostgreSQL runs as another user.
  chmodSync(directory, 0o1777);
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function runsPrograms(): boolean {
  if (process.platform !== 'linux') return false;
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  const options = mounts.map((line) => line.split(' ')).find(([, place]) => place === MEMORY)?.[3];
  return options !== undefined && !options.split(',').includes('noexec');
}

function roomBytes(): number {
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize;
}
