import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Types } from './column-types.ts';

/** Requests that were let through in the windows of rate limits, added up over nodes. The index finds the windows that ended. */
export function requestCounts({ integer, text, table }: Types): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await table(db, 'request_counts')
        .addColumn('subject', text, (c) => c.notNull())
        .addColumn('operation', text, (c) => c.notNull())
        .addColumn('window_ms', integer, (c) => c.notNull())
        .addColumn('window_ends_at', integer, (c) => c.notNull())
        .addColumn('requests', integer, (c) => c.notNull())
        .addPrimaryKeyConstraint('request_counts_pkey', ['subject', 'operation', 'window_ms', 'window_ends_at'])
        .execute();
      await db.schema
        .createIndex('request_counts_by_window_ends_at')
        .on('request_counts')
        .column('window_ends_at')
        .execute();
    },
  };
}
