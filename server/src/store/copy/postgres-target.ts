import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { prepareSchema } from '../engine/postgres/migrate-postgres.ts';
import { nameOf, type PostgresAddress, settingsFor, TIMEOUTS } from '../engine/postgres/postgres-connection.ts';
import { cannotOpen, isLockTimeout } from '../engine/postgres/postgres-errors.ts';
import { StoreUnavailable } from '../store.ts';
import { quoteName, type Row, selectInOrder, type Table } from './sqlite-source.ts';

/** A PostgreSQL database in a transaction that has locked every table. */
export interface CopyTarget {
  /** For people; without a password. */
  name: string;
  insert(table: Table, rows: Row[]): Promise<void>;
  /** Reads a table in order of its key. */
  openCursor(table: Table): Promise<{ fetch(limit: number): Promise<Row[]>; close(): Promise<void> }>;
  /** The database as other roles name it that may write to its tables: those that serve. Without passwords. */
  listServing(): Promise<string[]>;
  /** Continues the sequences after these numbers, and commits. */
  commit(lastNumbers: Map<string, bigint>): Promise<void>;
  /** Rolls back what is not committed. */
  close(): Promise<void>;
}

/** How long a connection that may be about to close is waited for. */
const IN_USE_TIMEOUT_MS = 2000;
const RETRY_EVERY_MS = 50;
/** After it PostgreSQL ends the transaction of a copy that lost its connection, and with it the locks on every table. */
const IDLE_IN_TRANSACTION_MS = 60_000;

/**
 * Creates the tables where there are none. Rejects with `StoreUnavailable` where one has rows, or a server is connected. The signal closes the
 * connection, whatever it waits for, until the commit; what was waiting rejects with the reason.
 */
export async function openTarget(address: PostgresAddress, tables: Table[], signal: AbortSignal): Promise<CopyTarget> {
  await prepareSchema(address).catch(withLockAdvice);
  const name = nameOf(address);
  // A statement on a large table takes its time, and between two statements SQLite is read.
  const timeouts = { ...TIMEOUTS, statementMs: 0, answerMs: 0, idleInTransactionMs: IDLE_IN_TRANSACTION_MS };
  const client = new pg.Client({ ...settingsFor(address, timeouts), application_name: 'nameplate copy' });
  client.setTypeParser(pg.types.builtins.INT8, BigInt);
  client.on('error', () => {});
  // Does not wait for a statement that runs.
  const disconnect = () => void client.end();

  function fail(error: unknown): never {
    signal.throwIfAborted();
    throw cannotOpen(name, error);
  }

  async function query(text: string, values: unknown[] = []): Promise<Row[]> {
    signal.throwIfAborted();
    return (await client.query({ text, values, rowMode: 'array' }).catch(fail)).rows;
  }

  try {
    await client.connect().catch(fail);
    signal.addEventListener('abort', disconnect);
    await refuseInUse(name, query);
    await query('begin');
    // Also the table by which a server checks the schema: one that starts meanwhile waits for it, and fails.
    const locked = [...tables, { name: 'kysely_migration' }].map((table) => quoteName(table.name));
    await query(`lock table ${locked.join(', ')} in access exclusive mode`).catch(withLockAdvice);
    await refuseRows(name, tables, query);
  } catch (error) {
    await client.end();
    throw error;
  }

  return {
    name,
    async insert(table, rows) {
      const { length } = table.columns;
      const values = rows.map((_, row) => `(${table.columns.map((_, i) => `$${row * length + i + 1}`).join(', ')})`);
      const into = `${quoteName(table.name)} (${table.columns.map(quoteName).join(', ')})`;
      await query(`insert into ${into} overriding system value values ${values.join(', ')}`, rows.flat());
    },
    async openCursor(table) {
      await query(`declare written no scroll cursor for ${selectInOrder(table)}`);
      return {
        fetch: (limit) => query(`fetch ${limit} from written`),
        close: async () => void (await query('close written')),
      };
    },
    async listServing() {
      const roles = await query(WRITERS);
      return roles.map(([role]) => nameOf({ ...address, user: String(role) }));
    },
    async commit(lastNumbers) {
      for (const { name: table, key } of tables) {
        const last = lastNumbers.get(table);
        const sequence = [quoteName(table), key[0]];
        if (last !== undefined) await query('select setval(pg_get_serial_sequence($1, $2), $3)', [...sequence, last]);
      }
      await query(`analyze ${tables.map((table) => quoteName(table.name)).join(', ')}`);
      signal.throwIfAborted();
      signal.removeEventListener('abort', disconnect);
      await client.query('commit').catch((error: unknown) => {
        throw cannotOpen(name, error);
      });
    },
    async close() {
      signal.removeEventListener('abort', disconnect);
      await client.end();
    },
  };
}

/** Roles that may log in, and write to a table that another one owns. */
const WRITERS = `
  select distinct rolname from pg_class, aclexplode(relacl) as granted join pg_roles on pg_roles.oid = grantee
  where pg_class.oid = 'workspaces'::regclass and privilege_type = 'INSERT' and grantee <> relowner and rolcanlogin order by 1`;

type RunQuery = (sql: string, values?: unknown[]) => Promise<Row[]>;

/** Each process that serves keeps a connection open for LISTEN. Connections that may not write here belong to another store. */
async function refuseInUse(name: string, query: RunQuery): Promise<void> {
  const servers = `select 1 from pg_stat_activity where datname = current_database() and application_name = 'nameplate'
    and has_table_privilege(usesysid, 'workspaces'::regclass, 'insert')`;
  const deadline = Date.now() + IN_USE_TIMEOUT_MS;
  while ((await query(servers)).length > 0) {
    if (Date.now() > deadline) {
      throw new StoreUnavailable(`${name} is in use: stop every "nameplate serve" that runs on it, then try again`);
    }
    await delay(RETRY_EVERY_MS);
  }
}

function withLockAdvice(error: unknown): never {
  if (!(error instanceof StoreUnavailable && isLockTimeout(error.cause))) throw error;
  throw new StoreUnavailable(
    `${error.message}; another copy may be running, or have lost its connection: see pg_stat_activity`,
    { cause: error },
  );
}

async function refuseRows(name: string, tables: Table[], query: RunQuery): Promise<void> {
  for (const { name: table } of tables) {
    if ((await query(`select 1 from ${quoteName(table)} limit 1`)).length === 0) continue;
    throw new StoreUnavailable(
      `${name} is not empty: its table "${table}" holds rows; a copy is never mixed with what is there, so name an empty database`,
    );
  }
}
