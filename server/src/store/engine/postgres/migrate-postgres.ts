import { Kysely, PostgresAdapter, PostgresDialect, type PostgresPoolClient } from 'kysely';
import { type MigrationResult, Migrator } from 'kysely/migration';
import pg from 'pg';
import { type MigrateOptions, olderSchema, refuseForeign, timed, waitForLock } from '../../schema/migrate.ts';
import { allMigrations } from '../../schema/migrations.ts';
import { lockKey } from './lock-queue.ts';
import { nameOf, type PostgresAddress, settingsFor, TIMEOUTS } from './postgres-connection.ts';
import { cannotOpen } from './postgres-errors.ts';

const migrations = allMigrations({
  INTEGER: 'bigint',
  BYTES: 'bytea',
  TEXT: 'text collate "C"',
  SEQUENCE: 'bigint generated always as identity primary key',
  STRICT: '',
});

const names = Object.keys(migrations);

/**
 * Migrates the schema in one transaction; of two processes that do it at once, one waits for the other. Resolves with the names of the
 * migrations it ran.
 */
export function migrate(address: PostgresAddress, options: MigrateOptions = {}): Promise<string[]> {
  return withConnection(address, async (client) => {
    await waitForLock(() => beginLocked(client), `which migrates ${nameOf(address)}`, options);
    await appliedMigrations(address, client);
    const results = await migrateToLatest(client, options);
    await client.query('commit');
    return results.map(({ migrationName }) => migrationName);
  });
}

/** Names of the migrations that `migrate` would run. Changes nothing. */
export function pendingMigrations(address: PostgresAddress): Promise<string[]> {
  return withConnection(address, async (client) => {
    const applied = await appliedMigrations(address, client);
    return names.filter((name) => !applied.includes(name));
  });
}

/** Whether the database has no table yet. */
export async function isNew(address: PostgresAddress): Promise<boolean> {
  return (await pendingMigrations(address)).length === names.length;
}

/** Creates the schema in an empty database. Rejects an older one. */
export async function prepareSchema(address: PostgresAddress): Promise<void> {
  const pending = await pendingMigrations(address);
  if (pending.length === names.length) await migrate(address);
  else if (pending[0] !== undefined) throw olderSchema(nameOf(address), pending[0]);
}

/** Runs `use` with a connection, which rolls back what is not committed when it is closed. */
async function withConnection<T>(address: PostgresAddress, use: (client: pg.Client) => Promise<T>): Promise<T> {
  // Altering a large table takes its time; waiting for its lock may not, since all others would queue behind.
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

/** Begins a transaction with the migration lock; false, and no transaction, while another process holds it. */
async function beginLocked(client: pg.Client): Promise<boolean> {
  await client.query('begin isolation level read committed');
  const { rows } = await client.query(`select pg_try_advisory_xact_lock(${lockKey('migration')}) as locked`);
  if (!rows[0].locked) await client.query('rollback');
  return rows[0].locked;
}

/** For a transaction that has begun, and holds the lock. */
class InTransaction extends PostgresAdapter {
  override get supportsTransactionalDdl(): boolean {
    return false;
  }
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

async function migrateToLatest(client: pg.Client, options: MigrateOptions): Promise<MigrationResult[]> {
  // After an error every statement fails, since the transaction is aborted: the first error says why.
  let first: unknown;
  const query = async (sql: string, parameters: readonly unknown[]) => {
    try {
      return await client.query(sql, [...parameters]);
    } catch (error) {
      first ??= error;
      throw error;
    }
  };
  const { results = [], error } = await migratorOn(query, timed(migrations, options))
    .migrateToLatest()
    .catch((reason: unknown) => ({ error: reason, results: [] }));
  if (error !== undefined) throw first ?? error;
  return results;
}

type Query = (sql: string, parameters: readonly unknown[]) => Promise<pg.QueryResult>;

function migratorOn(query: Query, wanted: typeof migrations): Migrator {
  // Kysely's type demands cursors too, which no migration uses.
  const connection = { query, release() {} } as unknown as PostgresPoolClient;
  const dialect = new PostgresDialect({
    pool: { connect: async () => connection, end: async () => {}, options: {} },
  });
  dialect.createAdapter = () => new InTransaction();
  return new Migrator({ db: new Kysely({ dialect }), provider: { getMigrations: async () => wanted } });
}

/** Names of the migrations in the database. Rejects where it belongs to another program or to a newer version. */
async function appliedMigrations(address: PostgresAddress, client: pg.Client): Promise<string[]> {
  const namesIn = async (query: string) => (await client.query(query)).rows.map(({ name }) => String(name));
  const tables = await namesIn(
    "select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')",
  );
  const hasMigrations = tables.includes('kysely_migration');
  const applied = hasMigrations ? await namesIn('select name from kysely_migration order by name') : [];
  refuseForeign(nameOf(address), tables, applied, names);
  return applied;
}
