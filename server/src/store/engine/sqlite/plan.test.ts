import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { indexed, inOrder } from '../../../../../test/support/indexed-use-cases.ts';
import { claimDue } from '../../check/checks.ts';
import { selectMonitors } from '../../check/monitors.ts';
import { countDue } from '../../check/schedules.ts';
import { compile, type Statement, type Transaction } from '../statement.ts';
import { migrate } from './migrate-sqlite.ts';
import { connect, type SqliteConnection, sqliteTables } from './sqlite-connection.ts';

let directory: string;
let connection: SqliteConnection;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nameplate-plan-'));
  await migrate(join(directory, 'nameplate.db'));
  connection = connect(join(directory, 'nameplate.db'), { readOnly: true, busyTimeoutMs: 0 });
});
afterAll(async () => {
  connection.db.close();
  await rm(directory, { recursive: true });
});

/** SQLite's plans for the statements of a use case, as far as it gets without finding anything. */
async function plansOf(operation: (tx: Transaction, ...args: never[]) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = [];
  const explain = <Input extends object>(statement: Statement<Input, unknown>) => {
    const rows = connection.db.prepare(`explain query plan ${compile(sqliteTables, statement).sql}`).all();
    plans.push(...rows.map(({ detail }) => String(detail)));
  };
  const tx: Transaction = {
    one: (statement) => {
      explain(statement);
      return null;
    },
    all: (statement) => {
      explain(statement);
      return [];
    },
    execute: (statement) => {
      explain(statement);
      return 0;
    },
    write: (statement) => {
      explain(statement);
    },
    newId: () => '',
    isLocal: true,
    now: 0,
    domains: [],
    actor: null,
  };
  const args: unknown[] = ['a', { search: 'a' }, { limit: 1, search: 'a' }];
  await operation(tx, ...(args as never[]));
  return plans;
}

const due = { now: 0, limit: 1, periodMs: 1 };
const operations: typeof indexed = {
  ...indexed,
  countDue: (tx: Transaction) => countDue(tx, 'checks', due),
  countDueRechecks: (tx: Transaction) => countDue(tx, 'monitors', due),
  claimDue: (tx: Transaction) => claimDue(tx, 0, 1, [0]),
  claimMonitored: async (tx: Transaction) => tx.all(selectMonitors, { from: 0, to: 0, limit: 1, except: '' }),
};

function operationOf(name: string) {
  const operation = operations[name];
  if (operation === undefined) throw new Error(`there is no ${name}`);
  return operation;
}

it.for(Object.entries(operations))('%s scans no table', async ([, operation]) => {
  const plans = await plansOf(operation);
  expect(plans).not.toEqual([]);
  const tables = connection.db.prepare("select name from sqlite_schema where type = 'table'").all();
  expect(tables.filter(({ name }) => plans.some((plan) => plan.startsWith(`SCAN ${name}`)))).toEqual([]);
});

it.for(['showListedDomains', 'filterListedDomains'])('%s reads domains by their ids', async (name) => {
  const plans = (await plansOf(operationOf(name))).filter((plan) => plan.startsWith('SEARCH domains '));
  expect(plans).toEqual([expect.stringContaining('(id=?)')]);
});

it.for([...inOrder, 'claimDue', 'claimMonitored'])(
  '%s finds its rows in the order of an index, so that it costs the same in a table of any length',
  async (name) => {
    expect((await plansOf(operationOf(name))).filter((plan) => /TEMP B-TREE/.test(plan))).toEqual([]);
  },
);

it('a host name is looked up without a sort, which would cost more than all that is read', async () => {
  expect((await plansOf(operationOf('findSite'))).filter((plan) => /TEMP B-TREE/.test(plan))).toEqual([]);
});
