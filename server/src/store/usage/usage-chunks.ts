import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** How much a domain was used in some time. */
export interface UsageCounts {
  requests: number;
  /** Bytes of content. */
  bytesIn: number;
  bytesOut: number;
  /** Responses with status 5xx of the edge itself. */
  edgeErrors: number;
  /** Responses with status 5xx of the origin. */
  originErrors: number;
}

/** Domains that share a row: each costs little more than its bytes then, and a minute's write touches few rows. */
const CHUNK = 256;

const PLACES: UsageCounts = {
  requests: 0,
  bytesIn: CHUNK,
  bytesOut: 2 * CHUNK,
  edgeErrors: 3 * CHUNK,
  originErrors: 4 * CHUNK,
};
const NAMES = Object.keys(PLACES) as (keyof UsageCounts)[];

/** The counts of a chunk of domains: one kind after the other, integers below 2^53. */
export type ChunkCounts = Float64Array;

export function newChunk(): ChunkCounts {
  return new Float64Array(NAMES.length * CHUNK);
}

/** The chunk of a domain, by its usage number. */
export function chunkOf(number: number): number {
  return Math.floor(number / CHUNK);
}

export function addCount(chunk: ChunkCounts, number: number, name: keyof UsageCounts, value: number): void {
  const place = PLACES[name] + (number % CHUNK);
  chunk[place] = (chunk[place] ?? 0) + value;
}

export function countsOf(chunk: ChunkCounts, number: number): UsageCounts {
  const counts = noUsage();
  for (const name of NAMES) counts[name] = chunk[PLACES[name] + (number % CHUNK)] ?? 0;
  return counts;
}

export function noUsage(): UsageCounts {
  return { requests: 0, bytesIn: 0, bytesOut: 0, edgeErrors: 0, originErrors: 0 };
}

export function hasUsage(counts: UsageCounts): boolean {
  return NAMES.some((name) => counts[name] > 0);
}

export function addCounts(to: UsageCounts, counts: Readonly<UsageCounts>): void {
  for (const name of NAMES) to[name] += counts[name];
}

export function addChunk(to: ChunkCounts, added: ChunkCounts): void {
  added.forEach((value, place) => {
    if (value > 0) to[place] = (to[place] ?? 0) + value;
  });
}

/**
 * Packs a chunk: a bit for each domain that was used, then the counts of those, as numbers of seven bits a byte. The
 * numbers of a kind are together, since they resemble each other.
 */
export function pack(chunk: ChunkCounts): Uint8Array {
  const bytes = new Array<number>(CHUNK / 8).fill(0);
  const used: number[] = [];
  for (let position = 0; position < CHUNK; position++) {
    if (!NAMES.some((name) => chunk[PLACES[name] + position])) continue;
    used.push(position);
    bytes[position >> 3] = (bytes[position >> 3] ?? 0) | (1 << (position & 7));
  }
  for (const name of NAMES) for (const position of used) putNumber(bytes, chunk[PLACES[name] + position] ?? 0);
  return deflateRawSync(Uint8Array.from(bytes));
}

export function unpack(packed: Uint8Array): ChunkCounts {
  const bytes = inflateRawSync(packed);
  let at = CHUNK / 8;
  const next = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  const used: number[] = [];
  for (let position = 0; position < CHUNK; position++)
    if ((bytes[position >> 3] ?? 0) & (1 << (position & 7))) used.push(position);
  const chunk = newChunk();
  for (const name of NAMES) for (const position of used) chunk[PLACES[name] + position] = next();
  return chunk;
}

function putNumber(bytes: number[], value: number): void {
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
  bytes.push(left);
}
