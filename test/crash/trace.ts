import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** A system call of a program, as strace saw it. Positions are lines of the trace: an earlier line happened before. */
export interface Call {
  name: string;
  began: number;
  /** Infinity: nobody saw it, since the program was killed. */
  ended: number;
  /** The file, or what else it was done to. */
  path: string;
  /** The data that was written. */
  data: Buffer;
  /** Whole numbers after the data: length and offset of a write, length of a truncation. */
  numbers: number[];
  flags: string;
}

const CALLS = ['openat', 'unlink', 'pwrite64', 'write', 'writev', 'ftruncate', 'fsync', 'fdatasync'];

/** Words that run a program under strace, so that `readTrace` reads from the file what it and its threads did. */
export function tracing(strace: readonly string[], file: string): string[] {
  const shown = ['--seccomp-bpf', '-f', '-qq', '-xx', '-y', '-s', '1000000', '-e', 'signal=none'];
  return [...strace, ...shown, '-e', `trace=${CALLS.join()}`, '-o', file];
}

/** In order of their beginnings. */
export async function readTrace(file: string): Promise<Call[]> {
  const calls: Call[] = [];
  const unfinished = new Map<string, { began: number; text: string }>();
  let position = 0;
  for await (const line of createInterface({ input: createReadStream(file, 'latin1') })) {
    position += 1;
    const [, thread = '', text = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const begun = /^(.*) <unfinished \.\.\.>$/.exec(text)?.[1];
    if (begun !== undefined) {
      unfinished.set(thread, { began: position, text: begun });
      continue;
    }
    const rest = /^<\.\.\. \w+ resumed>(.*)$/.exec(text)?.[1];
    const { began = position, text: beginning = '' } = rest === undefined ? {} : (unfinished.get(thread) ?? {});
    if (rest !== undefined) unfinished.delete(thread);
    const call = parse(rest === undefined ? text : beginning + rest);
    if (call !== null)
      calls.push({ ...call, began, ended: /= \?( <\w+>)?$/.test(text) ? Number.POSITIVE_INFINITY : position });
  }
  for (const { began, text } of unfinished.values()) {
    const call = parse(`${text}) = ?`);
    if (call !== null) calls.push({ ...call, began, ended: Number.POSITIVE_INFINITY });
  }
  return calls.sort((a, b) => a.began - b.began);
}

/** Null: no call, or one that failed. */
function parse(text: string): Omit<Call, 'began' | 'ended'> | null {
  const [, name = '', args = '', result = '-1'] = /^(\w+)\((.*)\) += (-?\d+|\?)/.exec(text) ?? [];
  if (!CALLS.includes(name) || result.startsWith('-')) return null;
  const strings = [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex = '']) => decode(hex));
  const [, on = ''] = /^\d+<([^>]*)>/.exec(args) ?? [];
  const named = name === 'openat' || name === 'unlink';
  return {
    name,
    path: named ? String(strings[0]) : decode(on).toString(),
    data: named ? Buffer.alloc(0) : Buffer.concat(strings),
    numbers: [...args.matchAll(/, (\d+)(?=,|$)/g)].map(([, digits]) => Number(digits)),
    flags: /O_[A-Z|_O]*/.exec(args)?.[0] ?? '',
  };
}

function decode(hex: string): Buffer {
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex');
}
