import { afterEach, expect, it } from 'vitest';
import { addressOf, sharedPostgres } from '../../../../../test/support/postgres.ts';
import { type ConnectionPool, connectionPool } from './pool.ts';
import { settingsFor, TIMEOUTS } from './postgres-connection.ts';

let pool: ConnectionPool;
afterEach(() => pool.close());

it('says how many connections are open and idle, what waits for one, and for how long', async () => {
  const settings = settingsFor(addressOf(await sharedPostgres().createDatabase()), TIMEOUTS);
  pool = connectionPool({ settings, size: 2, maxWaiting: 10 });
  expect(pool.usage()).toEqual({ connections: 0, idle: 0, waiting: 0, longestWaitMs: 0 });
  const held = [await pool.acquire(), await pool.acquire()];
  expect(pool.usage()).toEqual({ connections: 2, idle: 0, waiting: 0, longestWaitMs: 0 });

  const first = pool.acquire();
  const second = pool.acquire();
  expect(pool.usage()).toMatchObject({ connections: 2, idle: 0, waiting: 2 });
  const waited = pool.usage().longestWaitMs;
  await expect.poll(() => pool.usage().longestWaitMs).toBeGreaterThan(waited);

  for (const each of held) each.release(false);
  for (const each of await Promise.all([first, second])) each.release(false);
  expect(pool.usage()).toEqual({ connections: 2, idle: 2, waiting: 0, longestWaitMs: 0 });
});

it('counts what waits for a connection that is being opened, and nothing that failed to get one', async () => {
  const address = addressOf(await sharedPostgres().createDatabase());
  pool = connectionPool({
    settings: settingsFor({ ...address, database: 'absent' }, TIMEOUTS),
    size: 2,
    maxWaiting: 10,
  });
  const acquiring = pool.acquire();
  expect(pool.usage()).toMatchObject({ connections: 1, idle: 0, waiting: 1 });
  await expect(acquiring).rejects.toMatchObject({ code: '3D000' });
  expect(pool.usage()).toEqual({ connections: 0, idle: 0, waiting: 0, longestWaitMs: 0 });
});
