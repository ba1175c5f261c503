import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import { startChangeFeed } from '../../server/src/store/cache/change-feed.ts';
import { lockKey } from '../../server/src/store/engine/postgres/lock-queue.ts';
import {
  listenForChanges,
  type PostgresAddress,
  type PostgresOptions,
  postgresStore,
} from '../../server/src/store/engine/postgres/postgres.ts';
import type { Change, Environment, Store } from '../../server/src/store/store.ts';
import {
  AUTHOR,
  aDeployment,
  aRequestCount,
  attach,
  failedAt,
  NOW,
  plant,
  verifiedAt,
  verifyingAt,
} from '../support/entities.ts';
import { addressOf, type PostgresServer, startPostgres } from '../support/postgres.ts';

// Several nodes on one database: each test opens as many stores as it needs, and may have a connection of somebody
// else's.

let server: PostgresServer;
let url: string;
let address: PostgresAddress;
let environment: Environment;
let other: pg.Client;
/** Outside of every transaction, since in one it would see the same moment again and again. */
let watcher: pg.Client;
const open: Store[] = [];
const memory = NO_MEMORY;

// A server of its own: the change feed cannot tell transactions of other databases from those of its own.
beforeAll(async () => {
  server = await startPostgres('newest', { fsync: 'off' });
});
afterAll(() => server.close());

beforeEach(async () => {
  url = await server.createDatabase();
  address = addressOf(url);
  environment = (await plant(await node())).environment;
  other = new pg.Client({ connectionString: url });
  await other.connect();
  watcher = new pg.Client({ connectionString: url });
  await watcher.connect();
});
afterEach(async () => {
  await other.end();
  await watcher.end();
  await Promise.all(open.splice(0).map((store) => store.close()));
});

async function node(options: Partial<PostgresOptions> = {}): Promise<Store> {
  const store = await postgresStore({ address, ...options });
  open.push(store);
  return store;
}

/** Resolves once as many sessions wait for a lock. */
async function waiting(count: number): Promise<void> {
  const sql = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  while (Number((await watcher.query(sql)).rows[0].count) !== count);
}

it('gives each due check to one node, and none waits for another', async () => {
  const nodes = await Promise.all([1, 2, 3, 4].map(() => node()));
  const domains = [];
  for (let i = 0; i < 120; i++) domains.push(await attach(nodes[0] as Store, environment, { createdAt: NOW - i }));
  const claims = await Promise.all(
    Array.from({ length: 12 }, (_, i) => nodes[i % 4]?.claimDue(NOW, 10, 60_000, () => 0.5)),
  );
  const claimed = claims.flatMap((due) => due ?? []).map(({ domain }) => domain.id);
  expect(new Set(claimed).size).toBe(claimed.length);
  const rest = (await nodes[0]?.claimDue(NOW, 120, 60_000, () => 0.5)) ?? [];
  const all = [...claimed, ...rest.map(({ domain }) => domain.id)];
  expect(all.sort()).toEqual(domains.map(({ id }) => id).sort());
});

it('leaves connections to others while the writes of one workspace wait for each other', async () => {
  const store = await node({ poolSize: 2 });
  const others = (await plant(store)).environment;
  await other.query('begin');
  await other.query(`select pg_advisory_xact_lock(${lockKey(environment.workspaceId)})`);
  const burst = Array.from({ length: 20 }, () => attach(store, environment));
  await waiting(1);
  await attach(store, others);
  await other.query('rollback');
  expect(await Promise.all(burst)).toHaveLength(20);
});

it('tells at once that another node is working on a creation; then the creation of that one is repeated', async () => {
  const [here, there] = [await node(), await node()];
  const once = { id: 'once', fingerprint: 'input', made: new Uint8Array([1]), secret: false, at: NOW };
  const create = (store: Store) => store.changesOnce({ by: AUTHOR, once }).createDeployment(aDeployment(environment));
  await other.query('begin');
  await other.query(`select pg_advisory_xact_lock(${lockKey(environment.id)})`);
  const first = create(here);
  await waiting(1);
  expect(await create(there)).toEqual({ kind: 'in_flight' });
  await other.query('rollback');
  expect(await first).toEqual({ kind: 'first', outcome: 'created' });
  expect(await create(there)).toEqual({ kind: 'repeated', outcome: 'created', made: once.made });
  expect((await there.listDeployments(environment.workspaceId, environment.id, { limit: 9 })).items).toHaveLength(1);
});

it('skips a check that another node is claiming, and claims the next', async () => {
  const store = await node();
  const first = await attach(store, environment, { createdAt: NOW - 1 });
  const second = await attach(store, environment);
  await other.query('begin');
  await other.query('select 1 from checks where domain_id = $1 for update', [first.id]);
  expect((await store.claimDue(NOW, 1, 60_000, () => 0)).map(({ domain }) => domain.id)).toEqual([second.id]);
  await other.query('rollback');
  expect((await store.claimDue(NOW, 1, 60_000, () => 0)).map(({ domain }) => domain.id)).toEqual([first.id]);
});

it('retries a write that the server rolled back because of a conflict', async () => {
  const store = await node({ timeouts: { lockMs: 20_000, statementMs: 20_000, answerMs: 20_000 } });
  const holder = await plant(store);
  const added = await attach(store, holder.environment);
  const incumbent = verifiedAt(added, NOW);
  await store.saveTransition({ before: added, after: incumbent, memory, now: NOW });
  const claimed = await attach(store, environment, { name: added.name });
  // The other takes the two rows the other way round, and never gives way.
  const superuser = new pg.Client({ connectionString: server.url(address.database) });
  await superuser.connect();
  await superuser.query("set deadlock_timeout = '60s'");
  await superuser.query('begin');
  await superuser.query('update domains set token = token where id = $1', [claimed.id]);
  const loser = { before: incumbent, after: failedAt(incumbent, NOW) };
  const saved = store.saveTransition({ before: claimed, after: verifiedAt(claimed, NOW), loser, memory, now: NOW });
  await waiting(1);
  await superuser.query('update domains set token = token where id = $1', [incumbent.id]);
  await superuser.query('commit');
  expect(await saved).toBe('saved');
  expect((await store.findSite(added.name))?.domainId).toBe(claimed.id);
  expect(await other.query('select deadlocks from pg_stat_database where datname = current_database()')).toMatchObject({
    rows: [{ deadlocks: '1' }],
  });
  await superuser.end();
});

it('waits for fsync exactly where the contract says so', async () => {
  const store = await node();
  const domain = await attach(store, environment);
  await other.query('create table seen (setting text)');
  await other.query(`create function see() returns trigger language plpgsql as $$
    begin insert into seen values (current_setting('synchronous_commit')); return null; end $$`);
  await other.query('create trigger see after update on checks for each statement execute function see()');
  const seen = async () => (await other.query('delete from seen returning setting')).rows.map(({ setting }) => setting);
  await store.claimDue(NOW, 1, 60_000, () => 0);
  expect(await seen()).toEqual(['off']);
  await store.saveTransition({ before: domain, after: domain, memory, now: NOW });
  expect(await seen()).toEqual(['off']);
  await store.saveTransition({ before: domain, after: verifyingAt(domain, NOW), memory, now: NOW });
  expect(await seen()).toEqual(['on']);
});

it('adds any number of counts in one statement', async () => {
  const store = await node();
  await other.query('create table seen (statement bigint)');
  await other.query(`create function see() returns trigger language plpgsql as $$
    begin insert into seen values (txid_current()); return null; end $$`);
  await other.query('create trigger see after insert on request_counts for each statement execute function see()');
  await store.addRequests(Array.from({ length: 1000 }, () => aRequestCount()));
  expect((await other.query('select * from seen')).rowCount).toBe(1);
});

it('adds the counts of nodes without a deadlock, in whatever order they come', async () => {
  const nodes = await Promise.all([1, 2, 3, 4].map(() => node()));
  const counts = Array.from({ length: 200 }, () => aRequestCount());
  const ROUNDS = 10;
  const add = async (store: Store, i: number) => {
    const mine = i % 2 === 0 ? counts : counts.toReversed();
    for (let round = 0; round < ROUNDS; round++) await store.addRequests(mine);
  };
  await Promise.all(nodes.map(add));
  const totals = await (nodes[0] as Store).addRequests(counts.map((count) => ({ ...count, requests: 0 })));
  expect(totals).toEqual(counts.map(() => nodes.length * ROUNDS));
  // Sessions that have ended have reported their waits.
  await Promise.all(open.splice(0).map((store) => store.close()));
  const sessions =
    "select pid from pg_stat_activity where datname = current_database() and application_name = 'nameplate'";
  while ((await watcher.query(sessions)).rowCount !== 0);
  expect((await other.query('select deadlocks from pg_stat_database where datname = current_database()')).rows).toEqual(
    [{ deadlocks: '0' }],
  );
});

it('serves reads while every write waits for a lock', async () => {
  const store = await node({ poolSize: 2 });
  const domains = [];
  for (let i = 0; i < 3; i++) domains.push(await attach(store, environment));
  await other.query('begin');
  await other.query('select 1 from domains for update');
  const saves = domains.map((domain) =>
    store.saveTransition({ before: domain, after: verifyingAt(domain, NOW), memory, now: NOW }),
  );
  await waiting(2);
  for (const domain of domains) {
    expect(await store.findDomainByName(domain.workspaceId, domain.name)).toEqual(domain);
  }
  await other.query('rollback');
  expect(await Promise.all(saves)).toEqual(['saved', 'saved', 'saved']);
});

it('lets others read between the steps of a search', async () => {
  const store = await node({ poolSize: 1 });
  const domain = await attach(store, environment);
  await other.query(`insert into domains select (jsonb_populate_record(domains,
    jsonb_build_object('id', 'dom_' || i, 'name', i || '.example.com', 'target', 'target' || i))).*
    from domains, generate_series(1000, 9999) as i`);
  const done: string[] = [];
  await Promise.all([
    store
      .listDomains(domain.workspaceId, environment.id, { limit: 1, search: 'nowhere' })
      .then(() => done.push('search')),
    store.findDomainById(domain.workspaceId, domain.id).then(() => done.push('read')),
  ]);
  expect(done).toEqual(['read', 'search']);
});

it('clears caches after a write whose commit took longer than they look back', async () => {
  // Its notification, for which it does not wait, is a write as well.
  await open.splice(0)[0]?.close();
  const clock = { ms: NOW, now: () => clock.ms };
  const changes = startChangeFeed(await node(), { clock, intervalMs: 3_600_000, overlapMs: 5000 });
  const seen: (Change | null)[] = [];
  changes.subscribe((change) => seen.push(change));
  const poll = async () => {
    await changes.poll();
    return seen.splice(0).map((change) => change?.key ?? null);
  };
  const insertChange = "insert into changes (kind, key, created_at) values ('root_key', $1, 0)";
  await watcher.query(insertChange, ['before']);
  await poll();
  await other.query('begin');
  await other.query(insertChange, ['revoked']);
  for (let passed = 0; passed < 30_000; passed += 3000) {
    await watcher.query(insertChange, ['another']);
    expect(await poll()).toEqual(['another']);
    clock.ms += 3000;
  }
  await other.query('commit');
  expect(await poll()).toEqual([null]);
  await changes.stop();
});

it('rejects a write that waits too long for a lock, and accepts writes once the lock is free', async () => {
  const store = await node({ timeouts: { lockMs: 50 } });
  const domain = await attach(store, environment);
  await other.query('begin');
  await other.query('select 1 from domains for update');
  const save = () => store.saveTransition({ before: domain, after: verifyingAt(domain, NOW), memory, now: NOW });
  await expect(save()).rejects.toThrow(/^the database is busy: another transaction holds a lock/);
  await other.query('rollback');
  expect(await save()).toBe('saved');
});

it('rejects a call that waits too long for a connection', async () => {
  const store = await node({ poolSize: 1, timeouts: { connectMs: 200 } });
  const others = (await plant(store)).environment;
  await other.query('begin');
  await other.query('lock table domains');
  const first = attach(store, environment);
  await expect(attach(store, others)).rejects.toThrow(/busy: no connection became free in time/);
  await other.query('rollback');
  await first;
});

it('rejects at once a call that would wait behind too many others', async () => {
  const store = await node({ poolSize: 1, maxWaiting: 2 });
  await attach(store, environment);
  await other.query('begin');
  await other.query('lock table domains');
  const waits = [1, 2, 3].map(() => attach(store, environment));
  await waiting(1);
  await expect(attach(store, environment)).rejects.toThrow(/busy: 2 operations wait/);
  await other.query('rollback');
  await Promise.all(waits);
});

it('notifies listeners when a node has changed something, and only then', async () => {
  const [here, there] = [await node(), await node()];
  let calls = 0;
  let next = Promise.withResolvers<void>();
  const seen = () => next.promise.then(() => (next = Promise.withResolvers()));
  const listener = listenForChanges(address, async () => {
    calls += 1;
    next.resolve();
  });
  // Called once after the connect, since notifications may have been missed before.
  await seen();
  await attach(here, environment);
  await there.setWorkspaceDisabled(environment.workspaceId, NOW);
  await seen();
  expect(calls).toBe(2);
  const [{ pid }] = (
    await other.query("select pid from pg_stat_activity where datname = current_database() and query like 'listen%'")
  ).rows;
  await server.run(server.url('postgres'), 'select pg_terminate_backend($1)', [pid]);
  await seen();
  await there.setWorkspaceDisabled(environment.workspaceId, null);
  await seen();
  expect(calls).toBe(4);
  await listener.stop();
});
