import { readdirSync, readFileSync } from 'node:fs';

/** Median, 99th percentile and largest of the numbers, for people. */
export function percentiles(numbers: readonly number[]): string {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = (part: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0);
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, most ${at(1)}`;
}

/** Linux counts CPU time in these (sysconf(_SC_CLK_TCK)). */
const TICKS_PER_SECOND = 100;

/** CPU seconds so far of a process, of the children it has now, and of those that have ended. */
export function familyCpuSeconds(parent: number): number {
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = readStat(pid);
    if (Number(pid) === parent) ticks += stat.own + stat.ended;
    else if (stat.parent === parent) ticks += stat.own;
  }
  return ticks / TICKS_PER_SECOND;
}

function readStat(pid: string): { parent: number; own: number; ended: number } {
  try {
    // The name of the program, in parentheses, may hold anything (proc(5)).
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [, parent = 0, ...rest] = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = rest.slice(9);
    return { parent, own: user + system, ended: endedUser + endedSystem };
  } catch {
    return { parent: 0, own: 0, ended: 0 };
  }
}
