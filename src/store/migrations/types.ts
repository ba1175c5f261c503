import type { CreateTableBuilder, Kysely, RawBuilder } from 'kysely';

/** How an engine spells what the migrations ask for. */
export interface Types {
  /** Holds Unix milliseconds. */
  integer: RawBuilder<unknown>;
  bytes: RawBuilder<unknown>;
  /** Begins a table. */
  table(db: Kysely<unknown>, name: string): CreateTableBuilder<string>;
  /** Adds a primary key that counts up, and never gives a number twice. */
  sequence(table: CreateTableBuilder<string>, column: string): CreateTableBuilder<string, string>;
}
