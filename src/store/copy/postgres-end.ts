import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { StoreUnavailable } from '../contract/store.ts';
import { lockKey } from '../postgres/advisory-locks.ts';
import { prepareSchema } from '../postgres/migrate-postgres.ts';
import { nameOf, type PostgresAddress, settingsFor, TIMEOUTS } from '../postgres/postgres-connection.ts';
import { cannotOpen } from '../postgres/postgres-errors.ts';
import {
  type CopyEnd,
  type CopySource,
  type CopyTarget,
  isCopied,
  notEmpty,
  type Row,
  statementsOf,
  type Table,
  UNFINISHED,
} from './copy.ts';

/** How long a connection is waited for that may be about to end. */
const PATIENCE_MS = 2000;
const ATTEMPT_EVERY_MS = 50;

/** One connection. What fails on it rejects with `StoreUnavailable`. */
interface Session {
  /** Of the database, for people. */
  name: string;
  ask(sql: string, values?: unknown[]): Promise<Row[]>;
  end(): Promise<void>;
}

/** The database as the source of a copy. Its schema must be current. */
export async function copySource(address: PostgresAddress): Promise<CopySource> {
  await prepareSchema(address);
  return inSession(address, async (session) => {
    const { ask } = session;
    const end = endOn(session);
    const tables = await end.tables();
    await refuseInUse(session, tables);
    // The first look at the rows comes after the locks: from then on nobody changes what it sees.
    await ask('begin isolation level repeatable read');
    await ask(`lock table ${tables.map(nameIn).join(', ')} in share mode`);
    return {
      ...end,
      async lastNumbers() {
        const numbers = new Map<string, bigint>();
        for (const [name, sequence] of await ask(`select name, sequence::text from ${COUNTED}`)) {
          const [row] = await ask(`select last_value from ${sequence} where is_called`);
          if (typeof row?.[0] === 'bigint') numbers.set(String(name), row[0]);
        }
        return numbers;
      },
    };
  });
}

/** The database as the target of a copy. Rejects unless it is empty, or holds the beginning of a copy. */
export function copyTarget(address: PostgresAddress, source: string): Promise<CopyTarget> {
  return inSession(address, async (session) => {
    const { ask, name } = session;
    const end = endOn(session);
    await patiently(
      () => ask(`select 1 where pg_try_advisory_lock(${lockKey('copy')})`),
      `another process copies to ${name}: wait until it is done`,
    );
    const continues = await holdsUnfinished(session);
    if (!continues) await prepareSchema(address);
    const tables = await end.tables();
    await refuseInUse(session, tables);
    if (!continues) await begin(session, end, tables, source);
    return {
      ...end,
      continues,
      async add(table, rows) {
        const { insertInto, values } = statementsOf(table, slot);
        const all = rows.map((_, at) => values(at)).join(', ');
        await ask(`${insertInto} overriding system value values ${all}`, rows.flat());
      },
      async finish(lastNumbers) {
        for (const [table, last] of lastNumbers) {
          await ask(`select setval(sequence, $2) from ${COUNTED} where name = $1`, [table, last]);
        }
        await ask(`analyze ${tables.map(nameIn).join(', ')}`);
        await ask(`drop table ${UNFINISHED}`);
      },
    };
  });
}

async function begin({ ask }: Session, end: CopyEnd, tables: Table[], source: string): Promise<void> {
  for (const table of tables) {
    if ((await end.count(table)) > 0) throw notEmpty(end.name, table.name);
  }
  await ask(`create table ${UNFINISHED} as select ${pg.escapeLiteral(source)} as source`);
}

async function holdsUnfinished({ ask }: Session): Promise<boolean> {
  const sql = 'select 1 from pg_class where relnamespace = current_schema()::regnamespace and relname = $1';
  return (await ask(sql, [UNFINISHED])).length > 0;
}

/** Every process of nameplate that serves keeps a connection, to listen. Others may use the same database for a store that this one cannot see. */
function refuseInUse({ ask, name }: Session, [table]: Table[]): Promise<void> {
  const connections = `select 1 from pg_stat_activity where datname = current_database() and application_name = 'nameplate'
    and has_table_privilege(usesysid, to_regclass($1), 'insert')`;
  return patiently(
    async () => ((await ask(connections, [table && nameIn(table)])).length === 0 ? [true] : []),
    `${name} is in use: stop every "nameplate serve" that runs on it, then try again`,
  );
}

/** Asks until there is something to be found. What is in the way may be the connection of a process that has just ended. */
async function patiently(find: () => Promise<unknown[]>, refusal: string): Promise<void> {
  for (let attempts = 0; (await find()).length === 0; attempts++) {
    if (attempts === PATIENCE_MS / ATTEMPT_EVERY_MS) throw new StoreUnavailable(refusal);
    await delay(ATTEMPT_EVERY_MS);
  }
}

/** A connection for whatever `open` makes of it; closed again where that fails. */
async function inSession<T>(address: PostgresAddress, open: (session: Session) => Promise<T>): Promise<T> {
  const name = nameOf(address);
  // A large table may take its time, and so may the other store, for which this one waits.
  const timeouts = { ...TIMEOUTS, statementMs: 0, answerMs: 0, idleInTransactionMs: 0 };
  const client = new pg.Client({ ...settingsFor(address, timeouts), application_name: 'nameplate copy' });
  client.setTypeParser(pg.types.builtins.INT8, BigInt);
  client.on('error', () => {});
  const failed = (error: unknown) => {
    throw cannotOpen(name, error);
  };
  const ask: Session['ask'] = (text, values = []) =>
    client.query({ text, values, rowMode: 'array' }).then(({ rows }) => rows, failed);
  try {
    await client.connect().catch(failed);
    return await open({ name, ask, end: () => client.end() });
  } catch (error) {
    await client.end();
    throw error;
  }
}

function endOn({ name, ask, end }: Session): CopyEnd {
  return {
    name,
    migrations: async () =>
      (await ask('select name from kysely_migration order by name')).map(([name]) => String(name)),
    async tables() {
      const rows = (await ask(TABLES)) as unknown as [string, string[], string[], string[]][];
      return rows
        .filter(([name]) => isCopied(name))
        .map(([name, columns, key, refersTo]) => ({ name, columns: columns.sort(), key, refersTo: refersTo.sort() }));
    },
    count: async (table) => Number((await ask(statementsOf(table, slot).count))[0]?.[0]),
    rowsAfter(table, after, limit) {
      const { read, readAfter } = statementsOf(table, slot);
      return after === null ? ask(read, [limit]) : ask(readAfter, [limit, ...after]);
    },
    close: end,
  };
}

/** Names of the tables; of each the columns, those of the primary key, and the tables it refers to. */
const TABLES = `
  select relname::text,
    array(select attname::text from pg_attribute where attrelid = pg_class.oid and attnum > 0 and not attisdropped),
    array(
      select attname::text from pg_constraint, unnest(conkey) with ordinality as part (attribute, place)
      join pg_attribute on attnum = attribute
      where conrelid = pg_class.oid and contype = 'p' and attrelid = conrelid order by place
    ),
    array(
      select distinct other.relname::text from pg_constraint join pg_class as other on other.oid = confrelid
      where conrelid = pg_class.oid and contype = 'f'
    )
  from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')`;

/** Names of the tables whose keys are counted up, each with its sequence. */
const COUNTED = `(
  select relname::text as name, pg_get_serial_sequence(quote_ident(relname), attname)::regclass as sequence
  from pg_attribute join pg_class on pg_class.oid = attrelid
  where relnamespace = current_schema()::regnamespace and attidentity <> ''
) as counted`;

function nameIn({ name }: Table): string {
  return pg.escapeIdentifier(name);
}

function slot(number: number): string {
  return `$${number}`;
}
