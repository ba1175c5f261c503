import { afterAll, beforeAll, expect, test } from 'vitest';
import { importKilled } from '../../bulk/import.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres.ts';
import { chooseSeed, seeded } from '../../support/seeded-random.ts';

const NAMES = 50_000;
const KILLS = 10;

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.close());

test('an import of 50,000 names, killed ten times, attaches each name once, and reports each refusal: on SQLite', async () => {
  const resumed = await importKilled(NAMES, KILLS, seeded(chooseSeed()));
  console.log(resumed);
  expect(resumed.names).toBe(NAMES);
});

test('the same on PostgreSQL', async () => {
  const resumed = await importKilled(NAMES, KILLS, seeded(chooseSeed()), postgres);
  console.log(resumed);
  expect(resumed.names).toBe(NAMES);
});
