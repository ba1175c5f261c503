import type { Clock } from '../base/clock.ts';
import { OPERATOR, type UsageCounts } from '../store/store.ts';

/** Usage of one hour, by the id of the domain. */
export interface HourUsage {
  /** When the hour began, Unix ms. */
  hour: number;
  domains: Map<string, UsageCounts>;
}

/** Counts the usage of domains in one edge thread. What is counted: docs/usage.md. */
export interface UsageCounter {
  /** The counts of a domain in this hour, to add to at once: they are taken later. Nobody reads those of the operator's own names. */
  of(domainId: string): UsageCounts;
  /** Returns what was counted since the last call. */
  take(): HourUsage[];
}

const HOUR_MS = 3_600_000;

export function createUsageCounter(clock: Clock): UsageCounter {
  let taken: HourUsage[] = [];
  let current: HourUsage = { hour: 0, domains: new Map() };
  let endsAt = 0;
  const ignored = none();

  function begin(now: number): void {
    if (current.domains.size > 0) taken.push(current);
    const hour = now - (now % HOUR_MS);
    current = { hour, domains: new Map() };
    endsAt = hour + HOUR_MS;
  }

  return {
    of(domainId) {
      if (domainId === OPERATOR) return ignored;
      const now = clock.now();
      // A clock that was set back begins an hour too.
      if (now >= endsAt || now < current.hour) begin(now);
      let counts = current.domains.get(domainId);
      if (counts === undefined) {
        counts = none();
        current.domains.set(domainId, counts);
      }
      return counts;
    },
    take() {
      begin(clock.now());
      const all = taken;
      taken = [];
      return all;
    },
  };
}

function none(): UsageCounts {
  return { requests: 0, bytesIn: 0, bytesOut: 0, edgeErrors: 0, originErrors: 0 };
}
