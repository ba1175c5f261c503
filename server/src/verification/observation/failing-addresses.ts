import { LRUCache } from 'lru-cache';

/**
 * Which addresses may be looked at. Names of many customers may lead to an address of somebody who has nothing to do with
 * it: so as long as none of them reaches us there, `FAILURES_AN_HOUR` looks an hour are all that it gets.
 */
export interface FailingAddresses {
  mayLook(address: string, now: number): boolean;
  /** `reachedUs`: the address gave a response of ours. */
  record(address: string, reachedUs: boolean, now: number): void;
}

export const FAILURES_AN_HOUR = 300;

const HOUR_MS = 3_600_000;
const CAPACITY = 10_000;

export function failingAddresses(): FailingAddresses {
  /** Until when the failures so far are spread, one after the other. */
  const spreadUntil = new LRUCache<string, number>({ max: CAPACITY });
  return {
    mayLook: (address, now) => (spreadUntil.get(address) ?? 0) < now + HOUR_MS,
    record(address, reachedUs, now) {
      if (reachedUs) spreadUntil.delete(address);
      else spreadUntil.set(address, Math.max(now, spreadUntil.get(address) ?? 0) + HOUR_MS / FAILURES_AN_HOUR);
    },
  };
}
