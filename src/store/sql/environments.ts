import type { Environment, PageRequest } from '../contract/store.ts';
import { selectApp, selectAppId } from './apps.ts';
import { ofTree } from './audit/targets.ts';
import { defineChange, isOutcome } from './change.ts';
import { type PageSlots, paged, pageSlots } from './paging.ts';
import type { Reader, Tables, Transaction } from './statement.ts';
import { NO_DOMAINS, NO_SECRET } from './write.ts';

async function createEnvironment(tx: Transaction, environment: Environment) {
  const parent = { workspaceId: environment.workspaceId, id: environment.appId };
  if ((await tx.one(selectAppId, parent)) === null) return 'parent_missing';
  return (await tx.execute(insertEnvironment, environment)) > 0 ? 'created' : 'slug_taken';
}

export async function findEnvironment(
  reader: Reader,
  workspaceId: string,
  path: { project: string; app: string; environment: string },
) {
  return reader.one(selectEnvironment, {
    workspaceId,
    project: path.project,
    app: path.app,
    environment: path.environment,
  });
}

export async function listEnvironments(reader: Reader, workspaceId: string, appId: string, page: PageRequest) {
  return paged(await reader.all(selectEnvironments, { workspaceId, appId, ...pageSlots(page) }), page);
}

async function deleteEnvironment(tx: Transaction, workspaceId: string, environmentId: string) {
  const environment = { workspaceId, id: environmentId };
  if ((await tx.one(selectEnvironmentId, environment)) === null) return 'missing';
  if ((await tx.one(selectDomainOf, environment)) !== null) return 'not_empty';
  await tx.execute(deleteDeploymentsOf, environment);
  await tx.execute(deleteEnvironmentRow, environment);
  return 'deleted';
}

export const environmentChanges = {
  createEnvironment: defineChange({
    perform: createEnvironment,
    locks: ({ appId }) => [appId],
    audit: { targets: (_, environment) => [ofTree(environment)], isMade: isOutcome('created') },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  deleteEnvironment: defineChange({
    perform: deleteEnvironment,
    locks: (_, environmentId) => [environmentId],
    audit: {
      async targets(tx, workspaceId, id) {
        const found = await tx.one(selectEnvironmentId, { workspaceId, id });
        return found === null ? [] : [ofTree(found)];
      },
      isMade: isOutcome('deleted'),
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
};

const environmentColumns = [
  'environments.id',
  'environments.workspace_id as workspaceId',
  'environments.project_id as projectId',
  'environments.app_id as appId',
  'environments.slug',
  'environments.name',
  'environments.current_deployment_id as currentDeploymentId',
  'environments.created_at as createdAt',
] as const;

function insertEnvironment(db: Tables, p: Environment) {
  return db
    .insertInto('environments')
    .values({
      id: p.id,
      workspace_id: p.workspaceId,
      project_id: p.projectId,
      app_id: p.appId,
      slug: p.slug,
      name: p.name,
      current_deployment_id: p.currentDeploymentId,
      created_at: p.createdAt,
    })
    .onConflict((on) => on.columns(['app_id', 'slug']).doNothing());
}

function selectEnvironment(db: Tables, p: { workspaceId: string; project: string; app: string; environment: string }) {
  return selectApp(db, p)
    .clearSelect()
    .innerJoin('environments', 'environments.app_id', 'apps.id')
    .where((of) => of.or([of('environments.id', '=', p.environment), of('environments.slug', '=', p.environment)]))
    .select(environmentColumns);
}

export function selectEnvironmentId(db: Tables, p: { workspaceId: string; id: string }) {
  return db
    .selectFrom('environments')
    .where('id', '=', p.id)
    .where('workspace_id', '=', p.workspaceId)
    .select(['id', 'slug', 'workspace_id as workspaceId']);
}

function selectEnvironments(db: Tables, p: PageSlots & { workspaceId: string; appId: string }) {
  return db
    .selectFrom('environments')
    .where('workspace_id', '=', p.workspaceId)
    .where('app_id', '=', p.appId)
    .where('id', '>=', p.from)
    .orderBy('id')
    .limit(p.rows)
    .select(environmentColumns);
}

function selectDomainOf(db: Tables, p: { id: string }) {
  return db.selectFrom('domains').where('environment_id', '=', p.id).select('id').limit(1);
}

function deleteEnvironmentRow(db: Tables, p: { id: string }) {
  return db.deleteFrom('environments').where('id', '=', p.id);
}

function deleteDeploymentsOf(db: Tables, p: { id: string }) {
  return db.deleteFrom('deployments').where('environment_id', '=', p.id);
}
