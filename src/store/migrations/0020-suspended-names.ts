import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { type ColumnTypes, index } from './column-types.ts';

/**
 * Names that the operator has suspended in a workspace: by name, so that a domain that is deleted and added again stays suspended. The previous release serves them.
 * The index finds the deleted domains of a workspace.
 */
export function suspendedNames(types: ColumnTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      const { integer, text } = types;
      await types
        .table(db, 'suspended_names')
        .addColumn('workspace_id', text, (c) => c.notNull().references('workspaces.id').onDelete('cascade'))
        .addColumn('name', text, (c) => c.notNull())
        .addColumn('status', integer, (c) => c.notNull())
        .addColumn('suspended_at', integer, (c) => c.notNull())
        .addPrimaryKeyConstraint('suspended_names_key', ['workspace_id', 'name'])
        .execute();
      await index(db, 'deleted_domains', ['workspace_id']);
    },
  };
}
