import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { camelCase } from '../../schema/camel-case.ts';
import type { Schema } from '../../schema/schema.ts';
import { compile, type Reader, type Statement } from '../statement.ts';

/** Compiles statements; runs none. */
export const sqliteTables = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
  plugins: [camelCase],
});

/** One connection with the statements it has run so far, prepared once: preparing costs ten times as much as a point read. */
export interface SqliteConnection extends Reader {
  db: DatabaseSync;
  execute<Input extends object>(statement: Statement<Input, unknown>, input: Input): number;
}

export function connect(path: string, options: { readOnly?: boolean; busyTimeoutMs: number }): SqliteConnection {
  const db = new DatabaseSync(path, { readOnly: options.readOnly ?? false, timeout: options.busyTimeoutMs });
  const prepared = new Map<unknown, PreparedStatement>();

  function prepare<Input extends object>(statement: Statement<Input, unknown>): PreparedStatement {
    const found = prepared.get(statement);
    if (found !== undefined) return found;
    const { sql, parameters } = compile(sqliteTables, statement);
    const sqlite = db.prepare(sql);
    sqlite.setReturnArrays(true);
    const columns = sqlite.columns().map(({ name }) => name);
    const made: PreparedStatement = { sqlite, columns, parameters: parameters as PreparedStatement['parameters'] };
    prepared.set(statement, made);
    return made;
  }

  return {
    db,
    one<Input extends object, Row>(statement: Statement<Input, Row>, input: Input) {
      const { sqlite, columns, parameters } = prepare(statement);
      const values = sqlite.get(...parameters(input));
      return values === undefined ? null : rowOf<Row>(columns, values);
    },
    all<Input extends object, Row>(statement: Statement<Input, Row>, input: Input) {
      const { sqlite, columns, parameters } = prepare(statement);
      return sqlite.all(...parameters(input)).map((values) => rowOf<Row>(columns, values));
    },
    execute(statement, input) {
      const { sqlite, parameters } = prepare(statement);
      return Number(sqlite.run(...parameters(input)).changes);
    },
  };
}

interface PreparedStatement {
  sqlite: StatementSync;
  columns: string[];
  parameters(input: object): SQLInputValue[];
}

/**
 * Names the values of a row. The rows that `node:sqlite` makes are dictionaries: making one costs more than the point read itself, and so
 * does each use. Instead it returns arrays (`setReturnArrays`), though its types say otherwise.
 */
function rowOf<Row>(columns: readonly string[], values: unknown): Row {
  const row: Record<string, unknown> = {};
  const array = values as readonly unknown[];
  for (let i = 0; i < columns.length; i++) row[columns[i] ?? ''] = array[i];
  return row as Row;
}
