import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pack, unpack } from './usage-chunks.ts';
import { addChunk, addCount, countsOf, hasUsage, newChunk, noUsage } from './usage-store.ts';

const number = fc.integer({ min: 0, max: 255 });
const value = fc.oneof(fc.constantFrom(0, 1, 127, 128, 2 ** 32, 2 ** 53 - 1), fc.maxSafeNat());
const counts = fc.record({
  requests: value,
  bytesIn: value,
  bytesOut: value,
  edgeErrors: value,
  originErrors: value,
});
const usage = fc.uniqueArray(fc.tuple(number, counts), { selector: ([of]) => of, maxLength: 256 });

function chunkWith(all: [number, Record<string, number>][]) {
  const chunk = newChunk();
  for (const [of, counted] of all)
    for (const name of Object.keys(noUsage()) as (keyof ReturnType<typeof noUsage>)[])
      addCount(chunk, of, name, counted[name] ?? 0);
  return chunk;
}

test('what is packed unpacks to the same, with counts up to 2^53 - 1', () => {
  fc.assert(
    fc.property(usage, (all) => {
      expect(unpack(pack(chunkWith(all)))).toEqual(chunkWith(all));
    }),
  );
});

test('each domain of a chunk has its own counts', () => {
  fc.assert(
    fc.property(usage, (all) => {
      const of = new Map(all);
      const chunk = unpack(pack(chunkWith(all)));
      for (let i = 0; i < 256; i++) {
        expect(countsOf(chunk, i)).toEqual(of.get(i) ?? noUsage());
        expect(hasUsage(countsOf(chunk, i))).toBe(Object.values(of.get(i) ?? {}).some((counted) => counted > 0));
      }
    }),
    { numRuns: 30 },
  );
});

test('chunks add up, whichever is added to which', () => {
  fc.assert(
    fc.property(usage, usage, (a, b) => {
      const [one, other] = [chunkWith(a), chunkWith(b)];
      addChunk(one, chunkWith(b));
      addChunk(other, chunkWith(a));
      expect(one).toEqual(other);
    }),
  );
});
