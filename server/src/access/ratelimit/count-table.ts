import { randomBytes } from 'node:crypto';

/** Counts of one process, in memory that all of its threads share: what one of them counts, all have counted. */
export interface CountTable {
  /** The count of a key in the window that begins at `startsAt` (Unix ms). */
  read(key: string, window: CountWindow): number;
  /**
   * Adds 1 unless that would exceed `most`; returns the count before. So all threads together add no more than `most`.
   */
  add(key: string, window: CountWindow, most: number): number;
  /** The memory to join from another thread. */
  shared: SharedArrayBuffer;
}

export interface CountWindow {
  lengthMs: number;
  startsAt: number;
}

/** An owner that no key has. */
const UNUSED = 0n;
/** Slots that a key may have, from its first on. */
const PROBES = 32;
/** A slot is used again so long after its window: no thread still counts in that window. */
const KEPT_MS = 60_000;
const MINUTE_MS = 60_000;
/** Bits of an owner that hash its key and window. They are below the minute in which the window ends. */
const HASH_BITS = 36n;
/** About the year 2480. */
const LAST_MINUTE = 2 ** 28 - 1;
const COUNT_BITS = 32n;
const SEED_BYTES = 16;
const SLOT_BYTES = 16;
/** 4 MB, of which the system provides what is used. */
const CAPACITY = 262_144;

/** With more than about `capacity` keys in their windows, some start at 0 again. */
export function createCountTable(capacity = CAPACITY): CountTable {
  const shared = new SharedArrayBuffer(SEED_BYTES + capacity * SLOT_BYTES);
  // The seed is random, so that nobody can choose keys that share a slot.
  new Uint8Array(shared).set(randomBytes(8));
  return joinCountTable(shared);
}

/**
 * The table of another thread. An open-addressed hash table without locks: the slots of a key are tried in order, and
 * it gets the first that is unused or whose window ended `KEPT_MS` before its own began. Whether a slot is free for a
 * window does not depend on the thread that asks, and a slot that was not free for it never becomes free for it. So all
 * threads give a key the same slot.
 *
 * A slot is two words, and each step changes one of them by compare-and-swap: a thread may stop for any time between
 * two steps. The first word is the owner: the key, its window, and when that ends. The second is a count with a part of
 * the owner that counted: to any other owner it is 0.
 */
export function joinCountTable(shared: SharedArrayBuffer): CountTable {
  const capacity = (shared.byteLength - SEED_BYTES) / SLOT_BYTES;
  const [seedA = 0, seedB = 0] = new Uint32Array(shared, 0, 2);
  const owners = new BigUint64Array(shared, SEED_BYTES, capacity);
  const counts = new BigUint64Array(shared, SEED_BYTES + 8 * capacity, capacity);

  /** Whether the slot is the owner's: it was, or it was free for its window. */
  function obtain(slot: number, owner: bigint, startsAt: number): boolean {
    for (;;) {
      const found = Atomics.load(owners, slot);
      if (found === owner) return true;
      if (!isFree(found, startsAt)) return false;
      if (Atomics.compareExchange(owners, slot, found, owner) === found) return true;
    }
  }

  function slotFor({ owner, home }: Place, startsAt: number): number {
    for (let i = 0; i < PROBES; i += 1) {
      const slot = (home + i) % capacity;
      if (obtain(slot, owner, startsAt)) return slot;
    }
    // The table is full: the owner of the key's first slot loses it.
    Atomics.store(owners, home, owner);
    return home;
  }

  /** Two hashes of 32 bits: one selects the first slot, both identify the owner. */
  function placeOf(key: string, { lengthMs, startsAt }: CountWindow): Place {
    const text = `${key} ${lengthMs} ${startsAt}`;
    let a = seedA;
    let b = seedB;
    for (let i = 0; i < text.length; i += 1) {
      const code = text.charCodeAt(i);
      a = Math.imul(a ^ code, 0x9e3779b1);
      a = (a << 13) | (a >>> 19);
      b = Math.imul(b ^ code, 0x85ebca77);
      b = (b << 17) | (b >>> 15);
    }
    a = Math.imul(a ^ (b >>> 16), 0xc2b2ae3d);
    b = Math.imul(b ^ (a >>> 15), 0x27d4eb2f);
    const endsIn = Math.min(LAST_MINUTE, Math.ceil((startsAt + lengthMs) / MINUTE_MS));
    const hash = (BigInt(a >>> 28) << 32n) | BigInt(b >>> 0);
    return { owner: (BigInt(endsIn) << HASH_BITS) | hash, home: (a >>> 0) % capacity };
  }

  return {
    read(key, window) {
      const { owner, home } = placeOf(key, window);
      for (let i = 0; i < PROBES; i += 1) {
        const slot = (home + i) % capacity;
        const found = Atomics.load(owners, slot);
        if (found === owner) return countOf(Atomics.load(counts, slot), owner);
        if (found === UNUSED) return 0;
      }
      return 0;
    },
    add(key, window, most) {
      const place = placeOf(key, window);
      for (;;) {
        const slot = slotFor(place, window.startsAt);
        const word = Atomics.load(counts, slot);
        const before = countOf(word, place.owner);
        if (before >= most) return before;
        // Another owner may have counted there meanwhile.
        if (Atomics.load(owners, slot) !== place.owner) continue;
        if (Atomics.compareExchange(counts, slot, word, wordOf(before + 1, place.owner)) === word) return before;
      }
    },
    shared,
  };
}

/** Where a key is counted in a window. */
interface Place {
  owner: bigint;
  /** Its first slot. */
  home: number;
}

function isFree(owner: bigint, startsAt: number): boolean {
  return owner === UNUSED || Number(owner >> HASH_BITS) * MINUTE_MS + KEPT_MS <= startsAt;
}

function wordOf(count: number, owner: bigint): bigint {
  return BigInt.asUintN(64, owner << COUNT_BITS) | BigInt(count);
}

function countOf(word: bigint, owner: bigint): number {
  return word >> COUNT_BITS === BigInt.asUintN(32, owner) ? Number(BigInt.asUintN(32, word)) : 0;
}
