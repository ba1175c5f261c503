import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';

/** Remembers which servers did not answer, so that a dead one does not slow down each check. */
export interface SilentServers {
  /** Whether the server at this address did not answer lately. */
  has(address: string): boolean;
  /** Notes whether a query to the address was answered, in whatever way. */
  note(address: string, answered: boolean): void;
}

/** A silent server is asked last for this time, and longer each time it is silent again. */
const FIRST_MS = 30_000;
const LONGEST_MS = 10 * 60_000;
const MAX_SERVERS = 100_000;

interface Silence {
  since: number;
  ms: number;
}

export function silentServers(clock: Clock): SilentServers {
  const silences = new LRUCache<string, Silence>({ maxSize: MAX_SERVERS, sizeCalculation: () => 1 });

  /** A silence in the future began before the clock was set back. */
  const lasts = ({ since, ms }: Silence) => since <= clock.now() && clock.now() < since + ms;

  return {
    has(address) {
      const silence = silences.get(address);
      return silence !== undefined && lasts(silence);
    },
    note(address, answered) {
      const before = silences.get(address);
      if (answered) {
        if (before !== undefined) silences.delete(address);
        return;
      }
      if (before !== undefined && lasts(before)) return;
      const ms = before === undefined ? FIRST_MS : Math.min(LONGEST_MS, 2 * before.ms);
      silences.set(address, { since: clock.now(), ms });
    },
  };
}
