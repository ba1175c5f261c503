import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import { withinTime } from '../../base/time-limit.ts';
import type { ChangeFeed } from '../../store/cache/change-feed.ts';
import { type Change, StoreUnavailable } from '../../store/store.ts';

/**
 * An LRU cache of the store that serves stale entries while the store is down. Changes that were made meanwhile take
 * effect as soon as the change log can be read again.
 */
export interface StaleCache<Value> {
  /** A fresh entry; null is a negative one. Undefined: a miss, or the entry is stale. */
  get(key: string): Value | null | undefined;
  /**
   * A fresh entry, or else what the store has: one read for all who wait for the same key. Serves the stale entry when
   * the store is down or slow; rejects with `StoreUnavailable` when there is none.
   */
  load(key: string): Promise<Value | null>;
  /** Loads an entry as `load` does, but does not take the cached one for fresh. */
  reload(key: string): Promise<Value | null>;
  /** The value of an entry, fresh or stale, or that of its parent. */
  peek(key: string): Value | undefined;
  /**
   * For a value that comes with another read. Called before that read starts; the returned function adds the value,
   * unless anything has changed since.
   */
  preload(): (key: string, value: Value | null) => void;
  /** Entries with a value. */
  size(): number;
  /** Keys of the entries with a value, the most recently used first. */
  keys(): string[];
}

/** An entry that was cached before, in this process or another. */
export interface StaleValue<Value> {
  value: Value | null;
  /** Until then it may be served, Unix ms. */
  until: number;
}

/**
 * Entries that stand for other keys: a read of a key without a value of its own may find that of its parent. A change of
 * either concerns both.
 */
export interface Parents<Value> {
  /** The key itself, for a parent; null: it has none. */
  parentOf(key: string): string | null;
  /** The key whose value it is; `key`: the one that it was read for. */
  keyOfValue(value: Value, key: string): string;
  /** Whether the parent's value is known to be that of a key, without a read. */
  covers(parent: Value, key: string): boolean;
}

export interface StaleCacheOptions<Value> {
  read(key: string): Promise<Value | null>;
  /** No key has one unless given. */
  parents?: Parents<Value>;
  /** The key of the entry that a change invalidates; or which entries it does, if it names none of them. */
  keyOf(change: Change): string | ((value: Value) => boolean) | undefined;
  /**
   * Finds an older value for a key that is not cached while the store is down or slow. Undefined: nothing is known.
   * Must not reject.
   */
  fallback?: ((key: string) => Promise<StaleValue<Value> | undefined>) | undefined;
  changes: Pick<ChangeFeed, 'subscribe'>;
  clock: Clock;
  /** Bound of the sum of all sizes. */
  capacity: number;
  /** 1 unless given: `capacity` counts entries. */
  sizeOf?(value: Value, key: string): number;
  /** Most negative entries. They are kept apart, so that invented names evict none that exist. */
  negativeCapacity?: number;
  /** Most reads in flight; more are refused. */
  maxReads?: number;
  /** How long a read may take before the stale entry is served. */
  staleAfterMs?: number;
  /** How long a read may take where there is no stale entry. */
  timeoutMs?: number;
}

interface Entry<Value> {
  value: Value;
  /** The entry is stale unless this is the current generation. */
  generation: number;
  /** Until then it may be served while it is stale. */
  until: number;
}

interface Negative {
  generation: number;
  /** The value of its parent stands for it, if there is one. */
  isChild: boolean;
}

interface Read<Value> {
  result: Promise<Value | null>;
  /** A change invalidated it while it was in flight. */
  invalidated: boolean;
  /** It took longer than `staleAfterMs`. */
  slow: boolean;
}

/** After a failure one read is tried in this time. */
const RETRY_MS = 1000;
/** The generation of an entry that is stale. */
const STALE = -1;

const NO_PARENTS = {
  parentOf: () => null,
  keyOfValue: (_: unknown, key: string) => key,
  covers: () => false,
};

export function createStaleCache<Value extends object>(options: StaleCacheOptions<Value>): StaleCache<Value> {
  const { read, fallback, keyOf, changes, clock, capacity, sizeOf = () => 1 } = options;
  const { parentOf, keyOfValue, covers } = options.parents ?? NO_PARENTS;
  const { negativeCapacity = 10_000, maxReads = 64, staleAfterMs = 250, timeoutMs = 3000 } = options;
  const entries = new LRUCache<string, Entry<Value>>({
    maxSize: capacity,
    sizeCalculation: ({ value }, key) => sizeOf(value, key),
  });
  const negatives = new LRUCache<string, Negative>({ max: negativeCapacity });
  const reads = new Map<string, Read<Value>>();
  /** Goes up whenever everything may have changed. */
  let generation = 0;
  let changeCount = 0;
  let failedAt: number | null = null;

  changes.subscribe((change) => {
    changeCount += 1;
    // The store was read just now.
    failedAt = null;
    if (change === null) {
      generation += 1;
      for (const key of reads.keys()) invalidateRead(key);
      return;
    }
    const about = keyOf(change);
    if (typeof about === 'string') {
      invalidate(about);
      const parent = parentOf(about);
      if (parent !== null) invalidateFamily(parent, about);
    } else if (about !== undefined) {
      for (const key of reads.keys()) invalidateRead(key);
      for (const entry of entries.values()) if (about(entry.value)) entry.generation = STALE;
    }
  });

  function invalidate(key: string): void {
    invalidateRead(key);
    const entry = entries.peek(key);
    if (entry !== undefined) entry.generation = STALE;
    negatives.delete(key);
  }

  /** Reads of siblings may be about to bring the parent's value as it was. */
  function invalidateFamily(parent: string, changed: string): void {
    const isMember = (key: string) => parentOf(key) === parent;
    for (const key of [...reads.keys()].filter(isMember)) invalidateRead(key);
    invalidate(parent);
    if (changed === parent)
      for (const key of [...entries.keys(), ...negatives.keys()].filter(isMember)) invalidate(key);
  }

  /** The next load of the key begins a new read. */
  function invalidateRead(key: string): void {
    const inFlight = reads.get(key);
    if (inFlight === undefined) return;
    inFlight.invalidated = true;
    reads.delete(key);
  }

  function get(key: string): Value | null | undefined {
    const entry = entries.get(key);
    if (entry !== undefined) return entry.generation === generation ? entry.value : undefined;
    const negative = negatives.get(key);
    const isNegative = negative?.generation === generation;
    if (isNegative && !negative.isChild) return null;
    const parent = parentEntry(key);
    if (parent?.generation !== generation) return undefined;
    return isNegative || covers(parent.value, key) ? parent.value : undefined;
  }

  function parentEntry(key: string): Entry<Value> | undefined {
    const parent = parentOf(key);
    return parent === null || parent === key ? undefined : entries.get(parent);
  }

  /** The entry of a key, fresh or stale, or else that of its parent, if that is known to stand for it. */
  function entryFor(key: string): Entry<Value> | undefined {
    const own = entries.get(key);
    if (own !== undefined) return own;
    const parent = parentEntry(key);
    return parent !== undefined && covers(parent.value, key) ? parent : undefined;
  }

  function set(key: string, value: Value | null): void {
    const home = value === null ? null : keyOfValue(value, key);
    if (home !== key) {
      entries.delete(key);
      negatives.set(key, { generation, isChild: home !== null });
    }
    if (value === null || home === null) return;
    // Most children cost no memory.
    if (home === key || covers(value, key)) negatives.delete(key);
    entries.set(home, { value, generation, until: Number.POSITIVE_INFINITY });
  }

  function preload() {
    const before = changeCount;
    return (key: string, value: Value | null) => {
      if (changeCount === before) set(key, value);
    };
  }

  async function load(key: string): Promise<Value | null> {
    const cached = get(key);
    return cached === undefined ? reload(key) : cached;
  }

  async function reload(key: string): Promise<Value | null> {
    const known = entryFor(key);
    const home = known === undefined ? key : keyOfValue(known.value, key);
    if (home !== key) {
      // One read for all children.
      const value = await reload(home);
      if (value !== null && covers(value, key)) return value;
    }
    const stale = staleValue(key);
    const inFlight = reads.get(key) ?? startRead(key);
    if (stale === undefined) return loadNew(key, inFlight?.result ?? noRead());
    if (inFlight === null || inFlight.slow) return stale;
    try {
      return await withinTime(staleAfterMs, inFlight.result, late);
    } catch {
      inFlight.slow = true;
      return stale;
    }
  }

  function staleValue(key: string): Value | undefined {
    const entry = entries.get(key);
    return entry !== undefined && entry.until > clock.now() ? entry.value : undefined;
  }

  async function loadNew(key: string, result: Promise<Value | null>): Promise<Value | null> {
    if (fallback === undefined) return withinTime(timeoutMs, result, late);
    const before = changeCount;
    try {
      return await withinTime(staleAfterMs, result, late);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      const known = await fallback(key);
      if (known === undefined) return withinTime(timeoutMs - staleAfterMs, result, late);
      const home = known.value === null ? key : keyOfValue(known.value, key);
      if (known.value !== null && changeCount === before && !entries.has(home)) {
        entries.set(home, { value: known.value, generation: STALE, until: known.until });
      }
      return known.value;
    }
  }

  function startRead(key: string): Read<Value> | null {
    if (reads.size >= maxReads) return null;
    if (failedAt !== null) {
      const now = clock.now();
      if (now >= failedAt && now - failedAt < RETRY_MS) return null;
      // This read tries the store; the next may do so `RETRY_MS` later.
      failedAt = now;
    }
    const started: Read<Value> = { invalidated: false, slow: false, result: Promise.resolve(null) };
    started.result = readAndCache(key, started);
    // All who waited may have given up.
    started.result.catch(() => {});
    reads.set(key, started);
    return started;
  }

  async function readAndCache(key: string, own: Read<Value>): Promise<Value | null> {
    try {
      const value = await read(key);
      failedAt = null;
      if (!own.invalidated) set(key, value);
      return value;
    } catch (error) {
      // Any other error concerns this key alone.
      if (error instanceof StoreUnavailable) failedAt = clock.now();
      throw error;
    } finally {
      if (!own.invalidated) reads.delete(key);
    }
  }

  return {
    get,
    load,
    reload,
    peek: (key) => entryFor(key)?.value,
    preload,
    size: () => entries.size,
    keys: () => [...entries.keys()],
  };
}

function noRead(): Promise<never> {
  return Promise.reject(new StoreUnavailable('no read: the store is down, or too many reads are in flight'));
}

function late(): never {
  throw new StoreUnavailable('the store did not answer in time');
}
