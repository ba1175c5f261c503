import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { UsageCounts } from './usage-store.ts';

export const COUNTS = ['requests', 'bytesIn', 'bytesOut', 'edgeErrors', 'originErrors'] as const;

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const HOURS = 24;

/** Domains in one row: it costs little more than its bytes then, and a minute's write touches few rows. */
const CHUNK = 64;

/** The row of a domain. */
export function chunkOf(domain: number): number {
  return Math.floor(domain / CHUNK);
}

/** The place of a domain's hour in a row that starts at `startsAt` (Unix ms). */
export function slotOf(domain: number, hour: number, startsAt: number): number {
  return (domain % CHUNK) * HOURS + (hour - startsAt) / HOUR_MS;
}

/** The reverse: which of the chunk's domains, and the hour (Unix ms). */
export function readSlot(slot: number, startsAt: number): { position: number; hour: number } {
  return { position: Math.floor(slot / HOURS), hour: startsAt + (slot % HOURS) * HOUR_MS };
}

export function positionOf(domain: number): number {
  return domain % CHUNK;
}

/** The counts of a row by their slot. */
export type Slots = Map<number, UsageCounts>;

export function noUsage(): UsageCounts {
  return { requests: 0, bytesIn: 0, bytesOut: 0, edgeErrors: 0, originErrors: 0 };
}

export function addCounts(to: UsageCounts, counts: Readonly<UsageCounts>): void {
  for (const name of COUNTS) to[name] += counts[name];
}

export function addToSlot(slots: Slots, slot: number, counts: Readonly<UsageCounts>): void {
  const found = slots.get(slot);
  if (found === undefined) slots.set(slot, { ...counts });
  else addCounts(found, counts);
}

/**
 * Packs counts column by column, since the numbers of a column resemble each other: the distances between slots, then
 * each count, as numbers of seven bits a byte.
 */
export function packSlots(slots: Slots): Uint8Array {
  const entries = [...slots].sort(([a], [b]) => a - b);
  const bytes: number[] = [];
  putNumber(bytes, entries.length);
  let before = 0;
  for (const [slot] of entries) {
    putNumber(bytes, slot - before);
    before = slot;
  }
  for (const name of COUNTS) for (const [, counts] of entries) putNumber(bytes, counts[name]);
  return deflateRawSync(Uint8Array.from(bytes));
}

export function unpackSlots(packed: Uint8Array): Slots {
  const bytes = inflateRawSync(packed);
  let at = 0;
  const next = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  const slots: Slots = new Map();
  let slot = 0;
  for (let left = next(); left > 0; left--) {
    slot += next();
    slots.set(slot, noUsage());
  }
  for (const name of COUNTS) for (const counts of slots.values()) counts[name] = next();
  return slots;
}

/** Any integer from 0 to 2^53 - 1. */
function putNumber(bytes: number[], value: number): void {
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
  bytes.push(left);
}
