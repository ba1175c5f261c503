import { expect, test } from 'vitest';
import { chooseSeed, seeded } from '../support/seeded-random.ts';
import { survive } from './kill.ts';

// `npm run test:long` kills 200 times.
const KILLS = 4;

test('kill -9 at any moment: no acknowledged write is missing, nothing is torn, and checks go on', async () => {
  const survived = await survive(KILLS, seeded(chooseSeed()));
  console.log(survived);
  expect(survived.kills).toBe(KILLS);
}, 120_000);
