import { expect, test } from 'vitest';
import { chooseSeed, seeded } from '../support/seeded-random.ts';
import { importKilled } from './import.ts';

// `npm run test:long` imports 50,000 names.
const KILLS = 3;

test('an import that is killed again and again attaches each name once, and reports each refusal', async () => {
  const resumed = await importKilled(2000, KILLS, seeded(chooseSeed()));
  console.log(resumed);
  expect(resumed.kills).toBe(KILLS);
}, 120_000);
