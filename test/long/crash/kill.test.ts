import { expect, test } from 'vitest';
import { survive } from '../../crash/kill.ts';
import { chooseSeed, seeded } from '../../support/seeded-random.ts';

test('200 times kill -9: no acknowledged write is missing, nothing is torn, and checks go on', async () => {
  const survived = await survive(200, seeded(chooseSeed()));
  console.log(survived);
  expect(survived.kills).toBe(200);
});
