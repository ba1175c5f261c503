import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { type ColumnTypes, index } from './column-types.ts';

/**
 * Redirects from domain to domain. The destination is a route: whichever release deletes that, the redirect goes with it, so that none leads to a name that
 * is not verified here, or is another workspace's by now.
 */
export function redirects(types: ColumnTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      const { integer, text } = types;
      await types
        .table(db, 'redirects')
        .addColumn('domain_id', text, (c) => c.primaryKey().notNull().references('domains.id').onDelete('cascade'))
        .addColumn('destination_id', text, (c) => c.notNull().references('routes.domain_id').onDelete('cascade'))
        .addColumn('status', integer, (c) => c.notNull())
        .addColumn('set_at', integer, (c) => c.notNull())
        .execute();
      await index(db, 'redirects', ['destination_id', 'domain_id']);
    },
  };
}
