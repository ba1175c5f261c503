import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { indexed, inOrder } from '../../../test/support/indexed.ts';
import { countDue } from '../sql/check-schedule.ts';
import { claimDue } from '../sql/checks.ts';
import { compile, type Query, type Writing } from '../sql/query.ts';
import { migrate } from './migrate-sqlite.ts';
import { type Connection, connect, sqliteTables } from './sqlite-connection.ts';

let directory: string;
let connection: Connection;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nameplate-plan-'));
  await migrate(join(directory, 'nameplate.db'));
  connection = connect(join(directory, 'nameplate.db'), { readOnly: true, busyTimeoutMs: 0 });
});
afterAll(async () => {
  connection.db.close();
  await rm(directory, { recursive: true });
});

/** How SQLite would run the statements of an operation, as far as it comes without finding anything. */
async function plansOf(operation: (run: Writing, ...args: never[]) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = [];
  const explain = <Input extends object>(query: Query<Input, unknown>) => {
    const rows = connection.db.prepare(`explain query plan ${compile(sqliteTables, query).sql}`).all();
    plans.push(...rows.map(({ detail }) => String(detail)));
  };
  const run: Writing = {
    one: (query) => {
      explain(query);
      return null;
    },
    all: (query) => {
      explain(query);
      return [];
    },
    change: (query) => {
      explain(query);
      return 0;
    },
    newId: () => '',
    askedAt: 0,
  };
  const args: unknown[] = ['a', { search: 'a' }, { limit: 1, search: 'a' }];
  await operation(run, ...(args as never[]));
  return plans;
}

const operations = { ...indexed, countDue, claimDue: (run: Writing) => claimDue(run, 0, 1, [0]) };

it.for(Object.entries(operations))('%s reads no table from end to end', async ([, operation]) => {
  const plans = await plansOf(operation);
  expect(plans).not.toEqual([]);
  const tables = connection.db.prepare("select name from sqlite_schema where type = 'table'").all();
  expect(tables.filter(({ name }) => plans.some((plan) => plan.startsWith(`SCAN ${name}`)))).toEqual([]);
});

it.for([...inOrder, 'claimDue'] as const)(
  '%s finds its rows in order, so that it costs the same in a table of any length',
  async (name) => {
    expect((await plansOf(operations[name])).filter((plan) => /TEMP B-TREE/.test(plan))).toEqual([]);
  },
);
