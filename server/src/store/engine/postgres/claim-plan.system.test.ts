import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { plant } from '../../../../../test/support/entities.ts';
import { addressOf, sharedPostgres } from '../../../../../test/support/postgres.ts';
import { compile } from '../statement.ts';
import { lockChecks, lockMonitors } from './due-claimer.ts';
import { postgresStore } from './postgres.ts';
import { postgresTables } from './postgres-connection.ts';

// How PostgreSQL finds what is due, with what it knows of tables in which one workspace has everything, and everything is overdue.

const ROWS = 20_000;

let client: pg.Client;

beforeAll(async () => {
  const url = await sharedPostgres().createDatabase();
  const store = await postgresStore({ address: addressOf(url) });
  const { workspace, project, app, environment } = await plant(store);
  await store.close();
  client = new pg.Client({ connectionString: url });
  await client.connect();
  const ids = [workspace, project, app, environment].map(({ id }) => `'${id}'`).join(', ');
  await client.query(`
    insert into domains select 'dom_' || n, ${ids}, n || '.example.com', 'subdomain', 'service', n || '.cname.example.net', 'token',
      'verified', null, null, null, 1, null, 1, 1, 1 from generate_series(1, ${ROWS}) n;
    insert into checks (domain_id, next_check_at, window_ends_at, attempts, unreadable_in_a_row) select id, 1, 1, 0, 0 from domains;
    insert into routes (hostname, domain_id, environment_id) select name, id, environment_id from domains;
    insert into monitors (domain_id, next_check_at, attempts) select id, 1, 0 from domains;
    insert into check_results select id, 'digest', 1, '[]', '{}' from domains;
    analyze; set plan_cache_mode = force_generic_plan`);
});
afterAll(() => client.end());

it.for([
  ['checks', lockChecks],
  ['re-checks', lockMonitors],
] as const)('%s are claimed in the order of an index, however many are overdue', async ([, statement]) => {
  const { sql, parameters } = compile(postgresTables, statement);
  const values = parameters({ from: 0, to: 2, limit: 100, except: '' }).map((value) =>
    client.escapeLiteral(`${value}`),
  );
  await client.query(`prepare claim as ${sql}`);
  const { rows } = await client.query(`explain execute claim (${values.join(', ')})`);
  await client.query('deallocate claim');
  const plan = rows.map((row) => String(row['QUERY PLAN']));
  expect(plan.filter((line) => /Sort|Seq Scan|Hash/.test(line))).toEqual([]);
});
