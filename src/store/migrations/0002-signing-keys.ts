import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { type ColumnTypes, index } from './column-types.ts';

/** Keys that sign dashboard tokens. The index finds the one that signs now. */
export function signingKeys({ integer, bytes, text, table }: ColumnTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await table(db, 'signing_keys')
        .addColumn('id', text, (c) => c.primaryKey().notNull())
        .addColumn('public_key', bytes, (c) => c.notNull())
        .addColumn('private_key', bytes, (c) => c.notNull())
        .addColumn('created_at', integer, (c) => c.notNull())
        .addColumn('retired_at', integer)
        .execute();
      await index(db, 'signing_keys', ['retired_at']);
    },
  };
}
