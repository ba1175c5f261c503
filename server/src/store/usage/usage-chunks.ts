import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { CHUNK, type ChunkCounts, NAMES, newChunk, PLACES } from './usage-store.ts';

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
