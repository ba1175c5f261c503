import { randomBytes } from 'node:crypto';
import { fromUUIDBytes } from 'typeid-js';
import type { Clock } from './clock.ts';

type IdPrefix = 'ws' | 'key' | 'sig' | 'proj' | 'app' | 'env' | 'dep' | 'dom' | 'evt' | 'req';

type RandomBytes = (bytes: number) => Uint8Array;

/** Generates TypeIDs (prefix, `_`, 26 letters and digits) that sort in the order of creation. */
export type NewId = (prefix: IdPrefix) => string;

/**
 * Ids from a clock and 62 random bits (UUID version 7, RFC 9562 section 5.7). A 12-bit counter (section 6.2, method 1) keeps the ids of one
 * maker in order within a millisecond, and while the clock stands still or steps back.
 */
export function idMaker(clock: Clock, random: RandomBytes = pooled(randomBytes)): NewId {
  let lastMs = 0;
  let counter = 0;
  return (prefix) => {
    const ms = clock.now();
    if (ms > lastMs) {
      lastMs = ms;
      counter = 0;
    } else if (++counter > 0xfff) {
      lastMs += 1;
      counter = 0;
    }
    const bytes = new Uint8Array(random(16));
    const view = new DataView(bytes.buffer);
    view.setUint32(0, Math.floor(lastMs / 0x10000));
    view.setUint16(4, lastMs % 0x10000);
    view.setUint16(6, 0x7000 | counter);
    view.setUint8(8, (view.getUint8(8) & 0x3f) | 0x80);
    return fromUUIDBytes(prefix, bytes);
  };
}

/** Requests many bytes at a time: a system call for 16 costs more than the rest of an id. No byte is used twice. */
export function pooled(random: RandomBytes): RandomBytes {
  let pool = random(0);
  return (bytes) => {
    if (pool.length < bytes) pool = random(Math.max(8192, bytes));
    const taken = pool.subarray(0, bytes);
    pool = pool.subarray(bytes);
    return taken;
  };
}
