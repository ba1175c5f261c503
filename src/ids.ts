import { randomBytes } from 'node:crypto';
import { TypeID } from 'typeid-js';
import type { Clock } from './clock.ts';

export type IdPrefix = 'ws' | 'key' | 'proj' | 'app' | 'env' | 'dep' | 'dom' | 'evt' | 'req';

/** Makes ids: TypeIDs (prefix, `_`, 26 letters and digits), whose order is the order of creation. */
export type NewId = (prefix: IdPrefix) => string;

/** Ids from a clock and 74 random bits (UUID version 7, RFC 9562 section 5.7; within a millisecond a counter keeps the order). */
export function idMaker(clock: Clock, random: (bytes: number) => Uint8Array = randomBytes): NewId {
  let lastMs = 0;
  let counter = 0;
  return (prefix) => {
    const ms = clock.now();
    // A clock that stands still or steps back must not break the order of ids made by one process.
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
    return TypeID.fromUUIDBytes(prefix, bytes).toString();
  };
}
