import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { type ColumnTypes, index } from './column-types.ts';

/**
 * What checks found, re-checks of verified domains, and who made a change. The previous release keeps adding and deleting domains and routes: so
 * new columns are nullable, and what belongs to a domain or a route is deleted with its row. A route that it adds has no `monitored`, like those
 * that were there before: claims give it a schedule (`sql/monitors.ts`).
 */
export function monitoring(types: ColumnTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await extendChecks(db, types);
      await createResults(db, types);
      await createMonitors(db, types);
      await extendEvents(db, types);
    },
  };
}

async function extendChecks(db: Kysely<unknown>, { integer, text }: ColumnTypes): Promise<void> {
  // SQLite adds one column at a time.
  await db.schema.alterTable('checks').addColumn('ownership_doubt', text).execute();
  await db.schema.alterTable('checks').addColumn('routing_doubt', text).execute();
  await db.schema.alterTable('checks').addColumn('glance', text).execute();
  await db.schema.alterTable('checks').addColumn('last_check_at', integer).execute();
}

async function createResults(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { integer, text } = types;
  await types
    .table(db, 'check_results')
    .addColumn('domain_id', text, (c) => c.primaryKey().notNull().references('domains.id').onDelete('cascade'))
    .addColumn('digest', text, (c) => c.notNull())
    .addColumn('checked_at', integer, (c) => c.notNull())
    .addColumn('findings', text, (c) => c.notNull())
    .addColumn('observation', text, (c) => c.notNull())
    .execute();
}

async function createMonitors(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { integer, text } = types;
  await types
    .table(db, 'monitors')
    .addColumn('domain_id', text, (c) => c.primaryKey().notNull().references('routes.domain_id').onDelete('cascade'))
    .addColumn('next_check_at', integer, (c) => c.notNull())
    .addColumn('last_check_at', integer)
    .addColumn('attempts', integer, (c) => c.notNull())
    .addColumn('suspected', text)
    .addColumn('drifted_since', integer)
    .addColumn('gone_since', integer)
    .addColumn('gone_until', integer)
    .execute();
  await index(db, 'monitors', ['next_check_at']);
  await db.schema
    .createIndex('monitors_drifted')
    .on('monitors')
    .column('domain_id')
    .where(sql.ref('drifted_since'), 'is not', null)
    .execute();
  await db.schema.alterTable('routes').addColumn('monitored', integer).execute();
  await db.schema
    .createIndex('routes_not_monitored')
    .on('routes')
    .column('domain_id')
    .where(sql.ref('monitored'), 'is', null)
    .execute();
}

async function extendEvents(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await db.schema.alterTable('events').addColumn('actor', text).execute();
  await index(db, 'events', ['created_at']);
}
