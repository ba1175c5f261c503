import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WINDOW_MS } from '../../server/src/domain/domain.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import {
  migrate,
  type PostgresAddress,
  type PostgresOptions,
  postgresStore,
} from '../../server/src/store/engine/postgres/postgres.ts';
import { type Environment, type Store, StoreUnavailable } from '../../server/src/store/store.ts';
import { aDomain, aRequestCount, attach, NOW, plant, verifyingAt } from '../support/entities.ts';
import { addressOf, type PostgresServer, startPostgres } from '../support/postgres.ts';

// Tests a store whose server, or the connection to it, fails. Each test leaves the server as it found it.

let server: PostgresServer;
let url: string;
let address: PostgresAddress;
let environment: Environment;
let store: Store;
const memory = NO_MEMORY;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.close());

beforeEach(async () => {
  url = await server.createDatabase();
  address = addressOf(url);
  await open({});
  environment = (await plant(store)).environment;
});
afterEach(() => store.close());

/** Opens the store; the one before is closed. */
async function open(options: Partial<PostgresOptions>): Promise<void> {
  await store?.close();
  store = await postgresStore({ address, ...options });
}

const asSuperuser = (sql: string, ...values: unknown[]) => server.run(server.url(address.database), sql, values);

/** Processes of the server that serve the store. */
async function backends(): Promise<number[]> {
  const sql = "select pid from pg_stat_activity where datname = $1 and application_name = 'nameplate'";
  return (await asSuperuser(sql, address.database)).map(({ pid }) => Number(pid));
}

const readSomething = () => store.findWorkspace(environment.workspaceId);

/** The one line of a refusal, which never shows the password. */
async function refusal(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => new Error('it was not refused'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StoreUnavailable);
  const { message } = error as StoreUnavailable;
  expect(message).not.toMatch(/\n|horse/);
  return message;
}

describe('connections that break', () => {
  it('while they are idle are not noticed', async () => {
    await Promise.all([1, 2, 3, 4, 5].flatMap(() => [readSomething(), attach(store, environment)]));
    await asSuperuser('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', await backends());
    const domain = aDomain(environment);
    const [found, created] = await Promise.all([readSomething(), store.createDomain(domain, NOW + WINDOW_MS)]);
    expect(found?.id).toBe(environment.workspaceId);
    expect(created.kind).toBe('created');
  });

  it('during a write, before its commit, make it retry', async () => {
    const domain = await attach(store, environment);
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query('begin');
    await other.query('select 1 from domains for update');
    const save = store.saveTransition({ before: domain, after: verifyingAt(domain, NOW), memory, now: NOW });
    const stuck = `select pid from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'`;
    let pids: Record<string, unknown>[] = [];
    while (pids.length === 0) pids = await asSuperuser(stuck, address.database);
    await asSuperuser('select pg_terminate_backend($1)', pids[0]?.pid);
    await other.query('rollback');
    await other.end();
    expect(await save).toBe('saved');
    expect(await store.findDomainById(domain.workspaceId, domain.id)).toMatchObject({ status: 'verifying' });
  });

  it('at the commit are reported, since the write may or may not have happened', async () => {
    const domain = await attach(store, environment);
    // The first server process that is about to commit ends instead; the count is not undone with its transaction.
    await asSuperuser('create sequence deaths');
    await asSuperuser(`create function die() returns trigger language plpgsql security definer as $$
      begin if nextval('deaths') = 1 then perform pg_terminate_backend(pg_backend_pid()); end if; return null; end $$`);
    await asSuperuser(
      'create constraint trigger die after update on domains initially deferred for each row execute function die()',
    );
    const save = () => store.saveTransition({ before: domain, after: verifyingAt(domain, NOW), memory, now: NOW });
    expect(await refusal(save())).toMatch(/starting or stopping|connection to PostgreSQL broke/);
    expect(await save()).toBe('saved');
  });

  it('or hang are closed in time, and replaced', async () => {
    await open({ poolSize: 1, timeouts: { answerMs: 200 } });
    await readSomething();
    const [pid] = await backends();
    process.kill(Number(pid), 'SIGSTOP');
    try {
      expect(await refusal(readSomething())).toMatch(/PostgreSQL does not answer/);
      expect((await readSomething())?.id).toBe(environment.workspaceId);
    } finally {
      process.kill(Number(pid), 'SIGCONT');
    }
  });
});

describe('a server that is down', () => {
  it.for(['fast', 'immediate'] as const)(
    'after a stop that is %s is reported as such, and used again once it is back; what was acknowledged is there',
    async (how) => {
      const domain = await attach(store, environment);
      await server.stop(how);
      expect(await refusal(readSomething())).toMatch(/nothing listens there: check that PostgreSQL runs/);
      expect(await refusal(attach(store, environment))).toMatch(/nothing listens there/);
      expect(await refusal(store.claimDue(NOW, 1, 60_000, () => 0))).toMatch(/nothing listens there/);
      expect(await refusal(store.ping())).toMatch(/nothing listens there/);
      await server.start();
      await store.ping();
      expect(await store.findDomainById(domain.workspaceId, domain.id)).toEqual(domain);
      expect(await store.claimDue(NOW, 1, 60_000, () => 0)).toHaveLength(1);
    },
  );

  it('is not waited for when the store is closed', async () => {
    await server.stop();
    await store.close();
    await server.start();
    expect(await refusal(readSomething())).toBe('the store is closed');
  });
});

describe('a database that cannot be used is refused with advice', () => {
  it.for<[what: string, change: (address: PostgresAddress) => PostgresAddress, says: RegExp]>([
    [
      'a wrong password',
      (to) => ({ ...to, password: 'wrong horse' }),
      /refused the password: check the user and the password/,
    ],
    ['no password', ({ password: _, ...to }) => to, /demands a password, and the URL has none/],
    ['an unknown role', (to) => ({ ...to, user: 'nobody' }), /refused the password/],
    ['an unknown database', (to) => ({ ...to, database: 'none' }), /no such database .*createdb/],
    ['a port where nothing listens', (to) => ({ ...to, port: 1 }), /nothing listens there/],
    ['a host without an address', (to) => ({ ...to, host: 'db.invalid' }), /the host in the URL/],
    ['a socket that is not there', (to) => ({ ...to, host: '/nowhere' }), /no such socket/],
    ['a server without TLS', (to) => ({ ...to, tls: 'require' }), /no TLS: set sslmode=disable/],
  ])('%s', async ([, change, says]) => {
    const changed = change(address);
    const message = await refusal(postgresStore({ address: changed }));
    expect(message).toMatch(says);
    expect(message).toContain(`/${changed.database}`);
  });

  it('certificates that cannot be read', async () => {
    const changed = { ...address, tls: 'verify-full', rootCertificate: '/nowhere.pem' } as const;
    expect(await refusal(postgresStore({ address: changed }))).toMatch(/sslrootcert cannot be read \(\/nowhere\.pem\)/);
  });

  it('a role that may not create tables', async () => {
    const empty = await server.createDatabase();
    await server.run(server.url('postgres'), "create role reader login password 'horse'");
    const reader = { ...addressOf(empty), user: 'reader', password: 'horse' };
    expect(await refusal(migrate(reader))).toMatch(/the role may not do this in the database/);
  });

  it('a role without a connection to spare', async () => {
    await server.run(server.url('postgres'), `alter role ${address.user} connection limit 0`);
    await store.close();
    expect(await refusal(postgresStore({ address }))).toMatch(/no connection to spare/);
  });

  it('a standby, for writes only', async () => {
    await server.stop();
    await server.start('standby');
    expect((await readSomething())?.id).toBe(environment.workspaceId);
    expect(await refusal(store.ping())).toMatch(/read-only, as a standby is; name the primary/);
    expect(await refusal(attach(store, environment))).toMatch(/read-only, as a standby is/);
    await asSuperuser('select pg_promote()');
    await store.ping();
    await attach(store, environment);
  });
});

it('needs only the right to read and write rows from a role that does not own the tables', async () => {
  await asSuperuser("create role node login password 'horse'");
  await asSuperuser('grant select, insert, update, delete on all tables in schema public to node');
  const node = { ...address, user: 'node', password: 'horse' };
  expect(await migrate(node)).toEqual([]);
  await open({ address: node });
  const domain = await attach(store, environment);
  expect(await store.claimDue(NOW, 1, 60_000, () => 0)).toHaveLength(1);
  await store.saveTransition({ before: domain, after: verifyingAt(domain, NOW), memory, now: NOW });
  await store.pruneChanges(NOW);
  await store.addRequests([aRequestCount()]);
  await store.pruneRequests(NOW);
  await store.ping();
});
