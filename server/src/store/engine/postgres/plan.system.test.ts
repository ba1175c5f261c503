import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { indexed, inOrder } from '../../../../../test/support/indexed-use-cases.ts';
import { addressOf, sharedPostgres } from '../../../../../test/support/postgres.ts';
import { compile, type Statement, type Transaction } from '../statement.ts';
import { findDomainsByNames } from './batched-lookups.ts';
import { lockChecks } from './due-claimer.ts';
import { migrate } from './postgres.ts';
import { postgresTables } from './postgres-connection.ts';

let client: pg.Client;

beforeAll(async () => {
  const url = await sharedPostgres().createDatabase();
  await migrate(addressOf(url));
  client = new pg.Client({ connectionString: url });
  await client.connect();
  // The planner acts as with tables of any size: it reads one from end to end only where no index can be used, and sorts only where
  // no index has the order.
  await client.query('set enable_seqscan = off');
  await client.query('set enable_bitmapscan = off');
  await client.query('set enable_sort = off');
  await client.query('set enable_incremental_sort = off');
  await client.query('set plan_cache_mode = force_generic_plan');
});
afterAll(() => client.end());

/** PostgreSQL's plans for the statements of a use case, as far as it gets without finding anything. */
async function plansOf(operation: (tx: Transaction, ...args: never[]) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = [];
  const explain = async <Input extends object>(statement: Statement<Input, unknown>) => {
    const { sql, parameters } = compile(postgresTables, statement);
    const nulls = parameters({} as Input).map(() => 'null');
    await client.query(`prepare asked as ${sql}`);
    const { rows } = await client.query(`explain execute asked ${nulls.length > 0 ? `(${nulls.join(', ')})` : ''}`);
    await client.query('deallocate asked');
    plans.push(...rows.map((row) => String(row['QUERY PLAN'])));
  };
  let writes = Promise.resolve();
  const tx: Transaction = {
    async one(statement) {
      await explain(statement);
      return null;
    },
    async all(statement) {
      await explain(statement);
      return [];
    },
    async execute(statement) {
      await explain(statement);
      return 0;
    },
    write(statement) {
      writes = writes.then(() => explain(statement));
    },
    newId: () => '',
    isLocal: false,
    now: 0,
    domains: [],
    actor: null,
  };
  const args: unknown[] = ['a', { search: 'a' }, { limit: 1, search: 'a' }];
  await operation(tx, ...(args as never[]));
  await writes;
  return plans;
}

const claim = async (tx: Transaction) => tx.all(lockChecks, { from: 0, to: 0, limit: 1, except: '' });
const lookUp = async (tx: Transaction) => findDomainsByNames(tx, [{ workspaceId: '', name: '' }]);
const operations: typeof indexed = { ...indexed, claim, 'look domains up by their names': lookUp };

function operationOf(name: string) {
  const operation = operations[name];
  if (operation === undefined) throw new Error(`there is no ${name}`);
  return operation;
}

it.for(Object.entries(operations))('%s scans no table', async ([, operation]) => {
  const plans = await plansOf(operation);
  expect(plans).not.toEqual([]);
  expect(plans.filter((plan) => /Seq Scan/.test(plan))).toEqual([]);
});

it.for([...inOrder, 'claim'])(
  '%s finds its rows in the order of an index, so that it costs the same in a table of any length',
  async (name) => {
    expect((await plansOf(operationOf(name))).filter((plan) => /Sort/.test(plan))).toEqual([]);
  },
);
