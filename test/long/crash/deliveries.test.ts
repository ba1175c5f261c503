import { afterAll, beforeAll, expect, test } from 'vitest';
import { surviveDelivering } from '../../crash/deliveries.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres.ts';
import { chooseSeed, seeded } from '../../support/seeded-random.ts';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.close());

test.each(['SQLite', 'PostgreSQL'])(
  '%s, 100 times kill -9: no event for a webhook is lost, those of a domain arrive in order, repetitions carry the same id',
  async (engine) => {
    const survived = await surviveDelivering(100, seeded(chooseSeed()), engine === 'SQLite' ? undefined : postgres);
    console.log(engine, survived);
    expect(survived.kills).toBe(100);
    expect(survived.repetitions).toBeGreaterThan(0);
  },
);
