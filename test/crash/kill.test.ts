import { expect, test } from 'vitest';
import { survive } from './kill.ts';
import { chooseSeed, seeded } from './random.ts';

test('kill -9 at any moment: no acknowledged write is missing, nothing is torn, and checks go on', async () => {
  const survived = await survive(8, seeded(chooseSeed()));
  console.log(survived);
  expect(survived.kills).toBe(8);
}, 120_000);
