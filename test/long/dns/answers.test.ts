import { expect, test } from 'vitest';
import { attack } from '../../answers/hostile.ts';
import { chooseSeed } from '../../support/seeded-random.ts';

test('1,000,000 mutated queries: no exception, and no response over UDP of more than four times its query', () => {
  const tally = attack(1_000_000, chooseSeed());
  console.log(tally);
  expect(Object.keys(tally.rcodes).length).toBeGreaterThanOrEqual(5);
});
