import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../../../src/store/migrations/column-types.ts';

/** How long it keeps the table of domains to itself: as long as a quick change of a busy table may wait for its turn. */
const HELD_SECONDS = 0.5;

/** What a next version would add to the schema, by the rule that nodes of this one go on beside it: only additions. */
export function nextMigrations({ text, integer, table }: ColumnTypes): Record<string, Migration> {
  return {
    '9000-next': {
      async up(db: Kysely<unknown>) {
        await db.schema.alterTable('domains').addColumn('note', text).execute();
        await table(db, 'notes')
          .addColumn('domain_id', text, (c) => c.primaryKey().notNull().references('domains.id').onDelete('cascade'))
          .addColumn('written_at', integer, (c) => c.notNull().defaultTo(0))
          .execute();
        await db.schema.createIndex('domains_by_created_at').on('domains').column('created_at').execute();
        await sql`select pg_sleep(${HELD_SECONDS})`.execute(db);
      },
    },
  };
}
