import { LRUCache } from 'lru-cache';
import type { Change } from '../store.ts';
import type { ChangeFeed } from './change-feed.ts';
import { createInvalidations, type Invalidations } from './invalidations.ts';

/** Bound of a cache whose values differ in size. */
export const CACHE_BYTES = 64 * 1024 * 1024;

/**
 * An LRU cache of what the store holds, invalidated by the change feed. An entry is at most a second old: the cache misses while the feed is not
 * fresh, and always without a feed.
 */
export interface Cache<Value> {
  /** Null is a negative entry: the store has nothing under this key. Undefined is a miss. */
  get(key: string): Value | null | undefined;
  /** Reads from the store and caches the result, unless it has no key or an invalidation came while it was read. */
  load(read: () => Promise<Value | null>, keyOf: (value: Value | null) => string | undefined): Promise<Value | null>;
  /** Invalidates an entry before the feed does, in the caches of all threads that share `invalidations`. */
  invalidate(key: string): void;
}

interface Entry<Value> {
  value: Value | null;
  /** The count of `invalidations` when the value was read. */
  slot: number;
  count: number;
}

interface CacheOptions<Value> {
  changes: ChangeFeed | undefined;
  /** The keys of the entries that a change invalidates. */
  keysOf(change: Change, entries: Iterable<[string, { value: Value | null }]>): Iterable<string>;
  /** Bound of the sum of all sizes. */
  capacity: number;
  /** 1 unless given: `capacity` counts entries. */
  sizeOf?(value: Value | null): number;
  /** Shared by caches of the same values in several threads; of this cache alone unless given. */
  invalidations?: Invalidations | undefined;
}

export function createCache<Value>(options: CacheOptions<Value>): Cache<Value> {
  const { changes, keysOf, capacity, sizeOf = () => 1, invalidations = createInvalidations() } = options;
  const entries = new LRUCache<string, Entry<Value>>({
    maxSize: capacity,
    sizeCalculation: ({ value }) => sizeOf(value),
  });
  /** That of the feed. */
  let changed = 0;

  changes?.subscribe((change) => {
    changed += 1;
    if (change === null) entries.clear();
    else for (const key of [...keysOf(change, entries.entries())]) entries.delete(key);
  });

  return {
    get(key) {
      if (changes?.isFresh() !== true) return undefined;
      const entry = entries.get(key);
      return entry !== undefined && invalidations.count(entry.slot) === entry.count ? entry.value : undefined;
    },
    async load(read, keyOf) {
      const [total, feed] = [invalidations.total(), changed];
      const value = await read();
      const key = keyOf(value);
      if (key === undefined || changes?.isFresh() !== true) return value;
      const slot = invalidations.slotOf(key);
      const count = invalidations.count(slot);
      // A value that was read before an invalidation may be older than the change.
      if (invalidations.total() === total && changed === feed) entries.set(key, { value, slot, count });
      return value;
    },
    invalidate(key) {
      invalidations.invalidate(key);
      entries.delete(key);
    },
  };
}

/** A cache that reads on a miss. Negative entries count too: a flood of invented keys costs one read each, and bounded memory. */
export interface LoadingCache<Value> extends Pick<Cache<Value>, 'get'> {
  /** From the cache, or else from the store; null when there is none. Rejects with `StoreUnavailable`. */
  load(key: string): Promise<Value | null>;
}

interface LoadingCacheOptions<Value> extends CacheOptions<Value> {
  read(key: string): Promise<Value | null>;
}

export function createLoadingCache<Value>({ read, ...options }: LoadingCacheOptions<Value>): LoadingCache<Value> {
  const { get, load } = createCache(options);
  return {
    get,
    async load(key) {
      const cached = get(key);
      if (cached !== undefined) return cached;
      return load(
        () => read(key),
        () => key,
      );
    },
  };
}
