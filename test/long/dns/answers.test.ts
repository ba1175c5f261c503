import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { feed, mutatedQueries, randomSubdomains } from '../../answers/hostile.ts';
import { chooseSeed } from '../../support/seeded-random.ts';

test('1,000,000 mutated queries: no exception, and no response over UDP of more than four times its query', () => {
  const tally = feed(mutatedQueries(1_000_000, chooseSeed()));
  console.log(tally);
  expect(Object.keys(tally.rcodes).length).toBeGreaterThanOrEqual(5);
});

// docs/internals/conformance.md says where they come from.
const CORPORA = process.env.DNS_CORPORA;
test.skipIf(CORPORA === undefined)(
  "the same of the packets of other programs' fuzzers, and of 100 mutations of each",
  () => {
    const seeds = readdirSync(CORPORA ?? '', { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name)).subarray(0, 65_535));
    const tally = feed(seeds);
    console.log(seeds.length, tally, feed(mutatedQueries(100 * seeds.length, chooseSeed(), seeds)));
    expect(tally.packets).toBe(2 * seeds.length);
  },
);

test('1,000,000 queries for random names below both zones take no memory that stays', () => {
  const seed = chooseSeed();
  feed(randomSubdomains(50_000, seed));
  const before = heapUsed();
  feed(randomSubdomains(1_000_000, seed + 1));
  const grown = heapUsed() - before;
  console.log(`grown by ${grown} octets`);
  expect(grown).toBeLessThan(1_000_000);
});

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
