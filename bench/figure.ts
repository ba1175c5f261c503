import type { PostgresServer } from '../test/support/postgres.ts';
import type { Part } from './part.ts';
import type { Population } from './population.ts';
import { type Spread, spreadOf } from './spread.ts';

/** One measurement of `npm run bench`. */
export interface Figure {
  name: string;
  measure(bench: Bench): Promise<Row[]>;
}

/** One line of the table. */
export interface Row {
  figure: string;
  measured: string;
  /** What was measured right beside it; empty where there is no baseline. */
  baseline: string;
  /** What is held against the goal. */
  result: string;
  goal: string;
  /** Null where there is no goal. */
  met: boolean | null;
}

/** What a measurement works with. All of it is gone afterwards. */
export interface Bench {
  effort: Effort;
  /** A path in a directory of this run. */
  path(name: string): string;
  /** A database of its own with so many domains that wait to be verified, in so many zones; 1000 unless given. */
  populate(domains: number, zones?: number): Promise<Population>;
  /** The same database for everybody who asks for this many. */
  shared(domains: number): Promise<Population>;
  /** A PostgreSQL server of its own, on loopback; it is gone after the figure. */
  postgres(): Promise<PostgresServer>;
  /** Starts `parts/<name>.ts`; it is stopped after the figure at the latest. `profiled`: with --profile, its CPU profile is written. */
  start<Methods>(name: string, options?: { profiled: boolean }): Promise<Part<Methods>>;
  /** Tells people what is going on. */
  say(text: string): void;
}

/** How much time is spent. */
export interface Effort {
  /** Rounds of two, and the length of each half. */
  rounds: number;
  seconds: number;
  /** Most domains of one database. */
  mostDomains: number;
  /** Domains on the schedule, and the time in which records appear. */
  scheduled: number;
  scheduleSeconds: number;
  /** How long a snapshot of PostgreSQL is held. */
  snapshotSeconds: number;
  starts: number;
}

/** Measures two things in turn, so that both see the same moods of the machine. The first goes first in every other round. */
export async function alternate<Sample>(
  { rounds }: Effort,
  subject: () => Promise<Sample>,
  baseline: () => Promise<Sample>,
): Promise<{ subject: Sample[]; baseline: Sample[] }> {
  const samples: { subject: Sample[]; baseline: Sample[] } = { subject: [], baseline: [] };
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) samples.subject.push(await subject());
    samples.baseline.push(await baseline());
    if (round % 2 === 1) samples.subject.push(await subject());
  }
  return samples;
}

/** `0.74 (0.71–0.76)` */
export function showSpread({ median, low, high }: Spread, digits = 2): string {
  return `${median.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`;
}

/** `12,345` */
export function showNumber(value: number, digits = 0): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function medianOf<Sample>(samples: readonly Sample[], read: (sample: Sample) => number): number {
  return spreadOf(samples.map(read)).median;
}
