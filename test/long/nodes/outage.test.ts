import { afterAll, beforeAll, test } from 'vitest';
import { outlive } from '../../nodes/outage.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres.ts';
import { chooseSeed, seeded } from '../../support/seeded-random.ts';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.close());

test('PostgreSQL away for a minute under load: clear errors, no node ends, checks go on by themselves, and no window ends without a last look', async () => {
  const times = { awayMs: 60_000, aroundMs: 10_000, checkIntervalMs: 60_000 };
  const { phases, recovery } = await outlive(postgres, seeded(chooseSeed()), { ...times, domains: 200 });
  console.table(phases);
  console.log(recovery);
});
