import type { CompiledQuery, Kysely } from 'kysely';
import type { NewId } from '../../base/ids.ts';
import type { Schema } from '../schema/schema.ts';

/**
 * One SQL statement, written with Kysely and typed by the schema. Each engine compiles it once, with a slot in place of each property of
 * `input`, and runs it as a prepared statement.
 *
 * A constant that an index depends on must be a literal (`sql.lit`): a planner cannot see into parameters.
 */
export type Statement<Input, Row> = (db: Tables, input: Input) => { compile(): CompiledQuery<Row> };

export type Tables = Kysely<Schema>;

/** Runs statements that read. */
export interface Reader {
  /** The first row, or null. */
  one<Input extends object, Row>(statement: Statement<Input, Row>, input: Input): Awaitable<Row | null>;
  all<Input extends object, Row>(statement: Statement<Input, Row>, input: Input): Awaitable<Row[]>;
}

/** A transaction: use cases are written as if it ran alone, and the engine isolates it. A statement sees what earlier ones wrote. */
export interface Transaction extends Reader {
  /** Resolves with the number of rows inserted, updated or deleted. */
  execute<Input extends object>(statement: Statement<Input, unknown>, input: Input): Awaitable<number>;
  /** Runs a statement whose count nobody needs, behind all earlier ones and before all later ones. Does not wait: a failure fails the transaction. */
  write<Input extends object>(statement: Statement<Input, unknown>, input: Input): void;
  newId: NewId;
  /** Statements run in this process, so that one more costs less than a statement that does both. */
  isLocal: boolean;
  /** When the store was called, by its clock (Unix ms): for rows whose time no caller gives. */
  now: number;
  /** The `invalidates` of the write. */
  domains: readonly string[];
  /** Who asks for the change, as timelines name it (`DomainEvent.actor`). */
  actor: string | null;
}

type Awaitable<T> = T | Promise<T>;

/** The values of these columns alone. */
export function pick<Row, Column extends keyof Row>(row: Row, columns: readonly Column[]): Pick<Row, Column> {
  const picked = {} as Pick<Row, Column>;
  for (const column of columns) picked[column] = row[column];
  return picked;
}

/** Columns by the name of their table, for joins. */
export function columnsOf<Table extends string, Column extends string>(table: Table, columns: readonly Column[]) {
  return columns.map((column) => `${table}.${column}` as const);
}

/** SQL for one engine, and how an input becomes the list of its parameters. */
export interface CompiledStatement<Input> {
  sql: string;
  parameters(input: Input): unknown[];
}

/** Compiles a statement for the engine of `db`. */
export function compile<Input extends object, Row>(
  db: Tables,
  statement: Statement<Input, Row>,
): CompiledStatement<Input> {
  const { sql, parameters } = statement(db, everySlot as Input).compile();
  return {
    sql,
    parameters: (input) => parameters.map((value) => (value instanceof Slot ? value.of(input) : value)),
  };
}

/** Stands for a property of the input while a statement is compiled. */
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
