import type { Migration } from 'kysely/migration';
import { type Dialect, statements } from '../../../server/src/store/schema/statements.ts';

/** A next version's addition to the schema. Nodes of this version go on beside it, so it only adds. */
const NEXT = `
alter table domains add column note TEXT;
create table notes (
  domain_id TEXT not null primary key references domains (id) on delete cascade, written_at INTEGER not null default 0
) STRICT;
create index domains_by_created_at on domains (created_at);
`;

/**
 * PostgreSQL keeps the table of domains locked meanwhile: as long as a quick change of a busy table may wait for its
 * turn.
 */
const HELD = 'select pg_sleep(0.5);';

export function nextMigrations(dialect: Dialect): Record<string, Migration> {
  return { '9000-next': statements(dialect.BYTES === 'bytea' ? NEXT + HELD : NEXT, dialect) };
}
