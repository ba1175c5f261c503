import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** An engine's words for those in capitals of a migration. */
export interface Dialect {
  /** Holds Unix milliseconds. */
  INTEGER: string;
  BYTES: string;
  /** Compared byte by byte, so that ids are in order of creation. */
  TEXT: string;
  /** The type of a primary key that counts up and never repeats. */
  SEQUENCE: string;
  /** Ends a table. */
  STRICT: string;
}

/** A migration of SQL statements, each of which ends with a semicolon: comments and texts have none. */
export function statements(text: string, dialect: Dialect): Migration {
  const own = text.replace(/\b(INTEGER|BYTES|TEXT|SEQUENCE|STRICT)\b/g, (word) => dialect[word as keyof Dialect]);
  return {
    async up(db: Kysely<unknown>) {
      for (const statement of own.split(';').slice(0, -1)) await sql.raw(statement).execute(db);
    },
  };
}
