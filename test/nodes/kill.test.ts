import { afterAll, beforeAll, expect, test } from 'vitest';
import { survive } from '../crash/kill.ts';
import { chooseSeed, seeded } from '../crash/random.ts';
import { type PostgresServer, startPostgres } from '../fixtures/postgres.ts';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.close());

test('kill -9 of a node, or PostgreSQL stopped at once, at any moment: no acknowledged write is missing, nothing is torn, and checks go on', async () => {
  const survived = await survive(3, seeded(chooseSeed()), postgres);
  console.log(survived);
  expect(survived.kills).toBe(3);
}, 120_000);
