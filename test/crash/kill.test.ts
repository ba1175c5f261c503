import { expect, test } from 'vitest';
import { chooseSeed, seeded } from '../support/seeded-random.ts';
import { survive } from './kill.ts';

test('kill -9 at any moment: no acknowledged write is missing, nothing is torn, and checks go on', async () => {
  const survived = await survive(8, seeded(chooseSeed()));
  console.log(survived);
  expect(survived.kills).toBe(8);
}, 120_000);
