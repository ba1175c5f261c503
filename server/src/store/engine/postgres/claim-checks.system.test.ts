import pg from 'pg';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { attach, NOW, plant } from '../../../../../test/support/entities.ts';
import { addressOf, type Postgres, sharedPostgres } from '../../../../../test/support/postgres.ts';
import type { Environment, Store } from '../../store.ts';
import type { Reader } from '../statement.ts';
import { type CheckClaimer, checkClaimer } from './due-claimer.ts';
import { postgresStore } from './postgres.ts';
import { clientReader } from './postgres-connection.ts';

// Claims by one process, whose clock for durations is set here: the search for overdue checks takes as long as a test says.

let server: Postgres;
let store: Store;
let client: pg.Client;
let environment: Environment;
let elapsedMs: number;
let searchMs: number;
let claim: CheckClaimer;

beforeAll(() => {
  server = sharedPostgres();
});

beforeEach(async () => {
  const url = await server.createDatabase();
  store = await postgresStore({ address: addressOf(url) });
  environment = (await plant(store)).environment;
  client = new pg.Client({ connectionString: url });
  await client.connect();
  elapsedMs = 0;
  searchMs = 1000;
  claim = checkClaimer(() => elapsedMs);
  return async () => {
    await client.end();
    await store.close();
  };
});

/** Names of what a claim finds. */
async function claimed({ now = NOW, except = '', limit = 100 } = {}): Promise<string[]> {
  const { one, all } = clientReader(client);
  const slowReader: Reader = {
    one,
    async all(statement, input) {
      elapsedMs += searchMs;
      return all(statement, input);
    },
  };
  const due = await claim(slowReader, client, { now, limit, checkIntervalMs: 60_000, jitter: () => 0, except });
  return due.map(({ domain }) => domain.name);
}

const attachDue = async (at: number) => (await attach(store, environment, { createdAt: at })).name;

it('finds checks that became due since, where the search for the earliest is slow', async () => {
  await claimed();
  const names = [await attachDue(NOW), await attachDue(NOW + 1), await attachDue(NOW - 1999)];
  expect((await claimed({ now: NOW + 1 })).sort()).toEqual(names.sort());
});

it('leaves checks that were due long before they were added to the next search for the earliest, after 20 times its duration', async () => {
  await claimed();
  const late = await attachDue(NOW - 10_000);
  elapsedMs = 19_999;
  expect(await claimed()).toEqual([]);
  elapsedMs = 20_000;
  expect(await claimed()).toEqual([late]);
});

it('always finds the earliest, where the search for them is quick', async () => {
  searchMs = 10;
  await claimed();
  const late = await attachDue(NOW - 10_000);
  expect(await claimed()).toEqual([late]);
});

it('comes back to checks that it skipped because of their workspace', async () => {
  const early = await attachDue(NOW - 10_000);
  await claimed({ except: environment.workspaceId, now: NOW - 10_000 });
  await claimed({ except: environment.workspaceId });
  expect(await claimed()).toEqual([early]);
});

it('continues where the last claim stopped', async () => {
  const names = [await attachDue(NOW - 30_000), await attachDue(NOW - 20_000), await attachDue(NOW - 10_000)];
  for (const name of names) expect(await claimed({ limit: 1 })).toEqual([name]);
});

it('finds what is due by a clock that was set back', async () => {
  await claimed();
  const name = await attachDue(NOW - 3_600_000);
  expect(await claimed({ now: NOW - 3_600_000 })).toEqual([name]);
});

it('claims what became due within the last period, where not even the first search for the earliest came to an end', async () => {
  const name = await attachDue(NOW - 50_000);
  await client.query('begin');
  await client.query('set local statement_timeout = 1; select pg_sleep(1)').catch(() => {});
  await expect(claimed()).rejects.toThrow('aborted');
  await client.query('rollback');
  expect(await claimed()).toEqual([name]);
});
