import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const ESTABLISHED = '01';

/**
 * The process, of these, that has one end of a connection on loopback, by the port of that end (proc(5)); null: none of
 * them.
 */
export function ownerOf(port: number, peerPort: number, pids: Iterable<number>): number | null {
  const socket = `socket:[${inodeOf(port, peerPort)}]`;
  for (const pid of pids) {
    if (descriptors(pid).includes(socket)) return pid;
  }
  return null;
}

function inodeOf(port: number, peerPort: number): string | undefined {
  const hex = (number: number) => `:${number.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const line of readFileSync('/proc/net/tcp', 'latin1').split('\n')) {
    const [, local = '', remote = '', state, , , , , , inode] = line.trim().split(/\s+/);
    if (state === ESTABLISHED && local.endsWith(hex(port)) && remote.endsWith(hex(peerPort))) return inode;
  }
  return undefined;
}

function descriptors(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((name) => readLink(`/proc/${pid}/fd/${name}`));
  } catch {
    return [];
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
