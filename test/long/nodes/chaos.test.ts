import { afterAll, beforeAll, expect, test } from 'vitest';
import { weather } from '../../nodes/chaos.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres.ts';
import { chooseSeed, seeded } from '../../support/seeded-random.ts';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.close());

const MINUTE = 60_000;

test('ten minutes of nodes killed, stopped for up to two minutes and started at random: no write is lost, no transition or event is doubled, and no domain is left unchecked', async () => {
  const times = {
    forMs: 10 * MINUTE,
    everyMs: 15_000,
    stoppedMs: 2 * MINUTE,
    checkIntervalMs: MINUTE,
    windowMs: 4 * MINUTE,
  };
  const use = { clients: 8, pauseMs: 300, most: 100 };
  const weathered = await weather(postgres, seeded(chooseSeed()), { nodes: 4, ...times, ...use });
  console.log(weathered);
  expect(weathered.killed).toBeGreaterThan(5);
  expect(weathered.stopped).toBeGreaterThan(5);
});
