import { afterAll, beforeAll, expect, test } from 'vitest';
import { chooseSeed, seeded } from '../crash/random.ts';
import { type PostgresServer, startPostgres } from '../fixtures/postgres.ts';
import { weather } from './chaos.ts';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.close());

test('nodes killed, stopped and started at random: no write is lost, no transition or event is doubled, and every domain is checked', async () => {
  const times = { forMs: 8000, everyMs: 500, stoppedMs: 3000, checkIntervalMs: 1500, windowMs: 6000 };
  const use = { clients: 6, pauseMs: 60, most: 30 };
  const weathered = await weather(postgres, seeded(chooseSeed()), { nodes: 3, ...times, ...use });
  console.log(weathered);
  expect(Number(weathered.killed) + Number(weathered.stopped)).toBeGreaterThan(0);
}, 120_000);
