import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Environment, Store } from '../../src/store/contract/store.ts';
import { databaseAt } from '../../src/store/database.ts';
import { listenForChanges, postgresStore } from '../../src/store/postgres/postgres.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite.ts';
import * as certificates from '../support/certificates.ts';
import * as entities from '../support/entities.ts';
import { addressOf, type PostgresServer, startPostgres } from '../support/postgres.ts';
import { run, runJson, start, temporaryDirectory } from '../support/program.ts';

// An installation that moves: real files, a real server, and the command as it is typed.

const EVENTS = 2500;

const directory = temporaryDirectory();
let server: PostgresServer;
let source: string;
let target: string;

beforeAll(async () => {
  server = await startPostgres();
});
beforeEach(async () => {
  source = newFile();
  target = await server.createDatabase();
});
afterAll(async () => {
  await server.close();
  directory.remove();
});

function newFile(): string {
  return join(directory.path, `${randomBytes(4).toString('hex')}.db`);
}

/** Makes the source: rows in every table, values of every kind, and more events than are copied at once. */
async function install(): Promise<void> {
  const store = await sqliteStore({ path: source });
  await populate(store);
  await store.close();
  edit(
    "update workspaces set created_at = 9007199254740993, name = 'Zoë''s \"🦊\"\n\t\\N \\x00 $1 ' || char(8238)",
    `insert into events (id, domain_id, workspace_id, type, data, created_at)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${EVENTS})
      select 'evt_' || i, 'dom_' || i, 'ws_1', 'domain.created', '{}', i from n`,
    // Numbers that were given are not given again, though their rows are gone.
    'delete from events where seq > (select max(seq) from events) - 10',
  );
}

async function populate(store: Store): Promise<void> {
  const { workspace, environment } = await entities.plant(store, { limits: { rates: {}, domains: 9 } });
  await entities.plant(store, { disabledAt: entities.NOW });
  for (const about of [{}, { expiresAt: 1, disabledAt: 2 }]) {
    await store.createRootKey(entities.aRootKey({ workspaceId: workspace.id, ...about }), entities.aKeyHash());
  }
  const [retired, current] = [entities.aSigningKey(), entities.aSigningKey()];
  await store.replaceSigningKey(null, retired, 0);
  await store.replaceSigningKey(retired.id, current, 0);
  await store.createDeployment(entities.aDeployment(environment));
  await store.addRequests([{ subject: 'ws', operation: '*', windowMs: 1000, windowEndsAt: 5000, requests: 3 }]);
  const memory = { unreadableInARow: 0, provenSince: null };
  for (const next of [entities.verifiedAt, entities.verifyingAt, entities.failedAt]) {
    const before = await entities.attach(store, environment);
    await store.saveTransition({ before, after: next(before, entities.NOW), memory, now: entities.NOW });
  }
  await certify(store, environment);
}

/** One certificate that is in use, and one that is ordered. */
async function certify(store: Store, environment: Environment): Promise<void> {
  const { name } = await certificates.verify(store, environment);
  await store.importCertificate(name, certificates.anIssuedCertificate(), entities.NOW);
  const account = await store.createCaAccount(certificates.aCaAccount());
  const claim = { now: entities.NOW, limit: 9, leaseMs: 1, newNames: true };
  for (const { lease, certificate } of await store.claimCertificates(claim)) {
    const order = certificates.anOrder({ hostname: certificate.hostname, issuer: account.issuer });
    await store.beginOrder({ lease, order, entry: certificates.aLedgerEntry(order), limits: [], now: entities.NOW });
    const challenge = { hostname: certificate.hostname, token: 'token', keyAuthorization: 'token.print' };
    await store.putChallenge({ ...challenge, expiresAt: entities.NOW });
  }
}

function edit(...statements: string[]): void {
  const db = new DatabaseSync(source);
  for (const sql of statements) db.exec(sql);
  db.close();
}

type Dump = Record<string, string[]>;

/** Every field of every row of every table, without the help of what copies them. When a migration ran is no part of an installation. */
function dumpOfFile(path: string): Dump {
  const db = new DatabaseSync(path);
  const names = db.prepare("select name from sqlite_schema where type = 'table' and name not glob 'sqlite_*'").all();
  const dump = names.map(({ name }) => {
    const statement = db.prepare(`select * from "${name}"`);
    statement.setReadBigInts(true);
    return [name, written(statement.all())];
  });
  db.close();
  return Object.fromEntries(dump);
}

async function dumpOfDatabase(url: string): Promise<Dump> {
  const names = await server.run(url, "select tablename as name from pg_tables where schemaname = 'public'");
  const dump: Dump = {};
  for (const { name } of names) dump[String(name)] = written(await server.run(url, `select * from "${name}"`));
  return dump;
}

function written(rows: Record<string, unknown>[]): string[] {
  const text = ([name, value]: [string, unknown]) => {
    if (value === null || name === 'timestamp') return [name, null];
    return [name, value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)];
  };
  return rows.map((row) => JSON.stringify(Object.entries(row).map(text).sort())).sort();
}

const copying = (...more: string[]) => ['copy', '--from', `sqlite:${source}`, '--to', target, ...more];

interface Copied {
  from: string;
  to: string;
  continued: boolean;
  tables: { table: string; source: number; target: number }[];
}

describe('a copied installation', () => {
  test('has every field of every row of every table, there and back again', async () => {
    await install();
    const before = dumpOfFile(source);
    expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);
    const { code, stdout, stderr } = await run(copying('--json'));
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^Copying: 0 %\n[\s\S]*\nComparing: 100 %\n$/),
    });
    expect(stdout + stderr).not.toMatch(/horse/);
    const { tables, ...rest }: Copied = JSON.parse(stdout);
    expect(rest).toEqual({ from: source, to: expect.stringMatching(/^postgres:/), continued: false });
    const counts = Object.entries(before).filter(([table]) => !table.startsWith('kysely'));
    expect(Object.fromEntries(tables.map(({ table, source }) => [table, source]))).toEqual(
      Object.fromEntries(counts.map(([table, rows]) => [table, rows.length])),
    );
    expect(tables.filter(({ source, target }) => source !== target)).toEqual([]);
    expect(await dumpOfDatabase(target)).toEqual(before);
    expect(dumpOfFile(source)).toEqual(before);

    const back = newFile();
    const env = { NAMEPLATE_DATABASE_URL: `sqlite:${back}` };
    const returned = await run(['copy', '--from', target], { env });
    expect(returned).toMatchObject({ code: 0, stdout: expect.stringMatching(/ events +2\d{3} +2\d{3}\n/) });
    expect(returned.stdout + returned.stderr).not.toMatch(/horse/);
    expect(dumpOfFile(back)).toEqual(before);
    expect(lastNumbers(back)).toEqual(lastNumbers(source));
  });

  test('goes on where the old one ended: no number of an event or a change is given twice', async () => {
    await install();
    await runJson(copying());
    const store = await postgresStore({ address: addressOf(target) });
    const { workspace, environment } = await entities.plant(store);
    await entities.attach(store, environment);
    await store.setWorkspaceDisabled(workspace.id, entities.NOW);
    await store.close();
    const { events = 0, changes = 0 } = lastNumbers(source);
    const [event] = await server.run(target, 'select max(seq)::int as seq from events');
    expect(event?.seq).toBe(events + 1);
    const [change] = await server.run(target, 'select min(seq)::int as seq from changes where seq > $1', [changes]);
    expect(change?.seq).toBe(changes + 1);
  });

  test('of an installation without a row is one, too', async () => {
    await (await sqliteStore({ path: source })).close();
    await runJson(copying());
    const store = await postgresStore({ address: addressOf(target) });
    expect(await store.listWorkspaces()).toEqual([]);
    await store.close();
  });
});

function lastNumbers(path: string): Record<string, number> {
  const db = new DatabaseSync(path);
  const rows = db.prepare('select name, seq from sqlite_sequence').all();
  db.close();
  return Object.fromEntries(rows.map(({ name, seq }) => [name, seq]));
}

describe('a copy that was killed in the middle of a table', () => {
  /** Leaves a target in which one batch of the events is there and the rest is not. */
  async function interrupt(): Promise<void> {
    await install();
    await runJson(['migrate', '--database', target]);
    const other = new pg.Client({ connectionString: target });
    await other.connect();
    // The copy waits for what becomes of this row, which has a number of its second batch.
    await other.query('begin');
    await other.query(
      "insert into events overriding system value values (1500, 'evt_other', 'dom', 'ws', 'domain.created', '{}', 0)",
    );
    const copy = start(copying());
    const waiting = 'select 1 from pg_locks where not granted';
    await expect.poll(() => server.run(target, waiting), { timeout: 20_000 }).toHaveLength(1);
    copy.child.kill('SIGKILL');
    expect(await copy.ended).toMatchObject({ signal: 'SIGKILL' });
    await other.query('rollback');
    await other.end();
    await expect.poll(() => server.run(target, "select 1 from pg_locks where locktype = 'advisory'")).toEqual([]);
    const [{ count } = {}] = await server.run(target, 'select count(*)::int as count from events');
    expect(count).toBeGreaterThanOrEqual(1000);
    expect(count).toBeLessThan(EVENTS - 10);
  }

  test('is completed by the same command, and nothing else uses what there is meanwhile', async () => {
    await interrupt();
    const before = dumpOfFile(source);
    const env = { NAMEPLATE_DATABASE_URL: target, NAMEPLATE_CNAME_ZONE: 'c.example.net' };
    const serving = { ...env, NAMEPLATE_DNS_RESOLVERS: '127.0.0.1:9', NAMEPLATE_ROLES: 'verifier' };
    for (const args of [['serve'], ['workspaces', 'list'], ['copy', '--from', target, '--to', `sqlite:${newFile()}`]]) {
      const refused = await run(args, { env: serving });
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/a copy of .* that was not finished/) });
    }
    expect(await runJson<Copied>(copying())).toMatchObject({ continued: true });
    expect(await dumpOfDatabase(target)).toEqual(before);
    expect(lastNumbers(source).events).toBeGreaterThan(EVENTS);
  });

  test('is refused to go on once rows of the source were changed, taken away or added among those that are copied', async () => {
    await interrupt();
    const before = await dumpOfDatabase(target);
    for (const [sql, undo] of [
      [
        'update workspaces set disabled_at = 7 where disabled_at is null',
        'update workspaces set disabled_at = null where disabled_at = 7',
      ],
      [
        "insert into certificates (hostname, state, created_at) values ('0.example', 'wanted', 1)",
        "delete from certificates where hostname = '0.example'",
      ],
      ['delete from certificates', 'no way back'],
    ] as const) {
      edit(sql);
      const refused = await run(copying());
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/changed since the copy began.*empty postgres:/),
      });
      expect(await dumpOfDatabase(target)).toEqual(before);
      if (undo !== 'no way back') edit(undo);
    }
  });
});

describe('a copy is refused', () => {
  test('onto a store that holds anything, which is left as it is', async () => {
    await install();
    await runJson(['workspaces', 'create', 'tenant', '--database', target]);
    const before = await dumpOfDatabase(target);
    const refused = await run(copying('--json'));
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/is not empty: its table "workspaces"/) });
    expect(JSON.parse(refused.stdout)).toEqual({ error: { message: expect.any(String) } });
    expect(refused.stdout + refused.stderr).not.toMatch(/horse/);
    expect(await dumpOfDatabase(target)).toEqual(before);
    await runJson(['copy', '--from', target, '--to', `sqlite:${newFile()}`]);
    expect(await run(['copy', '--from', target, '--to', `sqlite:${source}`])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/is not empty/),
    });
  });

  test('while the source or the target is open elsewhere, reading or writing', async () => {
    await install();
    const store = await sqliteStore({ path: source });
    const inUse = { code: 1, stderr: expect.stringMatching(/is in use.*stop every "nameplate serve"/) };
    expect(await run(copying())).toMatchObject(inUse);
    await store.close();

    await runJson(['migrate', '--database', target]);
    const listening = Promise.withResolvers<void>();
    const serving = listenForChanges(addressOf(target), async () => listening.resolve());
    await listening.promise;
    expect(await run(copying())).toMatchObject(inUse);
    expect(await run(['copy', '--from', target, '--to', `sqlite:${newFile()}`])).toMatchObject(inUse);
    await serving.stop();
    await runJson(copying());
  });

  test('of a store with an older or a newer schema, in words', async () => {
    await install();
    edit("insert into kysely_migration values ('9999-from-the-future', '')");
    expect(await run(copying())).toMatchObject({ code: 1, stderr: expect.stringMatching(/newer nameplate/) });
    edit("delete from kysely_migration where name > '0001-initial'");
    expect(await run(copying())).toMatchObject({ code: 1, stderr: expect.stringMatching(/run "nameplate migrate"/) });
  });

  test('as a role of PostgreSQL that cannot see which numbers were given, before anything is copied', async () => {
    await runJson(['migrate', '--database', target]);
    const role = new URL(target).username;
    await server.run(server.url(role), `create role ${role}_serve login password 'horse'`);
    await server.run(
      server.url(role),
      `grant select, insert, update, delete on all tables in schema public to ${role}_serve`,
    );
    const from = server.url(role, `${role}_serve`, 'horse');
    const refused = await run(['copy', '--from', from, '--to', `sqlite:${source}`]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/the role may not do this/) });
    expect(refused.stderr).not.toMatch(/Copying|horse/);
  });

  test('of a store that is not there, from or to nowhere, and onto itself', async () => {
    expect(await run(copying())).toMatchObject({ code: 1, stderr: expect.stringMatching(/There is no store at /) });
    const from = ['copy', '--from', `sqlite:${source}`];
    expect(await run(['copy', '--to', target])).toMatchObject({ code: 2 });
    expect(await run(from)).toMatchObject({ code: 2, stderr: expect.stringMatching(/NAMEPLATE_DATABASE_URL/) });
    expect(await run([...from, '--to', `sqlite:${source}`])).toMatchObject({ code: 2 });
  });
});

test('while it is copied, nobody can write to the source: what is acknowledged is in the copy', async () => {
  await install();
  const open = await (await databaseAt({ engine: 'sqlite', path: source })).copySource();
  expect(await run(['workspaces', 'create', 'late', '--database', `sqlite:${source}`])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/busy/),
  });
  await open.close();
  await runJson(['workspaces', 'create', 'late', '--database', `sqlite:${source}`]);
});
