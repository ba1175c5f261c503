import { expect, test } from 'vitest';
import { flood } from '../../hostile/flood.ts';
import { startVictim } from '../../hostile/server.ts';

const seed = Number(process.env.HOSTILE_SEED ?? Date.now() % 1_000_000);
const MB = 1024 * 1024;

test('100,000 random requests, bodies and headers: never a 500, never a crash, every response as documented, memory flat', async () => {
  console.log(`HOSTILE_SEED=${seed}`);
  const victim = await startVictim();
  // By then Node has taken what memory it takes when busy: from there on nothing may grow.
  await flood(victim, { count: 60_000, seed });
  const before = await victim.memory();
  const tally = await flood(victim, { count: 100_000, seed: seed + 1 });
  const after = await victim.memory();
  await victim.close();
  console.log(JSON.stringify({ ...tally, beforeMb: Math.round(before / MB), afterMb: Math.round(after / MB) }));
  for (const status of ['200', '400', '401', '404', '405']) expect(tally[status]).toBeGreaterThan(100);
  expect(after - before).toBeLessThan(80 * MB);
});
