import { readFileSync } from 'node:fs';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import pg from 'pg';
import { camelCase } from '../../schema/camel-case.ts';
import type { Schema } from '../../schema/schema.ts';
import { StoreUnavailable } from '../../store.ts';
import type { PostgresUrl } from '../../url.ts';
import { type CompiledStatement, compile, type Reader, type Statement } from '../statement.ts';

export type PostgresAddress = Omit<PostgresUrl, 'engine'>;

/** Milliseconds. For what each guards against, see docs/internals/decisions/0008-postgresql.md. */
export interface Timeouts {
  /** To connect, or to get a connection from the pool. */
  connectMs: number;
  /** For one statement, at the server. */
  statementMs: number;
  /** For a lock that another transaction holds. */
  lockMs: number;
  /** Between two statements of a transaction, after which the server aborts it and releases its locks. */
  idleInTransactionMs: number;
  /** For the response to a statement, its wait behind others on the connection included, since callers care for the sum: after it, the connection is taken to hang. */
  answerMs: number;
  /** Idle time before the first TCP keepalive probe. */
  keepAliveMs: number;
}

export const TIMEOUTS: Timeouts = {
  connectMs: 5000,
  statementMs: 4000,
  lockMs: 3000,
  idleInTransactionMs: 2000,
  answerMs: 5000,
  keepAliveMs: 10_000,
};

/** The address for people: never the password. */
export function nameOf({ host, port, user, database }: PostgresAddress): string {
  return host.startsWith('/')
    ? `postgres://${user}@/${database}?host=${host}`
    : `postgres://${user}@${host.includes(':') ? `[${host}]` : host}:${port}/${database}`;
}

/** The options that `pg` needs to connect. */
export function settingsFor(address: PostgresAddress, timeouts: Timeouts): pg.ClientConfig {
  const { host, port, user, password, database } = address;
  return {
    host,
    port,
    user,
    ...(password !== undefined && { password }),
    database,
    ssl: tlsFor(address),
    application_name: 'nameplate',
    connectionTimeoutMillis: timeouts.connectMs,
    statement_timeout: timeouts.statementMs,
    lock_timeout: timeouts.lockMs,
    idle_in_transaction_session_timeout: timeouts.idleInTransactionMs,
    query_timeout: timeouts.answerMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: timeouts.keepAliveMs,
    types: { getTypeParser },
  };
}

function tlsFor({ tls, rootCertificate }: PostgresAddress): NonNullable<pg.ClientConfig['ssl']> {
  if (tls === 'disable') return false;
  if (tls === 'require') return { rejectUnauthorized: false };
  const ca = rootCertificate === undefined ? {} : { ca: certificatesIn(rootCertificate) };
  return tls === 'verify-full' ? ca : { ...ca, checkServerIdentity: () => undefined };
}

function certificatesIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new StoreUnavailable(
      `the certificates of sslrootcert cannot be read (${path}): name a file that this user may read`,
      {
        cause: error,
      },
    );
  }
}

const INT8 = 20;
const BYTEA = 17;

/** Every integer of the schema is a safe integer in JavaScript; bytes are a `Uint8Array`, not a `Buffer`. */
function getTypeParser(type: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (type === INT8) return Number;
  if (type === BYTEA) return (hex) => Uint8Array.from(Buffer.from(hex.slice(2), 'hex'));
  return pg.types.getTypeParser(type, format);
}

/** Compiles statements; runs none. */
export const postgresTables = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
  plugins: [camelCase],
});

interface PreparedStatement extends CompiledStatement<object> {
  /** By which a connection finds the statement once it has prepared it. */
  name: string;
}

const prepared = new Map<unknown, PreparedStatement>();

function prepare<Input extends object>(statement: Statement<Input, unknown>): PreparedStatement {
  const found = prepared.get(statement);
  if (found !== undefined) return found;
  const compiled = compile(postgresTables, statement);
  const made = { name: `${statement.name}_${prepared.size}`, ...compiled } as PreparedStatement;
  prepared.set(statement, made);
  return made;
}

/** Runs a statement; each connection prepares it once. */
export async function execute<Input extends object, Row>(
  client: pg.ClientBase,
  statement: Statement<Input, Row>,
  input: Input,
): Promise<{ rows: Row[]; rowCount: number | null }> {
  const { name, sql, parameters } = prepare(statement);
  return client.query<Row & object>({ name, text: sql, values: parameters(input) });
}

/** Reads on one connection. */
export function clientReader(client: pg.ClientBase): Reader {
  return {
    async one(statement, input) {
      return (await execute(client, statement, input)).rows[0] ?? null;
    },
    async all(statement, input) {
      return (await execute(client, statement, input)).rows;
    },
  };
}
