import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { indexed, inOrder } from '../../../test/support/indexed.ts';
import { addressOf, type PostgresServer, startPostgres } from '../../../test/support/postgres.ts';
import { compile, type Query, type Writing } from '../sql/query.ts';
import { lockChecks } from './claim-checks.ts';
import { migrate } from './postgres.ts';
import { postgresTables } from './postgres-connection.ts';

let server: PostgresServer;
let client: pg.Client;

beforeAll(async () => {
  server = await startPostgres();
  const url = await server.createDatabase();
  await migrate(addressOf(url));
  client = new pg.Client({ connectionString: url });
  await client.connect();
  // What the planner would do with tables of any size: it reads one from end to end only where no index can be used, and sorts only where
  // no index has the order.
  await client.query('set enable_seqscan = off');
  await client.query('set enable_bitmapscan = off');
  await client.query('set enable_sort = off');
  await client.query('set plan_cache_mode = force_generic_plan');
});
afterAll(async () => {
  await client.end();
  await server.close();
});

/** How PostgreSQL would run the statements of an operation, as far as it comes without finding anything. */
async function plansOf(operation: (run: Writing, ...args: never[]) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = [];
  const explain = async <Input extends object>(query: Query<Input, unknown>) => {
    const { sql, parameters } = compile(postgresTables, query);
    const nulls = parameters({} as Input).map(() => 'null');
    await client.query(`prepare asked as ${sql}`);
    const { rows } = await client.query(`explain execute asked ${nulls.length > 0 ? `(${nulls.join(', ')})` : ''}`);
    await client.query('deallocate asked');
    plans.push(...rows.map((row) => String(row['QUERY PLAN'])));
  };
  const run: Writing = {
    async one(query) {
      await explain(query);
      return null;
    },
    async all(query) {
      await explain(query);
      return [];
    },
    async change(query) {
      await explain(query);
      return 0;
    },
    newId: () => '',
    askedAt: 0,
  };
  const args: unknown[] = ['a', { search: 'a' }, { limit: 1, search: 'a' }];
  await operation(run, ...(args as never[]));
  return plans;
}

const claim = async (run: Writing) => run.all(lockChecks, { from: 0, to: 0, limit: 1, except: '' });
const operations = { ...indexed, claim };

it.for(Object.entries(operations))('%s reads no table from end to end', async ([, operation]) => {
  const plans = await plansOf(operation);
  expect(plans).not.toEqual([]);
  expect(plans.filter((plan) => /Seq Scan/.test(plan))).toEqual([]);
});

it.for([...inOrder, 'claim'] as const)(
  '%s finds its rows in order, so that it costs the same in a table of any length',
  async (name) => {
    expect((await plansOf(operations[name])).filter((plan) => /Sort/.test(plan))).toEqual([]);
  },
);
