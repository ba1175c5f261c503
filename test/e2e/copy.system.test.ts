import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import { copyStore } from '../../server/src/store/copy/copy.ts';
import { openSource } from '../../server/src/store/copy/sqlite-source.ts';
import { listenForChanges, migrate, postgresStore } from '../../server/src/store/engine/postgres/postgres.ts';
import { sqliteStore } from '../../server/src/store/engine/sqlite/sqlite.ts';
import { type Environment, type Store, StoreUnavailable } from '../../server/src/store/store.ts';
import * as certificates from '../support/certificates.ts';
import { run, runJson, start, temporaryDirectory } from '../support/command.ts';
import * as entities from '../support/entities.ts';
import { addressOf, type Postgres, sharedPostgres } from '../support/postgres.ts';
import { usageIn } from '../support/usage.ts';
import * as webhooks from '../support/webhooks.ts';

// An installation that moves to PostgreSQL: real files, a real server, and the command as it is typed.

const EVENTS = 2500;
/** Whose locks they are: the server has databases of other tests, too. */
const HERE = '(select oid from pg_database where datname = current_database())';

const directory = temporaryDirectory();
let server: Postgres;
let source: string;
let target: string;

beforeAll(() => {
  server = sharedPostgres();
});
beforeEach(async () => {
  source = join(directory.path, `${randomBytes(4).toString('hex')}.db`);
  target = await server.createDatabase();
});
afterAll(() => directory.remove());

/** Creates the source: rows in every table, values of every kind, and more events than one INSERT has. */
async function install(): Promise<void> {
  const store = await sqliteStore({ path: source });
  await populate(store);
  await store.close();
  edit(
    "update workspaces set created_at = 9007199254740993, name = 'Zoë''s \"🦊\"\n\t\\N \\x00 $1 ' || char(8238)",
    `insert into events (id, domain_id, workspace_id, type, data, created_at)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${EVENTS})
      select 'evt_' || i, 'dom_' || i, 'ws_1', 'domain.created', '{}', i from n`,
    // A sequence goes on after the last number it gave, though the row is gone.
    'delete from events where seq > (select max(seq) from events) - 10',
  );
}

async function populate(store: Store): Promise<void> {
  const { workspace, environment } = await entities.plant(store, { limits: { rates: {}, domains: 10 } });
  await store.saveSetupPage(workspace.id, { brand: { name: 'Acme' }, origins: ['https://app.example.com'] });
  const shared = { host: 'customers.example.net', addresses: ['203.0.113.7'] };
  await store.addSharedTarget({ ...shared, workspaceId: workspace.id, createdAt: entities.NOW });
  await entities.plant(store, { disabledAt: entities.NOW });
  for (const about of [{}, { expiresAt: 1, disabledAt: 2 }]) {
    await store.createRootKey(entities.aRootKey({ workspaceId: workspace.id, ...about }), entities.aKeyHash());
  }
  const [retired, current] = [entities.aSigningKey(), entities.aSigningKey()];
  await store.replaceSigningKey(null, retired, 0);
  await store.replaceSigningKey(retired.id, current, 0);
  await store.addConnectKey({ ...current, id: 'dck_1' });
  await store.createDeployment(entities.aDeployment(environment));
  for (const secret of [false, true]) {
    const made = new Uint8Array([0, 255]);
    const once = { id: `${secret}`, fingerprint: 'input', made, secret, at: entities.NOW };
    await store.changesOnce({ by: entities.AUTHOR, once }).createDeployment(entities.aDeployment(environment));
  }
  await store.addRequests([{ subject: 'ws', operation: '*', windowMs: 1000, windowEndsAt: 5000, requests: 3 }]);
  const { id: webhookId } = await webhooks.addWebhook(store, { workspaceId: workspace.id, types: ['domain.created'] });
  const memory = NO_MEMORY;
  for (const next of [entities.verifiedAt, entities.verifyingAt, entities.failedAt]) {
    const before = await entities.attach(store, environment);
    const after = next(before, entities.NOW);
    await store.saveTransition({ before, after, memory, result: entities.aCheckResult(before), now: entities.NOW });
  }
  const prepared = await entities.attach(store, environment);
  await entities.prepare(store, prepared);
  await store.importCertificate(prepared.name, certificates.anIssuedCertificate(), entities.NOW, prepared.id);
  const link = entities.aSetupLink(await entities.attach(store, environment));
  await store.createSetupLink(link, randomBytes(32), 1);
  const session = { id: 'ses_1', workspaceId: workspace.id, subject: 'ada', permissions: ['a.*.b'] };
  const times = { createdAt: entities.NOW, openedAt: null, expiresAt: entities.NOW + 1 };
  await store.createDashboardSession({ ...session, ...times }, randomBytes(32));
  await store.addTestDelivery(workspace.id, webhookId, entities.NOW);
  const [due] = await webhooks.claimDue(store, { limit: 1 });
  if (due === undefined) throw new Error('nothing is due');
  const results = [webhooks.aDeliveryResult(due)];
  await webhooks.saveResults(store, results, entities.NOW);
  const { id: deleted } = await webhooks.addWebhook(store, { workspaceId: workspace.id });
  await store.deleteWebhook(workspace.id, deleted);
  await certify(store, environment);
  const former = await certificates.verify(store, environment);
  await store.importCertificate(former.name, certificates.anIssuedCertificate(), entities.NOW);
  await certificates.takeOver(store, (await entities.plant(store)).environment, former, entities.NOW);
  const brought = await certificates.verify(store, (await entities.plant(store)).environment);
  for (const issuer of ['internal', 'imported'])
    await store.importCertificate(brought.name, certificates.anIssuedCertificate({ issuer }), entities.NOW);
  const moving = await entities.attach(store, (await entities.plant(store)).environment);
  await store.stageCertificate(moving, certificates.anIssuedCertificate({ issuer: 'moved' }), entities.NOW);
  const [from, to] = [await certificates.verify(store, environment), await certificates.verify(store, environment)];
  const redirect = { domainId: from.id, destinationId: to.id, status: 308 } as const;
  await store.setRedirect(workspace.id, redirect, entities.NOW);
  await store.recordIssuing(entities.NOW);
  const change = { externalId: 'customer_42', metadata: { plan: 'pro' }, settings: { redirectToHttps: false } };
  await store.updateDomain(workspace.id, to.id, change, entities.NOW);
  await store.updateOriginSettings(workspace.id, environment.id, { hostHeader: 'origin' });
  const secret = { text: randomBytes(32), createdAt: entities.NOW };
  await store.rotateOriginSecret(workspace.id, environment.id, secret, entities.NOW);
  const counts = { requests: 1, bytesIn: 2, bytesOut: 3, edgeErrors: 0, originErrors: 0 };
  await store.addUsage({ writer: 'writer', sequence: 1, ...usageIn(0, new Map([[1, counts]])) });
  const gone = await certificates.verify(store, environment);
  await store.importCertificate(gone.name, certificates.anIssuedCertificate(), entities.NOW);
  await store.deleteDomain(workspace.id, gone.id, entities.NOW, entities.NOW + certificates.DAY_MS);
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
    await store.addDnsChallenge({ label: 'k7q2m9x4c1v8b3n6z5t0', value: 'value', expiresAt: entities.NOW });
    await store.recordEdgeAddresses(['192.0.2.10'], entities.NOW);
  }
}

function edit(...statements: string[]): void {
  const db = new DatabaseSync(source);
  for (const sql of statements) db.exec(sql);
  db.close();
}

type Dump = Record<string, string[]>;

/** Every field of every row of every table, read independently of the copy; but not when a migration ran. */
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
  tables: { table: string; source: number; target: number }[];
}

describe('a copied installation', () => {
  test('has every field of every row of every table, and the source is left as it is', async () => {
    await install();
    edit('insert into suspensions (domain_id, status, suspended_at) select id, 451, 1 from domains limit 1');
    edit(
      'insert into suspended_names (workspace_id, name, status, suspended_at) select workspace_id, name, 451, 1 from domains limit 1',
    );
    const before = dumpOfFile(source);
    expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);
    const { code, stdout, stderr } = await run(copying('--json'));
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^Copying: 0 %\n[\s\S]*\nComparing: 100 %\n$/),
    });
    expect(stdout + stderr).not.toMatch(/horse/);
    const { tables, ...rest }: Copied = JSON.parse(stdout);
    expect(rest).toEqual({ from: source, to: expect.stringMatching(/^postgres:/), serving: [] });
    const counts = Object.entries(before).filter(([table]) => !table.startsWith('kysely'));
    expect(Object.fromEntries(tables.map(({ table, source }) => [table, source]))).toEqual(
      Object.fromEntries(counts.map(([table, rows]) => [table, rows.length])),
    );
    expect(tables.filter(({ source, target }) => source !== target)).toEqual([]);
    expect(await dumpOfDatabase(target)).toEqual(before);
    expect(dumpOfFile(source)).toEqual(before);
  });

  test('is served by the role that may write to its tables, where another one owns them, and the command names it', async () => {
    await install();
    const role = `serve_${randomBytes(4).toString('hex')}`;
    await server.run(server.url('postgres'), `create role ${role} login`);
    await server.run(target, `alter default privileges in schema public grant select, insert on tables to ${role}`);
    const { code, stdout } = await run(copying());
    expect(code).toBe(0);
    expect(stdout).toContain(`Set NAMEPLATE_DATABASE_URL to postgres://${role}@`);
  });

  test('goes on with a prepared domain: its certificate is served, and it is verified with it', async () => {
    const from = await sqliteStore({ path: source });
    const before = await entities.attach(from, (await entities.plant(from)).environment);
    await entities.prepare(from, before);
    const issued = certificates.anIssuedCertificate();
    await from.importCertificate(before.name, issued, entities.NOW, before.id);
    await from.close();
    await copyInProcess();
    const store = await postgresStore({ address: addressOf(target) });
    const ready = { domainId: before.id, certificate: { chain: issued.chain, inherited: false } };
    expect(await store.findSite(before.name)).toMatchObject({ ...ready, isPrepared: true });
    expect(await store.claimDue(entities.NOW, 9, 60_000, () => 0)).toMatchObject([{ isPrepared: true }]);
    expect(await certificates.prove(store, entities.preparedAt(before), entities.NOW)).toBe('saved');
    expect(await store.findSite(before.name)).toMatchObject(ready);
    await store.close();
  });

  test('gives no number of an event or a change twice', async () => {
    await install();
    await copyInProcess();
    const store = await postgresStore({ address: addressOf(target) });
    const { workspace, environment } = await entities.plant(store);
    await entities.attach(store, environment);
    await store.setWorkspaceDisabled(workspace.id, entities.NOW);
    await store.close();
    const { events = 0, changes = 0 } = lastNumbers(source);
    expect(events).toBeGreaterThan(EVENTS);
    const [event] = await server.run(target, 'select max(seq)::int as seq from events');
    expect(event?.seq).toBe(events + 1);
    const [change] = await server.run(target, 'select min(seq)::int as seq from changes where seq > $1', [changes]);
    expect(change?.seq).toBe(changes + 1);
  });

  test('may be empty', async () => {
    await (await sqliteStore({ path: source })).close();
    const { stdout } = await run(['copy', '--from', `sqlite:${source}`], { env: { NAMEPLATE_DATABASE_URL: target } });
    expect(stdout).toMatch(/ events +0 +0\n/);
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

function copyInProcess() {
  return copyStore(source, addressOf(target), () => {}, new AbortController().signal);
}

describe('a copy that does not end', () => {
  /** Has the target do this with the event in the middle of the second INSERT. */
  async function trigger(body: string): Promise<void> {
    await migrate(addressOf(target));
    await server.run(
      target,
      `create function interfere() returns trigger language plpgsql as $$ begin ${body}; return new; end $$`,
    );
    await server.run(
      target,
      'create trigger interfere before insert on events for each row when (new.seq = 1500) execute function interfere()',
    );
  }

  async function expectEmpty(): Promise<void> {
    const rows = Object.entries(await dumpOfDatabase(target)).filter(([table]) => !table.startsWith('kysely'));
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.filter(([, rows]) => rows.length > 0)).toEqual([]);
  }

  test('because it was killed leaves the target empty; nothing else can use it meanwhile, and the same command copies', async () => {
    await install();
    await trigger(
      `while exists (select 1 from pg_locks where locktype = 'advisory' and database = ${HERE}) loop
         perform pg_sleep(0.01); end loop`,
    );
    const other = new pg.Client({ connectionString: target });
    await other.connect();
    await other.query('select pg_advisory_lock(1)');
    const copy = start(copying());
    const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'";
    await expect.poll(() => server.run(target, waiting), { timeout: 20_000 }).toHaveLength(1);

    const env = { NAMEPLATE_DATABASE_URL: target, NAMEPLATE_CNAME_ZONE: 'c.example.net' };
    const serving = { ...env, NAMEPLATE_DNS_RESOLVERS: '127.0.0.1:9', NAMEPLATE_ROLES: 'verifier' };
    const others = [['serve'], ['workspaces', 'list'], copying()];
    for (const refused of await Promise.all(others.map((args) => start(args, { env: serving }).ended))) {
      // The server says it in its log.
      expect({ code: refused.code, said: refused.stdout + refused.stderr }).toEqual({
        code: 1,
        said: expect.stringMatching(/busy|in use/),
      });
    }

    copy.child.kill('SIGKILL');
    expect(await copy.ended).toMatchObject({ signal: 'SIGKILL' });
    await other.end();
    const connected = `select 1 from pg_stat_activity where datid = ${HERE} and application_name = 'nameplate copy'`;
    await expect.poll(() => server.run(target, connected)).toEqual([]);
    await expectEmpty();
    await runJson(copying());
    expect(await dumpOfDatabase(target)).toEqual(dumpOfFile(source));
  });

  test('because it was interrupted ends at once, whatever it waits for, and leaves the target empty', async () => {
    await install();
    await trigger('perform pg_sleep(60)');
    const copy = start(copying());
    const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'";
    await expect.poll(() => server.run(target, waiting), { timeout: 20_000 }).toHaveLength(1);
    copy.child.kill('SIGINT');
    expect(await copy.ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Interrupted; nothing was copied/),
    });
    const ending = 'select pg_terminate_backend(pid) from pg_stat_activity where datid = ';
    await server.run(target, `${ending}${HERE} and application_name = 'nameplate copy'`);
    await expectEmpty();
  });

  test.each([
    ['cannot be written', "raise exception 'full' using errcode = 'disk_full'", /disk of PostgreSQL is full/],
    [
      'does not read back as it was written',
      "new.data := 'other'",
      /read back from .* are not those that were written/,
    ],
  ])('because a row %s leaves the target empty', async (_, body, reason) => {
    await install();
    await trigger(body);
    const error = await copyInProcess().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(String(error)).toMatch(reason);
    expect(String(error)).toMatch(/nothing was copied.*run the same command again/);
    await expectEmpty();
  });
});

describe('a copy is refused', () => {
  test('to a store that has rows, which is left as it is', async () => {
    await install();
    await runJson(['workspaces', 'create', 'tenant', '--database', target]);
    const before = await dumpOfDatabase(target);
    const refused = await run(copying('--json'));
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/is not empty: its table "workspaces"/) });
    expect(JSON.parse(refused.stdout)).toEqual({ error: { message: expect.any(String) } });
    expect(refused.stdout + refused.stderr).not.toMatch(/horse/);
    expect(await dumpOfDatabase(target)).toEqual(before);
  });

  test('while the source or the target is open elsewhere, reading or writing', async () => {
    await install();
    const store = await sqliteStore({ path: source });
    const inUse = { code: 1, stderr: expect.stringMatching(/is in use.*stop every "nameplate serve"/) };
    expect(await start(copying()).ended).toMatchObject(inUse);
    await store.close();

    await migrate(addressOf(target));
    const listening = Promise.withResolvers<void>();
    const serving = listenForChanges(addressOf(target), async () => listening.resolve());
    await listening.promise;
    expect(await run(copying())).toMatchObject(inUse);
    await serving.stop();
    await copyInProcess();
  });

  test('while another copy holds the locks, perhaps without a connection', async () => {
    await install();
    await migrate(addressOf(target));
    const other = new pg.Client({ connectionString: target });
    await other.connect();
    for (const table of ['workspaces', 'kysely_migration']) {
      await other.query(`begin; lock table ${table} in access exclusive mode`);
      await expect(copyInProcess()).rejects.toThrow(/another copy may be running, .*see pg_stat_activity/);
      await other.query('rollback');
    }
    await other.end();
  });

  test('of a store with a newer schema', async () => {
    await install();
    edit("insert into kysely_migration values ('9999-from-the-future', '')");
    await expect(copyInProcess()).rejects.toThrow(/newer nameplate/);
  });

  test('of a store that does not exist, without a source or a target, and in any other direction', async () => {
    const from = ['copy', '--from', `sqlite:${source}`];
    const results = await Promise.all(
      [
        copying(),
        ['copy', '--to', target],
        from,
        [...from, '--to', `sqlite:${source}`],
        ['copy', '--from', target],
      ].map((args) => run(args, { env: args.at(-1) === target ? { NAMEPLATE_DATABASE_URL: target } : {} })),
    );
    expect(results).toMatchObject([
      { code: 1, stderr: expect.stringMatching(/There is no store at /) },
      { code: 2, stderr: expect.stringMatching(/--from or --data/) },
      { code: 2, stderr: expect.stringMatching(/NAMEPLATE_DATABASE_URL/) },
      { code: 2, stderr: expect.stringMatching(/from SQLite .* to PostgreSQL/) },
      { code: 2, stderr: expect.stringMatching(/from SQLite .* to PostgreSQL/) },
    ]);
    expect(existsSync(source)).toBe(false);
  });
});

test('while it is copied, nothing can write to the source: acknowledged changes are in the copy', async () => {
  await install();
  const open = await openSource(source);
  expect(await run(['workspaces', 'create', 'late', '--database', `sqlite:${source}`])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/busy/),
  });
  open.close();
  await runJson(['workspaces', 'create', 'late', '--database', `sqlite:${source}`]);
});
