import { dirname } from 'node:path';
import type { Random } from '../support/seeded-random.ts';
import type { Call } from './trace.ts';

/** A few files on a disk, to which a program writes, as far as the system promises anything about them. */
export interface Disk {
  /** To be given the events of a trace in their order. */
  happens(event: DiskEvent): void;
  /**
   * Returns a possible disk after a power cut: all that was synced, and a random part of the other writes, sector by
   * sector.
   */
  cut(random: Random): Map<string, Buffer>;
}

export interface DiskEvent {
  /** Line of the trace. */
  at: number;
  what: 'opened' | 'unlinked' | 'written' | 'truncated' | 'synced';
  call: Call;
}

interface File {
  synced: Content;
  /** In order; whether it is on the disk, nobody knows. */
  unsynced: { call: Call; truncated: boolean }[];
  /** Whether its name is on the disk. */
  named: boolean;
}

/** The content of a file: the first `length` octets; the rest is room to grow. */
interface Content {
  octets: Buffer;
  length: number;
}

const SECTOR = 512;

/** A disk for the files `paths`, of which one is there and synced. */
export function createDisk(paths: readonly string[], present: { path: string; content: Buffer }): Disk {
  const files = new Map<string, File>([
    [
      present.path,
      { synced: { octets: Buffer.from(present.content), length: present.content.length }, unsynced: [], named: true },
    ],
  ]);

  function sync({ path, began }: Call): void {
    for (const [name, file] of files) if (path === dirname(name)) file.named = true;
    const file = files.get(path);
    if (file === undefined) return;
    const isSynced = ({ call }: { call: Call }) => call.ended < began;
    for (const { call, truncated } of file.unsynced.filter(isSynced)) {
      if (truncated) truncate(file.synced, call);
      else write(file.synced, call.data, offsetOf(call));
    }
    file.unsynced = file.unsynced.filter((each) => !isSynced(each));
  }

  return {
    happens({ what, call }) {
      const { path } = call;
      switch (what) {
        case 'opened':
          if (paths.includes(path) && call.flags.includes('O_CREAT') && !files.has(path)) {
            files.set(path, { synced: { octets: Buffer.alloc(0), length: 0 }, unsynced: [], named: false });
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
        const content = { octets: Buffer.from(synced.octets), length: synced.length };
        for (const { call, truncated } of unsynced) {
          if (!truncated) writeSome(content, call, () => random.chance(luck));
          else if (random.chance(luck)) truncate(content, call);
        }
        left.set(path, content.octets.subarray(0, content.length));
      }
      return left;
    },
  };
}

function writeSome(content: Content, call: Call, isLucky: () => boolean): void {
  for (let from = 0, to: number; from < call.data.length; from = to) {
    const at = offsetOf(call) + from;
    to = Math.min(call.data.length, from + SECTOR - (at % SECTOR));
    if (isLucky()) write(content, call.data.subarray(from, to), at);
  }
}

function write(content: Content, data: Buffer, at: number): void {
  resize(content, Math.max(content.length, at + data.length));
  data.copy(content.octets, at);
}

function truncate(content: Content, { numbers: [length = 0] }: Call): void {
  resize(content, length);
}

function resize(content: Content, length: number): void {
  const { octets } = content;
  if (length > octets.length) content.octets = Buffer.concat([octets, Buffer.alloc(2 * length - octets.length)]);
  // A file that grows again is filled with zeros.
  if (length < content.length) content.octets.fill(0, length, content.length);
  content.length = length;
}

function offsetOf({ numbers }: Call): number {
  return numbers.at(-1) ?? 0;
}
