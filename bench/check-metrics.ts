/** The checks of a server, as its metrics count them. */
export interface CheckCounts {
  checks: number;
  /** Claims by their delay: for each upper bound in seconds, the number of claims that were not later. */
  lateness: [bound: number, count: number][];
}

/** `metrics`: the URL of the listener. */
export async function readCheckCounts(metrics: string): Promise<CheckCounts> {
  const text = await (await fetch(`${metrics}/metrics`)).text();
  const lines = (pattern: RegExp) => [...text.matchAll(pattern)];
  const checks = lines(/^nameplate_checks_total\{[^}]*\} (\d+)$/gm).reduce((sum, [, count]) => sum + Number(count), 0);
  const lateness = lines(/^nameplate_schedule_lateness_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm).map(
    ([, bound, count]): [number, number] => [
      bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound),
      Number(count),
    ],
  );
  return { checks, lateness };
}

/** The delay in ms that a share of the checks between two readings did not exceed, to the accuracy of the buckets. */
export function latenessBetween(before: CheckCounts, after: CheckCounts, share: number): number {
  const counts = after.lateness.map(([bound, count], i): [number, number] => [
    bound,
    count - (before.lateness[i]?.[1] ?? 0),
  ]);
  const wanted = share * (counts.at(-1)?.[1] ?? 0);
  let [low, below] = [0, 0];
  for (const [bound, count] of counts) {
    if (count >= wanted && count > below) return (low + ((bound - low) * (wanted - below)) / (count - below)) * 1000;
    [low, below] = [bound, count];
  }
  return Number.NaN;
}
