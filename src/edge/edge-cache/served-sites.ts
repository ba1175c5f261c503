import { LRUCache } from 'lru-cache';
import type { Origin, ServedCertificate, Site } from '../../store/contract/store.ts';

/** A site as it was served. Its origin is kept by environment, as in `site-cache.ts`. */
export interface ServedSite {
  site: Omit<Site, 'origin' | 'certificate'>;
  certificate: SealedCertificate | null;
  confirmedAt: number | null;
}

/** One whose private key is sealed as in the store. */
export type SealedCertificate = ServedCertificate;

/** Null: the environment has no deployment. */
export interface ServedOrigin {
  origin: Origin | null;
  confirmedAt: number | null;
}

/**
 * What the edge has served, most recent first, and when the store confirmed it last: `confirmedAt` in Unix ms, or null while the change log
 * confirms it. No I/O.
 */
export interface ServedSites {
  sites: Kept<ServedSite>;
  /** By environment. */
  origins: Kept<ServedOrigin>;
  /** The change log confirms what is current, as it was then. */
  confirm(now: number): void;
  /** When it did last. */
  confirmedAt(): number;
  /** What is current is confirmed no longer. */
  suspectAll(): void;
}

/** A bounded LRU cache of one kind. */
export interface Kept<Value extends { confirmedAt: number | null }> {
  /** Null unless the store confirmed it within `MAX_AGE_MS`. */
  find(key: string, now: number): { value: Value; until: number } | null;
  set(key: string, value: Value): void;
  delete(key: string): boolean;
  has(key: string): boolean;
  /** Marks it as the most recently served. */
  touch(key: string): void;
  /** It is current no longer. Returns it; undefined: there is none. */
  suspect(key: string): Value | undefined;
  /** Most recent first. */
  entries(): [string, Value][];
  size(): number;
  /** When the store confirmed it. */
  confirmedAt(value: Value): number;
}

/** What the store has not confirmed for longer is not served. */
export const MAX_AGE_MS = 72 * 3_600_000;
/** A clock that was set back by more makes an age unknown. */
const CLOCK_STEP_MS = 3_600_000;

export const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ENTRIES = 100_000;

/** `maxBytes` bounds the sites; `MAX_ENTRIES` too, since no entry counts as less than its share. */
export function createServedSites({ maxBytes = MAX_BYTES, maxEntries = MAX_ENTRIES } = {}): ServedSites {
  const leastBytes = Math.ceil(maxBytes / maxEntries);
  let confirmedAt = Number.NEGATIVE_INFINITY;
  const current = () => confirmedAt;
  const sites = kept<ServedSite>(maxBytes, (entry) => Math.max(leastBytes, bytesOf(entry)), current);
  const origins = kept<ServedOrigin>(maxEntries, () => 1, current);
  return {
    sites,
    origins,
    confirm(now) {
      confirmedAt = now;
    },
    confirmedAt: current,
    suspectAll() {
      for (const part of [sites, origins]) for (const [key] of part.entries()) part.suspect(key);
    },
  };
}

function kept<Value extends { confirmedAt: number | null }>(
  maxSize: number,
  sizeCalculation: (value: Value) => number,
  current: () => number,
): Kept<Value> {
  const cache = new LRUCache<string, Value>({ maxSize, sizeCalculation });
  const confirmedAt = (value: Value) => value.confirmedAt ?? current();
  return {
    find(key, now) {
      const value = cache.get(key);
      if (value === undefined) return null;
      const at = confirmedAt(value);
      return isYoung(at, now) ? { value, until: at + MAX_AGE_MS } : null;
    },
    set: (key, value) => void cache.set(key, value),
    delete: (key) => cache.delete(key),
    has: (key) => cache.has(key),
    touch: (key) => void cache.get(key),
    suspect(key) {
      const value = cache.peek(key);
      if (value !== undefined) value.confirmedAt ??= current();
      return value;
    },
    entries: () => [...cache.entries()],
    size: () => cache.size,
    confirmedAt,
  };
}

/** Whether what the store confirmed `at` may still be served. */
export function isYoung(at: number, now: number): boolean {
  return now - at <= MAX_AGE_MS && at - now <= CLOCK_STEP_MS;
}

/** About what it takes in the file, where keys are in base64. */
export function bytesOf({ site, certificate }: ServedSite): number {
  const certificateBytes = certificate === null ? 0 : certificate.chain.length + 1.4 * certificate.privateKey.length;
  return Math.ceil(300 + site.hostname.length + certificateBytes);
}
