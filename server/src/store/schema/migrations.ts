import type { Migration } from 'kysely/migration';
import { SCHEMA } from './0001-schema.ts';
import { type Dialect, statements } from './statements.ts';

/** Every migration, oldest first by name. A migration that has been released is never changed: add another. */
export function allMigrations(dialect: Dialect): Record<string, Migration> {
  return { '0001-schema': statements(SCHEMA, dialect) };
}
