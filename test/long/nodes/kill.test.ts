import { afterAll, beforeAll, expect, test } from 'vitest';
import { survive } from '../../crash/kill.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres.ts';
import { chooseSeed, seeded } from '../../support/seeded-random.ts';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.close());

test('100 times kill -9 of a node, and PostgreSQL stopped at once in between: no acknowledged write is missing, nothing is torn, and checks go on', async () => {
  const survived = await survive(100, seeded(chooseSeed()), postgres);
  console.log(survived);
  expect(survived.kills).toBe(100);
});
