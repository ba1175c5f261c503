import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { type ColumnTypes, index } from './column-types.ts';

/** Workspaces and keys; projects, apps, environments and deployments; domains, their checks and what serves them; the two logs. */
export function initial(types: ColumnTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await createAccess(db, types);
      await createTree(db, types);
      await createDomains(db, types);
      await createServing(db, types);
      await createLogs(db, types);
    },
  };
}

async function createAccess(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { integer, bytes, text } = types;
  await types
    .table(db, 'workspaces')
    .addColumn('id', text, (c) => c.primaryKey().notNull())
    .addColumn('name', text, (c) => c.notNull())
    .addColumn('disabled_at', integer)
    .addColumn('limits', text, (c) => c.notNull())
    .addColumn('created_at', integer, (c) => c.notNull())
    .execute();
  await types
    .table(db, 'root_keys')
    .addColumn('id', text, (c) => c.primaryKey().notNull())
    .addColumn('workspace_id', text, (c) => c.notNull().references('workspaces.id'))
    .addColumn('hash', bytes, (c) => c.notNull().unique())
    .addColumn('name', text, (c) => c.notNull())
    .addColumn('start', text, (c) => c.notNull())
    .addColumn('permissions', text, (c) => c.notNull())
    .addColumn('expires_at', integer)
    .addColumn('disabled_at', integer)
    .addColumn('created_at', integer, (c) => c.notNull())
    .execute();
  await index(db, 'root_keys', ['workspace_id', 'id']);
}

async function createTree(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { text } = types;
  await place(db, types, 'projects').addUniqueConstraint('projects_slug', ['workspace_id', 'slug']).execute();
  await index(db, 'projects', ['workspace_id', 'id']);
  await place(db, types, 'apps')
    .addColumn('project_id', text, (c) => c.notNull().references('projects.id'))
    .addUniqueConstraint('apps_slug', ['project_id', 'slug'])
    .execute();
  await index(db, 'apps', ['project_id', 'id']);
  await place(db, types, 'environments')
    .addColumn('project_id', text, (c) => c.notNull().references('projects.id'))
    .addColumn('app_id', text, (c) => c.notNull().references('apps.id'))
    .addColumn('current_deployment_id', text)
    .addUniqueConstraint('environments_slug', ['app_id', 'slug'])
    .execute();
  await index(db, 'environments', ['app_id', 'id']);
  await types
    .table(db, 'deployments')
    .addColumn('id', text, (c) => c.primaryKey().notNull())
    .addColumn('workspace_id', text, (c) => c.notNull().references('workspaces.id'))
    .addColumn('environment_id', text, (c) => c.notNull().references('environments.id'))
    .addColumn('origin', text, (c) => c.notNull())
    .addColumn('created_at', types.integer, (c) => c.notNull())
    .execute();
  await index(db, 'deployments', ['environment_id', 'id']);
}

/** The common columns of projects, apps and environments. */
function place(db: Kysely<unknown>, types: ColumnTypes, name: string): CreateTableBuilder<string, string> {
  const { text } = types;
  return types
    .table(db, name)
    .addColumn('id', text, (c) => c.primaryKey().notNull())
    .addColumn('workspace_id', text, (c) => c.notNull().references('workspaces.id'))
    .addColumn('slug', text, (c) => c.notNull())
    .addColumn('name', text)
    .addColumn('created_at', types.integer, (c) => c.notNull());
}

async function createDomains(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { integer, text } = types;
  await types
    .table(db, 'domains')
    .addColumn('id', text, (c) => c.primaryKey().notNull())
    .addColumn('workspace_id', text, (c) => c.notNull().references('workspaces.id'))
    .addColumn('project_id', text, (c) => c.notNull())
    .addColumn('app_id', text, (c) => c.notNull())
    .addColumn('environment_id', text, (c) => c.notNull().references('environments.id'))
    .addColumn('name', text, (c) => c.notNull())
    .addColumn('kind', text, (c) => c.notNull())
    .addColumn('service', text, (c) => c.notNull())
    .addColumn('target', text, (c) => c.notNull().unique())
    .addColumn('token', text, (c) => c.notNull())
    .addColumn('status', text, (c) => c.notNull())
    .addColumn('routing_verified_at', integer)
    .addColumn('ownership_verified_at', integer)
    .addColumn('verification_error', text)
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('updated_at', integer)
    .addColumn('verified_at', integer)
    .addColumn('window_started_at', integer, (c) => c.notNull())
    .addColumn('revision', integer, (c) => c.notNull())
    .addUniqueConstraint('domains_name', ['workspace_id', 'name'])
    .execute();
  await index(db, 'domains', ['environment_id', 'id']);
  // Guarantees that no two workspaces have one name verified.
  await db.schema
    .createIndex('domains_verified_name')
    .unique()
    .on('domains')
    .column('name')
    .where(sql.ref('status'), '=', sql.lit('verified'))
    .execute();
  await types
    .table(db, 'checks')
    .addColumn('domain_id', text, (c) => c.primaryKey().notNull().references('domains.id'))
    .addColumn('next_check_at', integer, (c) => c.notNull())
    .addColumn('window_ends_at', integer, (c) => c.notNull())
    .addColumn('attempts', integer, (c) => c.notNull())
    .addColumn('unreadable_in_a_row', integer, (c) => c.notNull())
    .addColumn('proven_since', integer)
    .execute();
  await index(db, 'checks', ['next_check_at']);
}

async function createServing(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { text } = types;
  await types
    .table(db, 'routes')
    .addColumn('hostname', text, (c) => c.primaryKey().notNull())
    .addColumn('domain_id', text, (c) => c.notNull().unique().references('domains.id'))
    .addColumn('environment_id', text, (c) => c.notNull().references('environments.id'))
    .execute();
  await index(db, 'routes', ['environment_id']);
  await types
    .table(db, 'certificates')
    .addColumn('hostname', text, (c) => c.primaryKey().notNull())
    .addColumn('state', text, (c) => c.notNull())
    .addColumn('created_at', types.integer, (c) => c.notNull())
    .execute();
}

async function createLogs(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { text } = types;
  await types
    .sequence(types.table(db, 'events'), 'seq')
    .addColumn('id', text, (c) => c.notNull().unique())
    .addColumn('domain_id', text, (c) => c.notNull())
    .addColumn('workspace_id', text, (c) => c.notNull())
    .addColumn('type', text, (c) => c.notNull())
    .addColumn('data', text, (c) => c.notNull())
    .addColumn('created_at', types.integer, (c) => c.notNull())
    .execute();
  await index(db, 'events', ['domain_id', 'seq']);
  await types
    .sequence(types.table(db, 'changes'), 'seq')
    .addColumn('kind', text, (c) => c.notNull())
    .addColumn('key', text, (c) => c.notNull())
    .addColumn('created_at', types.integer, (c) => c.notNull())
    .execute();
}
