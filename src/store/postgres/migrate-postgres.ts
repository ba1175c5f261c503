import { setTimeout as delay } from 'node:timers/promises';
import { Kysely, PostgresAdapter, PostgresDialect, type PostgresPoolClient, sql } from 'kysely';
import { type MigrationResult, Migrator } from 'kysely/migration';
import pg from 'pg';
import { StoreUnavailable } from '../contract/store.ts';
import { allMigrations } from '../migrations/migrations.ts';
import type { Waiting } from '../waiting.ts';
import { lockKey } from './advisory-locks.ts';
import { nameOf, type PostgresAddress, settingsFor, TIMEOUTS } from './postgres-connection.ts';
import { cannotOpen } from './postgres-errors.ts';

const migrations = allMigrations({
  integer: sql`bigint`,
  bytes: sql`bytea`,
  text: sql`text collate "C"`,
  table: (db, name) => db.schema.createTable(name),
  sequence: (table, column) =>
    table.addColumn(column, sql`bigint`, (c) => c.generatedAlwaysAsIdentity().primaryKey().notNull()),
});

/** How long one process waits for another that is migrating. */
const PATIENCE_MS = 30_000;
/** Between two attempts to get the lock. */
const ATTEMPT_EVERY_MS = 50;
/** A wait that is longer is worth a word. */
const LONG_WAIT_MS = 1000;

/**
 * Brings the schema of the database up to date. All of it happens or nothing; of two processes that do it at once, one waits for the other.
 * Resolves with the names of the migrations it ran.
 */
export function migrate(address: PostgresAddress, waiting: Waiting = {}): Promise<string[]> {
  return connected(address, async (client) => {
    await whenFree(address, client, waiting);
    await refuseForeign(address, client);
    const results = await migrateToLatest(client);
    await client.query('commit');
    return results.map(({ migrationName }) => migrationName);
  });
}

/** Names of the migrations that `migrate` would run on the database. Changes nothing. */
export function pendingMigrations(address: PostgresAddress): Promise<string[]> {
  return connected(address, async (client) => {
    const done = await refuseForeign(address, client);
    return Object.keys(migrations).filter((name) => !done.includes(name));
  });
}

/** Whether the database has no table yet. */
export async function isNew(address: PostgresAddress): Promise<boolean> {
  return isAll(await pendingMigrations(address));
}

function isAll(pending: string[]): boolean {
  return pending.length === Object.keys(migrations).length;
}

/** Makes the schema in an empty database. One with an older schema is refused: whoever runs the program says when to upgrade. */
export async function prepareSchema(address: PostgresAddress): Promise<void> {
  const pending = await pendingMigrations(address);
  if (isAll(pending)) {
    await migrate(address);
  } else if (pending.length > 0) {
    throw new StoreUnavailable(
      `${nameOf(address)} was written by an older nameplate (it lacks the migration "${pending[0]}"): back it up, then run "nameplate migrate"`,
    );
  }
}

/** A connection for as long as `use` takes. What it has not committed is undone. */
async function connected<T>(address: PostgresAddress, use: (client: pg.Client) => Promise<T>): Promise<T> {
  // Changing a large table may take its time; waiting for whoever uses it may not, since everybody else would wait behind.
  const timeouts = { ...TIMEOUTS, statementMs: 0, answerMs: 0, idleInTransactionMs: 0 };
  try {
    const client = new pg.Client(settingsFor(address, timeouts));
    client.on('error', () => {});
    try {
      await client.connect();
      return await use(client);
    } finally {
      await client.end();
    }
  } catch (error) {
    throw cannotOpen(nameOf(address), error);
  }
}

/** Begins a transaction that holds the lock of whoever migrates. */
async function whenFree(address: PostgresAddress, client: pg.Client, { signal, onLongWait }: Waiting): Promise<void> {
  const most = PATIENCE_MS / ATTEMPT_EVERY_MS;
  for (let attempts = 1; ; attempts++) {
    signal?.throwIfAborted();
    await client.query('begin isolation level read committed');
    const { rows } = await client.query(`select pg_try_advisory_xact_lock(${lockKey('migration')}) as taken`);
    if (rows[0].taken) return;
    await client.query('rollback');
    if (attempts === most) {
      throw new StoreUnavailable(
        `another process has been migrating the database for ${PATIENCE_MS / 1000} s: wait until it is done`,
      );
    }
    if (attempts === LONG_WAIT_MS / ATTEMPT_EVERY_MS) onLongWait?.(`which migrates ${nameOf(address)}`);
    await delay(ATTEMPT_EVERY_MS);
  }
}

/** Works inside the transaction, and behind the lock, that are there already. */
class InTransaction extends PostgresAdapter {
  override get supportsTransactionalDdl(): boolean {
    return false;
  }
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

async function migrateToLatest(client: pg.Client): Promise<MigrationResult[]> {
  // Whatever follows an error fails as well, since the transaction is over: the first one says why.
  let first: unknown;
  const query = async (sql: string, parameters: readonly unknown[]) => {
    try {
      return await client.query(sql, [...parameters]);
    } catch (error) {
      first ??= error;
      throw error;
    }
  };
  const { results = [], error } = await migratorOn(query)
    .migrateToLatest()
    .catch((reason: unknown) => ({ error: reason, results: [] }));
  if (error !== undefined) throw first ?? error;
  return results;
}

function migratorOn(query: (sql: string, parameters: readonly unknown[]) => Promise<pg.QueryResult>): Migrator {
  // Kysely would take cursors, too, which no migration asks for.
  const connection = { query, release() {} } as unknown as PostgresPoolClient;
  const dialect = new PostgresDialect({
    pool: { connect: async () => connection, end: async () => {}, options: {} },
  });
  dialect.createAdapter = () => new InTransaction();
  return new Migrator({
    db: new Kysely({ dialect }),
    provider: { getMigrations: async () => migrations },
  });
}

/** Names of the migrations that the database has seen. Refuses a database that is not ours, or not of this version. */
async function refuseForeign(address: PostgresAddress, client: pg.Client): Promise<string[]> {
  const { rows: tables } = await client.query(
    "select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')",
  );
  if (tables.length === 0) return [];
  const done = tables.some(({ name }) => name === 'kysely_migration') ? await namesDone(client) : [];
  if (!done.some((name) => migrations[name] !== undefined)) {
    throw new StoreUnavailable(
      `${nameOf(address)} is the database of another program; name another one, or another schema (search_path)`,
    );
  }
  const unknown = done.find((name) => migrations[name] === undefined);
  if (unknown !== undefined) {
    throw new StoreUnavailable(
      `${nameOf(address)} was written by a newer nameplate (it has the migration "${unknown}", unknown here): upgrade nameplate, or restore the backup taken before the upgrade`,
    );
  }
  return done;
}

async function namesDone(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query('select name from kysely_migration order by name');
  return rows.map(({ name }) => name);
}
