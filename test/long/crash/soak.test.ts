import { expect, test } from 'vitest';
import { expectForgotten, growthPerMinute, soak, type Vitals } from '../../crash/soak.ts';
import { chooseSeed, seeded } from '../../support/seeded-random.ts';

const MEBIBYTE = 1024 * 1024;
const WARM_UP_MS = 100_000;

test('five minutes of use: memory stays flat, no files are left open, and the log stays short', async () => {
  const options = { forMs: 5 * 60_000, everyMs: 5000, clients: 8, domains: 3000 };
  const { vitals, ...tally } = await soak(seeded(chooseSeed()), options);
  const warm = vitals.filter(({ atMs }) => atMs > WARM_UP_MS);
  const growth = (vital: keyof Omit<Vitals, 'atMs'>) => growthPerMinute(warm, vital);
  const grown = { heapMiB: growth('heapBytes') / MEBIBYTE, rssMiB: growth('rssBytes') / MEBIBYTE };
  console.log(tally, { 'growth a minute': { ...grown, descriptors: growth('descriptors') } }, warm[0], warm.at(-1));
  expect(grown.heapMiB).toBeLessThan(0.5);
  expect(grown.rssMiB).toBeLessThan(4);
  expect(growth('descriptors')).toBeLessThan(2);
  expect(growth('resources')).toBeLessThan(10);
  expect(Math.max(...vitals.map(({ logBytes }) => logBytes))).toBeLessThan(32 * MEBIBYTE);
});

test('changes are forgotten ten minutes later', async () => {
  await expectForgotten(seeded(chooseSeed()));
});
