import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PostgresServer, startPostgres } from '../fixtures/postgres.ts';
import { keepSchedule } from './schedule.ts';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.close());

test('three nodes check every domain once in a period: none twice, and none is left out', async () => {
  const kept = await keepSchedule(postgres, {
    nodes: 3,
    domains: 600,
    checkIntervalMs: 1500,
    firstPeriods: 1,
    periods: 3,
  });
  console.log(kept);
  expect(kept['longest gap']).toBeLessThan(2);
}, 120_000);
