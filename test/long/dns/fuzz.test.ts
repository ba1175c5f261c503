import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { fuzz } from '../../dns/fuzz.ts';

test('1,000,000 mutated answers: no crash, no hang, no false match', async () => {
  const seed = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31));
  console.log(`FUZZ_SEED=${seed}`);
  const tally = await fuzz(1_000_000, seed);
  console.log(tally);
  expect(tally.packets).toBeGreaterThanOrEqual(1_000_000);
  expect(tally.matches).toBeGreaterThan(10_000);
});
