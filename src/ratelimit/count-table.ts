import { randomBytes } from 'node:crypto';

/** Counts of one process, in memory that all of its threads share: what one of them counts, all have counted. */
export interface CountTable {
  /** The count of a key in the window that begins at `startsAt` (Unix ms). */
  read(key: string, window: CountWindow): number;
  /** Adds 1 unless that would exceed `most`; returns the count before. So all threads together add no more than `most`. */
  add(key: string, window: CountWindow, most: number): number;
  /** For another thread. */
  shared: SharedArrayBuffer;
}

export interface CountWindow {
  lengthMs: number;
  startsAt: number;
}

/** Unused. */
const EMPTY = 0n;
/** A thread is giving the slot to a key: a few instructions, in which no other thread uses it. */
const CLAIMED = 1n;
/** Slots that a key may have, from its first on. */
const PROBES = 32;
/** A slot is used again so long after its window: no thread still counts in that window. */
const KEPT_MS = 60_000;
/** A thread that died while it claimed a slot is not waited for. */
const SPINS = 1_000_000;
const SEED_BYTES = 16;
const SLOT_BYTES = 20;
/** 5 MB, of which the system provides what is used. */
const CAPACITY = 262_144;

/** With more than about `capacity` keys in their windows, some start at 0 again. */
export function createCountTable(capacity = CAPACITY): CountTable {
  const shared = new SharedArrayBuffer(SEED_BYTES + capacity * SLOT_BYTES);
  // So that nobody can choose keys that share a slot.
  new Uint8Array(shared).set(randomBytes(8));
  return joinCountTable(shared);
}

/**
 * The table of another thread. An open-addressed hash table without locks: the slots of a key are tried in order, and it gets the first that is
 * empty or whose window ended `KEPT_MS` before its own began. Whether a slot is free for a window does not depend on the thread that asks, and
 * a slot that was not free for it never becomes free for it. So all threads give a key the same slot.
 */
export function joinCountTable(shared: SharedArrayBuffer): CountTable {
  const capacity = (shared.byteLength - SEED_BYTES) / SLOT_BYTES;
  const [seedA = 0, seedB = 0] = new Uint32Array(shared, 0, 2);
  const keys = new BigInt64Array(shared, SEED_BYTES, capacity);
  const ends = new BigInt64Array(shared, SEED_BYTES + 8 * capacity, capacity);
  const counts = new Int32Array(shared, SEED_BYTES + 16 * capacity, capacity);

  function claim(slot: number, found: bigint, hash: bigint, endsAt: number): boolean {
    if (Atomics.compareExchange(keys, slot, found, CLAIMED) !== found) return false;
    Atomics.store(counts, slot, 0);
    Atomics.store(ends, slot, BigInt(endsAt));
    Atomics.store(keys, slot, hash);
    return true;
  }

  /** The key that has the slot, once no thread is claiming it. */
  function keyIn(slot: number): bigint {
    let found = Atomics.load(keys, slot);
    for (let spins = 0; found === CLAIMED && spins < SPINS; spins += 1) found = Atomics.load(keys, slot);
    return found;
  }

  function isFree(slot: number, found: bigint, startsAt: number): boolean {
    return found === EMPTY || (found !== CLAIMED && Number(Atomics.load(ends, slot)) + KEPT_MS <= startsAt);
  }

  /** Whether the slot is the key's: it was, or it was free for its window. */
  function obtain(slot: number, hash: bigint, { startsAt, lengthMs }: CountWindow): boolean {
    for (;;) {
      const found = keyIn(slot);
      if (found === hash) return true;
      if (isFree(slot, found, startsAt)) {
        if (claim(slot, found, hash, startsAt + lengthMs)) return true;
      } else if (keyIn(slot) === found) return false;
    }
  }

  function slotFor(hash: bigint, window: CountWindow): number {
    const home = homeOf(hash);
    for (let i = 0; i < PROBES; i += 1) {
      const slot = (home + i) % capacity;
      if (obtain(slot, hash, window)) return slot;
    }
    // The table is full: the key that has its first slot loses it.
    claim(home, keyIn(home), hash, window.startsAt + window.lengthMs);
    return home;
  }

  function homeOf(hash: bigint): number {
    return Number(BigInt.asUintN(32, hash)) % capacity;
  }

  /** Two hashes of 32 bits, neither `EMPTY` nor `CLAIMED`. */
  function hashOf(key: string, { lengthMs, startsAt }: CountWindow): bigint {
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
    const hash = BigInt.asIntN(64, (BigInt(a >>> 0) << 32n) | BigInt(b >>> 0));
    return hash === EMPTY || hash === CLAIMED ? 2n : hash;
  }

  return {
    read(key, window) {
      const hash = hashOf(key, window);
      const home = homeOf(hash);
      for (let i = 0; i < PROBES; i += 1) {
        const slot = (home + i) % capacity;
        const found = keyIn(slot);
        if (found === hash) return Atomics.load(counts, slot);
        if (found === EMPTY) return 0;
      }
      return 0;
    },
    add(key, window, most) {
      const slot = slotFor(hashOf(key, window), window);
      for (;;) {
        const before = Atomics.load(counts, slot);
        if (before >= most || Atomics.compareExchange(counts, slot, before, before + 1) === before) return before;
      }
    },
    shared,
  };
}
