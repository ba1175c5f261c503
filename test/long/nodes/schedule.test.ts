import { afterAll, beforeAll, expect, test } from 'vitest';
import { keepSchedule } from '../../nodes/schedule.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres.ts';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.close());

test('three nodes check 100,000 domains once a minute: none twice in a period, and none is left out', async () => {
  const kept = await keepSchedule(postgres, {
    nodes: 3,
    domains: 100_000,
    checkIntervalMs: 60_000,
    // A first check looks at everything, and costs many times as much as those that follow.
    firstPeriods: 5,
    periods: 2,
  });
  console.log(kept);
  expect(kept['longest gap']).toBeLessThan(2);
});
