import type { CompiledQuery, Kysely } from 'kysely';
import type { NewId } from '../../ids.ts';
import type { Schema } from './schema.ts';

/**
 * One statement, written with Kysely and typed by the schema. It is built once for an engine, with slots in place of values; what runs
 * is a prepared statement into which the values are filled.
 *
 * A constant that an index depends on has to be a literal (`sql.lit`), since a planner cannot see into parameters.
 */
export type Query<Input, Row> = (db: Tables, slots: Input) => { compile(): CompiledQuery<Row> };

export type Tables = Kysely<Schema>;

/** What a use case of several statements may do to read. Each statement sees what the ones before it wrote. */
export interface Reading {
  /** The first row, or null. */
  one<Input extends object, Row>(query: Query<Input, Row>, input: Input): Awaitable<Row | null>;
  all<Input extends object, Row>(query: Query<Input, Row>, input: Input): Awaitable<Row[]>;
}

/** The same for use cases that write. They are written as if they ran alone, in one transaction: the engine makes that so. */
export interface Writing extends Reading {
  /** Number of rows that were inserted, updated or deleted. */
  change<Input extends object>(query: Query<Input, unknown>, input: Input): Awaitable<number>;
  newId: NewId;
  /** When the use case was asked for, by the store's clock (Unix ms): the age of what has no time of its own. */
  askedAt: number;
}

type Awaitable<T> = T | Promise<T>;

/** SQL for one engine, and how an input becomes the list of its parameters. */
export interface Compiled<Input> {
  sql: string;
  parameters(input: Input): unknown[];
}

/** Builds a query for the engine of `db`. */
export function compile<Input extends object, Row>(db: Tables, query: Query<Input, Row>): Compiled<Input> {
  const { sql, parameters } = query(db, everySlot as Input).compile();
  return {
    sql,
    parameters: (input) => parameters.map((value) => (value instanceof Slot ? value.of(input) : value)),
  };
}

/** Stands for a property of the input while a query is built. */
class Slot {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  of(input: object): unknown {
    return (input as Record<string, unknown>)[this.#name];
  }
}

const everySlot: object = new Proxy({}, { get: (_, name) => new Slot(String(name)) });
