import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { compile, type Query, type Reading } from '../sql/query.ts';
import type { Schema } from '../sql/schema.ts';

/** Builds statements; runs none. */
export const sqliteTables = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** One connection with the statements it has run so far, prepared once: preparing costs ten times as much as a point read. */
export interface Connection extends Reading {
  db: DatabaseSync;
  change<Input extends object>(query: Query<Input, unknown>, input: Input): number;
}

export function connect(path: string, options: { readOnly?: boolean; busyTimeoutMs: number }): Connection {
  const db = new DatabaseSync(path, { readOnly: options.readOnly ?? false, timeout: options.busyTimeoutMs });
  const prepared = new Map<unknown, Prepared>();

  function prepare<Input extends object>(query: Query<Input, unknown>): Prepared {
    const known = prepared.get(query);
    if (known !== undefined) return known;
    const { sql, parameters } = compile(sqliteTables, query);
    const statement = db.prepare(sql);
    statement.setReturnArrays(true);
    const names = statement.columns().map(({ name }) => name);
    const made: Prepared = { statement, names, parameters: parameters as Prepared['parameters'] };
    prepared.set(query, made);
    return made;
  }

  return {
    db,
    one<Input extends object, Row>(query: Query<Input, Row>, input: Input) {
      const { statement, names, parameters } = prepare(query);
      const values = statement.get(...parameters(input));
      return values === undefined ? null : rowOf<Row>(names, values);
    },
    all<Input extends object, Row>(query: Query<Input, Row>, input: Input) {
      const { statement, names, parameters } = prepare(query);
      return statement.all(...parameters(input)).map((values) => rowOf<Row>(names, values));
    },
    change(query, input) {
      const { statement, parameters } = prepare(query);
      return Number(statement.run(...parameters(input)).changes);
    },
  };
}

interface Prepared {
  statement: StatementSync;
  /** Of the columns, in order. */
  names: string[];
  parameters(input: object): SQLInputValue[];
}

/**
 * Names the values of a row. The objects that the engine makes are dictionaries: making them costs more than the point read itself, and so
 * does each use of them. It gives arrays instead (`setReturnArrays`), though its types say otherwise.
 */
function rowOf<Row>(names: readonly string[], values: unknown): Row {
  const row: Record<string, unknown> = {};
  const array = values as readonly unknown[];
  for (let i = 0; i < names.length; i++) row[names[i] ?? ''] = array[i];
  return row as Row;
}
