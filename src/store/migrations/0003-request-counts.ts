import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { type ColumnTypes, index } from './column-types.ts';

/** Requests allowed in the windows of rate limits, by all nodes. The index finds windows that have ended. */
export function requestCounts({ integer, text, table }: ColumnTypes): Migration {
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
      await index(db, 'request_counts', ['window_ends_at']);
    },
  };
}
