/** Which entries the caches of all threads of a process have to forget: counters in memory that the threads share. */
export interface Invalidations {
  /** Invalidates the entries of a key, in every thread, before it returns. */
  invalidate(key: string): void;
  /** Changes with every invalidation. */
  total(): number;
  /** Where the invalidations of a key are counted, for `count`; other keys may be counted there too. */
  slotOf(key: string): number;
  /** Changes whenever a key of this slot is invalidated. */
  count(slot: number): number;
  /** For another thread. */
  shared: SharedArrayBuffer;
}

/** So that an invalidation hits other keys rarely. 256 KB. */
const SLOTS = 65_536;

/** Without `shared`, those of this thread, which others may join. */
export function createInvalidations(shared = new SharedArrayBuffer(4 * (SLOTS + 1))): Invalidations {
  // The first one is the total.
  const counts = new Int32Array(shared);
  const slotOf = (key: string) => 1 + (hash(key) % SLOTS);
  return {
    invalidate(key) {
      // In this order: who reads the slot and then finds the total as it was has read it before its change.
      Atomics.add(counts, 0, 1);
      Atomics.add(counts, slotOf(key), 1);
    },
    total: () => Atomics.load(counts, 0),
    slotOf,
    count: (slot) => Atomics.load(counts, slot),
    shared,
  };
}

/** FNV-1a, 32 bits. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
