import { afterAll, beforeAll, test } from 'vitest';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { chooseSeed, seeded } from '../support/seeded-random.ts';
import { outlive } from './outage.ts';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.close());

test('PostgreSQL down under load: clear errors, no node exits, checks resume by themselves, and no window ends without a last check', async () => {
  const times = { awayMs: 3000, aroundMs: 1000, checkIntervalMs: 1500 };
  const { phases, recovery } = await outlive(postgres, seeded(chooseSeed()), { ...times, domains: 20 });
  console.table(phases);
  console.log(recovery);
}, 120_000);
