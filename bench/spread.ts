/** The median and the range of several rounds. */
export interface Spread {
  median: number;
  low: number;
  high: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: quantile(values, 0.5), low: Math.min(...values), high: Math.max(...values) };
}

/** Ratios round by round: the two of one round ran right after each other, on the same mood of the machine. */
export function ratioOf(values: readonly number[], baseline: readonly number[]): Spread {
  return spreadOf(values.map((value, i) => value / (baseline[i] ?? Number.NaN)));
}

/** The value that a share of all values does not exceed; between two values the mean is taken for the median only. */
export function quantile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  const at = (i: number) => sorted[Math.min(sorted.length - 1, Math.max(0, i))] ?? Number.NaN;
  if (share === 0.5 && sorted.length % 2 === 0) return (at(sorted.length / 2 - 1) + at(sorted.length / 2)) / 2;
  return at(Math.ceil(share * sorted.length) - 1);
}
