import { expect, test } from 'vitest';
import { flood } from './flood.ts';
import { startVictim } from './server.ts';

const seed = Number(process.env.HOSTILE_SEED ?? Date.now() % 1_000_000);

test('2,000 random requests, bodies and headers: never a 500, never a crash, every response as documented', async () => {
  console.log(`HOSTILE_SEED=${seed}`);
  const victim = await startVictim();
  const tally = await flood(victim, { count: 2000, seed });
  await victim.close();
  // Attacks that all end at the door would show nothing.
  for (const status of ['200', '400', '401', '404', '405'])
    expect(tally[status], JSON.stringify(tally)).toBeGreaterThan(0);
});
