import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { compile, type Query, type Reading } from '../query.ts';
import type { Schema } from '../schema.ts';

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
    const made: Prepared = { statement: db.prepare(sql), parameters: parameters as Prepared['parameters'] };
    prepared.set(query, made);
    return made;
  }

  return {
    db,
    one<Input extends object, Row>(query: Query<Input, Row>, input: Input) {
      const { statement, parameters } = prepare(query);
      return (statement.get(...parameters(input)) as Row | undefined) ?? null;
    },
    all<Input extends object, Row>(query: Query<Input, Row>, input: Input) {
      const { statement, parameters } = prepare(query);
      return statement.all(...parameters(input)) as Row[];
    },
    change(query, input) {
      const { statement, parameters } = prepare(query);
      return Number(statement.run(...parameters(input)).changes);
    },
  };
}

interface Prepared {
  statement: StatementSync;
  parameters(input: object): SQLInputValue[];
}
