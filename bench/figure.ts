import type { PostgresServer } from '../test/support/postgres.ts';
import { type Checkout, PRESENT } from './checkout.ts';
import type { Part } from './part.ts';
import type { Population } from './population.ts';
import { ratioOf, type Spread, spreadOf } from './spread.ts';

/** One measurement of `npm run bench`. */
export interface Figure {
  name: string;
  measure(bench: Bench): Promise<Row[]>;
}

/** One line of the table. */
export interface Row {
  figure: string;
  measured: string;
  /** The result of the baseline, which was measured right beside it; empty where there is none. */
  baseline: string;
  /** The result that is compared with the goal. */
  result: string;
  goal: string;
  /** Null where there is no goal. */
  met: boolean | null;
  /**
   * The same at the commit of `--against`, and the present value divided by that. Undefined where it has no such
   * figure.
   */
  against?: Against | undefined;
}

export interface Against {
  measured: string;
  ratio: string;
}

/** The tools of a measurement. All that they start and create is removed afterwards. */
export interface Bench {
  effort: Effort;
  /** The commit of `--against`. */
  against: Checkout | null;
  /** A path in a directory of this run. */
  path(name: string): string;
  /** A database of its own with so many domains that wait to be verified. */
  populate(domains: number, options?: PopulationOptions): Promise<Population>;
  /** A PostgreSQL server of its own, on loopback; it is gone after the figure. */
  postgres(): Promise<PostgresServer>;
  /** Starts `parts/<name>.ts`; it is stopped after the figure at the latest. */
  start<Methods>(name: string, options?: StartOptions): Promise<Part<Methods>>;
  /** Tells people what is going on. */
  say(text: string): void;
}

export interface PopulationOptions {
  /** Zones that the domains are spread over; unless given, each has its own. */
  zones?: number;
  /** Whose schema; the present one unless given. */
  checkout?: Checkout;
}

export interface StartOptions {
  /** With --profile, its CPU profile is written. */
  profiled?: boolean;
  /** The checkout that it imports; the present source unless given. */
  checkout?: Checkout;
}

/** How much time is spent. */
export interface Effort {
  /** Rounds of all contenders, and the length of each one's turn. */
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

/** The programs that are measured alternately. */
export interface Contenders<Sample> {
  subject(): Promise<Sample>;
  baseline?: () => Promise<Sample>;
  /** The subject at the commit of `--against`. */
  against?: (() => Promise<Sample>) | undefined;
}

export type Samples<Sample> = Record<keyof Contenders<Sample>, Sample[]>;

/**
 * Measures the contenders in turn, in every other round from the last to the first, so that machine noise affects all
 * alike.
 */
export async function alternate<Sample>(
  { rounds }: Pick<Effort, 'rounds'>,
  contenders: Contenders<Sample>,
): Promise<Samples<Sample>> {
  const { subject, baseline, against } = contenders;
  const samples: Samples<Sample> = { subject: [], baseline: [], against: [] };
  const turns = Object.entries({ subject, baseline, against }) as [keyof Samples<Sample>, typeof against][];
  for (let round = 0; round < rounds; round++) {
    for (const [name, measure] of round % 2 === 0 ? turns : turns.toReversed()) {
      if (measure !== undefined) samples[name].push(await measure());
    }
  }
  return samples;
}

/** The same, after rounds that do not count: until the compilers have settled. */
export async function alternateWarm<Sample>(
  effort: Pick<Effort, 'rounds'>,
  contenders: Contenders<Sample>,
  warmUpRounds = 1,
): Promise<Samples<Sample>> {
  await alternate({ rounds: warmUpRounds }, contenders);
  return alternate(effort, contenders);
}

/** A value for the present source, and one for the commit of `--against` if there is one. */
export interface Both<T> {
  subject: T;
  against: T | undefined;
}

export async function onBoth<T>({ against }: Bench, make: (checkout: Checkout) => Promise<T>): Promise<Both<T>> {
  return { subject: await make(PRESENT), against: against === null ? undefined : await make(against) };
}

/** The same measurement of both, as contenders. */
export function eachOf<T, Sample>(
  { subject, against }: Both<T>,
  measure: (one: T) => Promise<Sample>,
): Pick<Contenders<Sample>, 'subject' | 'against'> {
  return { subject: () => measure(subject), against: against === undefined ? undefined : () => measure(against) };
}

/** The present value divided by the baseline's, round by round. */
export function toBaseline<Sample>({ subject, baseline }: Samples<Sample>, read: (sample: Sample) => number): Spread {
  return ratioOf(subject.map(read), baseline.map(read));
}

/** The columns of the other commit, with a ratio for each of what is read. */
export function toOther<Sample>(
  { subject, against }: Samples<Sample>,
  show: (samples: Sample[]) => string,
  reads: Record<string, (sample: Sample) => number>,
): Against | undefined {
  if (against.length === 0) return undefined;
  const ratios = Object.entries(reads).map(
    ([name, read]) => `${name} ${showSpread(ratioOf(subject.map(read), against.map(read)))}`,
  );
  return { measured: show(against), ratio: ratios.join(', ') };
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
