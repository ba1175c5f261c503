import { expect, test } from 'vitest';
import { expectForgotten, growthPerMinute, soak, type Vitals } from '../../crash/soak.ts';
import { chooseSeed, seeded } from '../../support/seeded-random.ts';

const MEBIBYTE = 1024 * 1024;
/** In which the compilers settle. */
const WARM_UP = 2;

test('eight spells of use: at rest its memory stays flat, no files are left open, and the log stays short', async () => {
  const options = { spells: WARM_UP + 6, spellMs: 40_000, clients: 8, domains: 3000 };
  const { vitals, ...tally } = await soak(seeded(chooseSeed()), options);
  const warm = vitals.slice(WARM_UP);
  const growth = (vital: keyof Omit<Vitals, 'atMs'>) => growthPerMinute(warm, vital);
  const grown = { heapMiB: growth('heapBytes') / MEBIBYTE, rssMiB: growth('rssBytes') / MEBIBYTE };
  console.log(tally, { 'growth a minute': { ...grown, descriptors: growth('descriptors') } }, warm);
  expect(grown.heapMiB).toBeLessThan(1);
  expect(grown.rssMiB).toBeLessThan(4);
  expect(growth('descriptors')).toBeLessThan(2);
  expect(Math.max(...vitals.map(({ logBytes }) => logBytes))).toBeLessThan(32 * MEBIBYTE);
});

test('changes are forgotten ten minutes later', async () => {
  await expectForgotten(seeded(chooseSeed()));
});
