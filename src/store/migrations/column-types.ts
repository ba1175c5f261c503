import type { CreateTableBuilder, Kysely, RawBuilder } from 'kysely';

/** How an engine spells what the migrations ask for. */
export interface Types {
  /** Holds Unix milliseconds. */
  integer: RawBuilder<unknown>;
  bytes: RawBuilder<unknown>;
  /** Compared and ordered byte by byte: ids are in order of creation then. */
  text: RawBuilder<unknown>;
  /** Begins a table. */
  table(db: Kysely<unknown>, name: string): CreateTableBuilder<string>;
  /** Adds a primary key that counts up, and never gives a number twice. */
  sequence(table: CreateTableBuilder<string>, column: string): CreateTableBuilder<string, string>;
}
