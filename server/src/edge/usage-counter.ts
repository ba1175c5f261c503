import type { Clock } from '../base/clock.ts';
import { addCount, chunkOf, type HourUsage, newChunk, type UsageCounts } from '../store/store.ts';

/** Counts the usage of domains in one edge thread. What is counted: docs/guides/usage.md. */
export interface UsageCounter {
  /** Adds to the usage of a site in this hour, by its `usageNumber`. */
  add(usageNumber: number, name: keyof UsageCounts, value: number): void;
  /** Returns what was counted since the last call. */
  take(): HourUsage[];
}

const HOUR_MS = 3_600_000;

export function createUsageCounter(clock: Clock): UsageCounter {
  let taken: HourUsage[] = [];
  let current: HourUsage = { hour: 0, chunks: new Map() };

  function begin(now: number): void {
    if (current.chunks.size > 0) taken.push(current);
    current = { hour: now - (now % HOUR_MS), chunks: new Map() };
  }

  return {
    add(usageNumber, name, value) {
      if (usageNumber === 0 || value === 0) return;
      const now = clock.now();
      // A clock that was set back begins an hour too.
      if (now >= current.hour + HOUR_MS || now < current.hour) begin(now);
      const number = chunkOf(usageNumber);
      let chunk = current.chunks.get(number);
      if (chunk === undefined) {
        chunk = newChunk();
        current.chunks.set(number, chunk);
      }
      addCount(chunk, usageNumber, name, value);
    },
    take() {
      begin(clock.now());
      const all = taken;
      taken = [];
      return all;
    },
  };
}
