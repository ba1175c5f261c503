import { dirname } from 'node:path';
import type { Random } from './random.ts';
import type { Call } from './trace.ts';

/** A few files on a disk, to which a program writes, as far as the system promises anything about them. */
export interface Disk {
  /** To be given the events of a trace in their order. */
  happens(event: DiskEvent): void;
  /** What a power cut may leave: all that was synced, and of the rest whatever had been written by chance, sector by sector. */
  cut(random: Random): Map<string, Buffer>;
}

export interface DiskEvent {
  /** Line of the trace. */
  at: number;
  what: 'opened' | 'unlinked' | 'written' | 'truncated' | 'synced';
  call: Call;
}

interface File {
  synced: Buffer;
  /** In order; whether it is on the disk, nobody knows. */
  unsynced: { call: Call; truncated: boolean }[];
  /** Whether its name is on the disk. */
  named: boolean;
}

const SECTOR = 512;

/** A disk for the files `paths`, of which one is there and synced. */
export function createDisk(paths: readonly string[], present: { path: string; content: Buffer }): Disk {
  const files = new Map<string, File>([[present.path, { synced: present.content, unsynced: [], named: true }]]);

  function sync({ path, began }: Call): void {
    for (const [name, file] of files) if (path === dirname(name)) file.named = true;
    const file = files.get(path);
    if (file === undefined) return;
    const isSynced = ({ call }: { call: Call }) => call.ended < began;
    for (const { call, truncated } of file.unsynced.filter(isSynced)) {
      file.synced = truncated ? truncate(file.synced, call) : write(file.synced, call.data, offsetOf(call));
    }
    file.unsynced = file.unsynced.filter((each) => !isSynced(each));
  }

  return {
    happens({ what, call }) {
      const { path } = call;
      switch (what) {
        case 'opened':
          if (paths.includes(path) && call.flags.includes('O_CREAT') && !files.has(path)) {
            files.set(path, { synced: Buffer.alloc(0), unsynced: [], named: false });
          }
          return;
        case 'unlinked':
          files.delete(path);
          return;
        case 'written':
        case 'truncated':
          files.get(path)?.unsynced.push({ call, truncated: what === 'truncated' });
          return;
        case 'synced':
          sync(call);
          return;
        default:
          what satisfies never;
      }
    },

    cut(random) {
      const left = new Map<string, Buffer>();
      const luck = random.pick([0, 0.5, 0.9, 1]) ?? 0;
      for (const [path, { synced, unsynced, named }] of files) {
        if (!named && !random.chance(luck)) continue;
        let content = synced;
        for (const { call, truncated } of unsynced) {
          if (truncated) content = random.chance(luck) ? truncate(content, call) : content;
          else content = writeSome(content, call, () => random.chance(luck));
        }
        left.set(path, content);
      }
      return left;
    },
  };
}

function writeSome(content: Buffer, call: Call, isLucky: () => boolean): Buffer {
  let written = content;
  for (let from = 0, to: number; from < call.data.length; from = to) {
    const at = offsetOf(call) + from;
    to = Math.min(call.data.length, from + SECTOR - (at % SECTOR));
    if (isLucky()) written = write(written, call.data.subarray(from, to), at);
  }
  return written;
}

function write(content: Buffer, data: Buffer, at: number): Buffer {
  const grown = Buffer.alloc(Math.max(content.length, at + data.length));
  content.copy(grown);
  data.copy(grown, at);
  return grown;
}

function truncate(content: Buffer, { numbers: [length = 0] }: Call): Buffer {
  return write(content.subarray(0, length), Buffer.alloc(0), length);
}

function offsetOf({ numbers }: Call): number {
  return numbers.at(-1) ?? 0;
}
