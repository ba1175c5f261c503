import type { CreateTableBuilder, Kysely, RawBuilder } from 'kysely';

/** The column types of an engine, and its syntax. */
export interface ColumnTypes {
  /** Holds Unix milliseconds. */
  integer: RawBuilder<unknown>;
  bytes: RawBuilder<unknown>;
  /** Compared byte by byte, so that ids are in order of creation. */
  text: RawBuilder<unknown>;
  table(db: Kysely<unknown>, name: string): CreateTableBuilder<string>;
  /** Adds a primary key that counts up and never repeats. */
  sequence(table: CreateTableBuilder<string>, column: string): CreateTableBuilder<string, string>;
}

/** Creates the index `<table>_by_<columns>`. */
export async function index(db: Kysely<unknown>, table: string, columns: string[]): Promise<void> {
  await db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .on(table)
    .columns(columns)
    .execute();
}
