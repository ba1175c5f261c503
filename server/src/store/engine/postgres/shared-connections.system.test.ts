import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addressOf, sharedPostgres } from '../../../../../test/support/postgres.ts';
import { settingsFor, TIMEOUTS, type Timeouts } from './postgres-connection.ts';
import { type SharedConnections, sharedConnections } from './shared-connections.ts';

let url: string;
/** Somebody else's connection. */
let other: pg.Client;
let connections: SharedConnections;

beforeEach(async () => {
  url = await sharedPostgres().createDatabase();
  other = new pg.Client({ connectionString: url });
  await other.connect();
});
afterEach(async () => {
  await connections.close();
  await other.end();
});

function open({ size, maxWaiting = 100, ...timeouts }: { size: number; maxWaiting?: number } & Partial<Timeouts>) {
  const settings = settingsFor(addressOf(url), { ...TIMEOUTS, ...timeouts });
  connections = sharedConnections({ settings, size, maxWaiting });
}

const run = (query: string | pg.QueryConfig) => connections.run((client) => client.query(query));

/** The server process that answered. */
async function backend(): Promise<number> {
  return (await run('select pg_backend_pid() as pid')).rows[0].pid;
}

it('gives each statement a connection of its own, up to the size, and the least used one beyond', async () => {
  open({ size: 3 });
  const backends = await Promise.all(Array.from({ length: 12 }, backend));
  const uses = Map.groupBy(backends, (pid) => pid);
  expect([...uses.values()].map(({ length }) => length)).toEqual([4, 4, 4]);
});

it('says how many statements share a connection with others', async () => {
  open({ size: 2 });
  await other.query('select pg_advisory_lock(1)');
  const blocked = Array.from({ length: 5 }, () => run('select pg_advisory_xact_lock_shared(1)'));
  await expect.poll(() => connections.usage()).toEqual({ connections: 2, idle: 0, waiting: 3, longestWaitMs: 0 });
  await other.query('select pg_advisory_unlock(1)');
  await Promise.all(blocked);
  expect(connections.usage()).toEqual({ connections: 2, idle: 2, waiting: 0, longestWaitMs: 0 });
});

it('uses one connection again and again for statements one after another', async () => {
  open({ size: 3 });
  const first = await backend();
  expect(await backend()).toBe(first);
});

it('answers each statement with its own rows, in whatever number they are sent at once', async () => {
  open({ size: 2 });
  const numbers = Array.from({ length: 50 }, (_, i) => i);
  const query = (i: number) => ({ name: 'rows', text: 'select generate_series(1, $1::int)', values: [i] });
  const results = await Promise.all(numbers.map((i) => run(query(i))));
  expect(results.map(({ rowCount }) => rowCount)).toEqual(numbers);
});

it('the error of a statement leaves those alone that were sent before and after it', async () => {
  open({ size: 1 });
  const settled = await Promise.allSettled([
    run('select 1 as n'),
    run('select 1 / 0'),
    run({ name: 'wrong', text: 'select $1::int / 0', values: [1] }),
    run({ name: 'right', text: 'select $1::int as n', values: [2] }),
  ]);
  expect(settled).toMatchObject([
    { value: { rows: [{ n: 1 }] } },
    { reason: { code: '22012' } },
    { reason: { code: '22012' } },
    { value: { rows: [{ n: 2 }] } },
  ]);
});

it('a statement sent behind the one that was to prepare it does not fail with that one', async () => {
  open({ size: 1, lockMs: 50 });
  await other.query('create table guarded (n int)');
  await other.query('begin');
  await other.query('lock table guarded');
  const query = { name: 'guarded', text: 'select n from guarded' };
  const settled = await Promise.allSettled([run(query), run(query)]);
  expect(settled).toMatchObject([{ reason: { code: '55P03' } }, { reason: { code: '55P03' } }]);
  await other.query('rollback');
  expect((await run(query)).rows).toEqual([]);
});

it('nor do those fail that were sent behind it and then both prepare it', async () => {
  open({ size: 1 });
  await other.query('select pg_advisory_lock(1), pg_advisory_lock(2)');
  const query = { name: 'created', text: 'select n from created' };
  const failing = run(query);
  const first = run(query);
  const blocked = run('select pg_advisory_xact_lock(1)');
  const { promise: isRetried, resolve: onRetry } = Promise.withResolvers<void>();
  let attempts = 0;
  const second = connections.run((client) => {
    attempts += 1;
    if (attempts === 2) onRetry();
    return client.query(query);
  });
  const blockedAgain = run('select pg_advisory_xact_lock(2)');
  await expect(failing).rejects.toMatchObject({ code: '42P01' });
  await other.query('create table created (n int)');
  await other.query('select pg_advisory_unlock(1)');
  await isRetried;
  await other.query('select pg_advisory_unlock(2)');
  const settled = await Promise.allSettled([blocked, blockedAgain, first, second]);
  expect(settled.map((result) => ('reason' in result ? result.reason : 'answered'))).toEqual(Array(4).fill('answered'));
});

it('statements on a connection that breaks run again on another', async () => {
  open({ size: 1 });
  const before = await backend();
  await other.query('begin');
  await other.query('select pg_advisory_xact_lock(1)');
  const waiting = run('select pg_advisory_xact_lock_shared(1)');
  const behind = [backend(), backend()];
  await other.query('select pg_terminate_backend($1)', [before]);
  await other.query('rollback');
  expect((await waiting).rowCount).toBe(1);
  for (const pid of await Promise.all(behind)) expect(pid).not.toBe(before);
});

it('statements are rejected if a fresh connection breaks too', async () => {
  open({ size: 1 });
  await backend();
  await expect(run('select pg_terminate_backend(pg_backend_pid())')).rejects.toMatchObject({ code: '57P01' });
});

it('a statement that breaks its connection each time is rejected, even if others are answered before it each time', async () => {
  open({ size: 1 });
  await backend();
  let attempts = 0;
  const breaking = connections.run((client) => {
    attempts += 1;
    if (attempts > 10) throw new Error('it runs again and again');
    void backend();
    return client.query('select pg_terminate_backend(pg_backend_pid())');
  });
  await expect(breaking).rejects.toMatchObject({ code: '57P01' });
  expect(attempts).toBe(2);
});

it('a statement that is not answered in time is rejected; those behind it run on another connection', async () => {
  open({ size: 1 });
  const before = await backend();
  await other.query('begin');
  await other.query('select pg_advisory_xact_lock(1)');
  const stuck = run({ text: 'select pg_advisory_xact_lock(1)', query_timeout: 100 } as pg.QueryConfig);
  const behind = backend();
  await expect(stuck).rejects.toThrow('Query read timeout');
  expect(await behind).not.toBe(before);
  await other.query('rollback');
});

it('the time limit of a statement includes its wait behind others: a caller waits no longer', async () => {
  open({ size: 1 });
  await backend();
  await other.query('begin');
  await other.query('select pg_advisory_xact_lock(1)');
  const ahead = run('select pg_advisory_xact_lock_shared(1)');
  await expect(run({ text: 'select 1', query_timeout: 100 } as pg.QueryConfig)).rejects.toThrow('Query read timeout');
  await other.query('rollback');
  expect((await ahead).rowCount).toBe(1);
});

it('rejects at once what would wait behind too many others', async () => {
  open({ size: 1, maxWaiting: 2 });
  const settled = await Promise.allSettled([backend(), backend(), backend(), backend()]);
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
  expect(settled[3]).toMatchObject({ reason: { message: expect.stringMatching(/busy: 2 operations wait/) } });
});
