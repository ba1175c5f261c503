import { expect, test } from 'vitest';
import { chooseSeed, seeded } from '../support/seeded-random.ts';
import { soak } from './soak.ts';

test('in use, it opens no more and more files, and keeps its log short', async () => {
  const options = { spells: 3, spellMs: 1000, clients: 4, domains: 100 };
  const { vitals, ...tally } = await soak(seeded(chooseSeed()), options);
  console.log(tally, vitals.at(-1));
  expect(Math.max(...vitals.map(({ descriptors }) => descriptors))).toBeLessThan(200);
  expect(Math.max(...vitals.map(({ logBytes }) => logBytes))).toBeLessThan(32 * 1024 * 1024);
}, 120_000);
