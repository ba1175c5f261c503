import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';

/** Counts of more domains than these are kept, since they take longer than a page does. */
const MANY = 10_000;
const KEPT_MS = 60_000;
const MOST_KEPT = 1000;

/** `countedAt`: when the count began (Unix ms). */
export type Kept<Counts> = Counts & { countedAt: number };

/** Counts domains: where they are more than 10,000, at most once a minute for the same arguments, and one call at a time. */
export function keepCounts<Args extends unknown[], Counts extends { total: number }>(
  count: (...args: Args) => Promise<Counts>,
  clock: Clock,
): (...args: Args) => Promise<Kept<Counts>> {
  const kept = new LRUCache<string, { at: number; counts: Promise<Kept<Counts>> }>({ max: MOST_KEPT });

  async function keep(key: string, args: Args, countedAt: number): Promise<Kept<Counts>> {
    let isMany = false;
    try {
      const counts = await count(...args);
      isMany = counts.total > MANY;
      return { ...counts, countedAt };
    } finally {
      if (!isMany) kept.delete(key);
    }
  }

  return (...args) => {
    const now = clock.now();
    const key = JSON.stringify(args, (_, value) => (value instanceof Set ? [...value].sort() : value));
    const last = kept.get(key);
    if (last !== undefined && now - last.at < KEPT_MS) return last.counts;
    const counts = keep(key, args, now);
    kept.set(key, { at: now, counts });
    return counts;
  };
}
