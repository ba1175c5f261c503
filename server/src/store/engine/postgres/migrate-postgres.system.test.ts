import pg from 'pg';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addressOf, type Postgres, sharedPostgres } from '../../../../../test/support/postgres.ts';
import { StoreUnavailable } from '../../store.ts';
import { lockKey } from './lock-queue.ts';
import { isNew, migrate, type PostgresAddress, pendingMigrations, postgresStore } from './postgres.ts';
import { nameOf } from './postgres-connection.ts';

let server: Postgres;
let url: string;
let address: PostgresAddress;

beforeAll(() => {
  server = sharedPostgres();
});
beforeEach(async () => {
  url = await server.createDatabase();
  address = addressOf(url);
});

const open = (to: PostgresAddress) => postgresStore({ address: to });
const edit = (sql: string) => server.run(url, sql);

/** The message of the refusal: one line, as `StoreUnavailable`, that names the database. */
async function refusal(attempt: () => Promise<unknown>): Promise<string> {
  const error = await attempt().then(
    () => new Error('it was not refused'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StoreUnavailable);
  const { message } = error as StoreUnavailable;
  expect(message).toContain(nameOf(address));
  expect(message).not.toMatch(/\n|horse/);
  return message;
}

describe('migrating', () => {
  it('makes the schema, says what it did, and has nothing to do the second time', async () => {
    const all = await pendingMigrations(address);
    expect(all).toEqual(['0001-schema']);
    expect(await isNew(address)).toBe(true);
    const told: string[] = [];
    expect(await migrate(address, { onMigrated: (name) => void told.push(name) })).toEqual(all);
    expect(told).toEqual(all);
    expect(await isNew(address)).toBe(false);
    expect(await pendingMigrations(address)).toEqual([]);
    expect(await migrate(address)).toEqual([]);
  });

  it('leaves everything as it was when a migration fails, and says why', async () => {
    await edit('create view signing_keys as select 1 as x');
    await expect(migrate(address)).rejects.toThrow('relation "signing_keys" already exists');
    expect(await edit("select tablename from pg_tables where schemaname = 'public'")).toEqual([]);
  });

  it('is done once by nodes that start at the same moment', async () => {
    const all = await pendingMigrations(address);
    const done = await Promise.all([1, 2, 3, 4].map(() => migrate(address)));
    expect(done.sort((a, b) => b.length - a.length)).toEqual([all, [], [], []]);
  });

  it('is done once by stores that are opened on an empty database at the same moment', async () => {
    const stores = await Promise.all([1, 2, 3].map(() => postgresStore({ address })));
    await Promise.all(stores.map((store) => store.ping()));
    await Promise.all(stores.map((store) => store.close()));
  });

  it('waits for another process that migrates, says so, and can be told to give up', async () => {
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query('begin');
    await other.query(`select pg_advisory_xact_lock(${lockKey('migration')})`);
    const long = Promise.withResolvers<string>();
    const giveUp = new AbortController();
    const patient = migrate(address, { onLongWait: long.resolve });
    const impatient = migrate(address, { signal: giveUp.signal });
    expect(await long.promise).toBe(`which migrates ${nameOf(address)}`);
    giveUp.abort(new Error('enough'));
    await expect(impatient).rejects.toThrow('enough');
    await other.query('rollback');
    expect(await patient).toEqual(['0001-schema']);
    await other.end();
  });

  it('refuses a database of a newer version, and so does opening it', async () => {
    await migrate(address);
    await edit("insert into kysely_migration values ('9999-from-the-future', '2030-01-01T00:00:00.000Z')");
    for (const attempt of [migrate, pendingMigrations, open]) {
      const message = await refusal(() => attempt(address));
      expect(message).toMatch(/newer nameplate .*"9999-from-the-future"/);
      expect(message).toMatch(/upgrade nameplate, or restore the backup taken before the upgrade/);
    }
  });

  it('refuses the database of a development build from before 0.1.0, and so does opening it', async () => {
    await edit(`create table workspaces (id text); create table kysely_migration (name text, timestamp text);
      insert into kysely_migration values ('0001-initial', ''), ('0002-signing-keys', '')`);
    for (const attempt of [migrate, pendingMigrations, open]) {
      expect(await refusal(() => attempt(address))).toMatch(/development build from before 0\.1\.0.*: remove it/);
    }
  });

  it.for([
    'create table customers (id int)',
    "create table kysely_migration (name text, timestamp text); insert into kysely_migration values ('2020-shop', '')",
  ])('refuses the database of another program, and so does opening it (%s)', async (sql) => {
    await edit(sql);
    for (const attempt of [migrate, open]) {
      expect(await refusal(() => attempt(address))).toMatch(/another program/);
    }
  });

  it('makes the schema that is written down in schema.txt', async () => {
    await migrate(address);
    const rows = await edit(`
      select line from (select format('%s.%s %s%s%s', table_name, column_name, data_type, ' collate ' || collation_name,
        case is_nullable when 'NO' then ' not null' end) as line
      from information_schema.columns where table_schema = 'public' and table_name not like 'kysely%'
      union all select indexdef from pg_indexes where schemaname = 'public' and tablename not like 'kysely%'
      union all select format('%s %s', conrelid::regclass, pg_get_constraintdef(oid))
      from pg_constraint where connamespace = 'public'::regnamespace and contype = 'f') as lines
      order by line collate "C"`);
    const lines = rows.map(({ line }) => `${line}\n`).join('');
    await expect(lines).toMatchFileSnapshot('./schema.txt');
  });
});
