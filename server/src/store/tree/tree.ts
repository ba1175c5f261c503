import { ofTree } from '../audit/entries.ts';
import { logChange } from '../cache/change-log.ts';
import { defineChange, isOutcome } from '../engine/change.ts';
import { type PageSlots, paged, pageSlots } from '../engine/paging.ts';
import { columnsOf, pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import { NO_DOMAINS, NO_LOCKS, NO_SECRET } from '../engine/write.ts';
import type { App, AppPath, Deployment, Environment, EnvironmentPath, PageRequest, Project } from '../store.ts';

export async function createProject(tx: Transaction, project: Project) {
  return (await tx.execute(insertProject, project)) > 0 ? 'created' : 'slug_taken';
}

export async function findProject(reader: Reader, workspaceId: string, project: string) {
  return reader.one(selectProject, { workspaceId, project });
}

export async function listProjects(reader: Reader, workspaceId: string, page: PageRequest) {
  return paged(await reader.all(selectProjects, { workspaceId, ...pageSlots(page) }), page);
}

async function deleteProject(tx: Transaction, workspaceId: string, projectId: string) {
  const project = { workspaceId, id: projectId };
  if ((await tx.one(selectProjectId, project)) === null) return 'missing';
  if ((await tx.one(selectAppOf, project)) !== null) return 'not_empty';
  await tx.execute(deleteProjectRow, project);
  return 'deleted';
}

export const projectChanges = {
  createProject: defineChange({
    perform: createProject,
    locks: NO_LOCKS,
    audit: { targets: (_, project) => [ofTree(project)], isMade: isOutcome('created') },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  deleteProject: defineChange({
    perform: deleteProject,
    locks: (_, projectId) => [projectId],
    audit: {
      async targets(tx, workspaceId, id) {
        const found = await tx.one(selectProjectId, { workspaceId, id });
        return found === null ? [] : [ofTree(found)];
      },
      isMade: isOutcome('deleted'),
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
};

const PROJECT = ['id', 'workspaceId', 'slug', 'name', 'createdAt'] as const;

function insertProject(db: Tables, p: Project) {
  return db
    .insertInto('projects')
    .values(pick(p, PROJECT))
    .onConflict((on) => on.columns(['workspaceId', 'slug']).doNothing());
}

export function selectProject(db: Tables, p: { workspaceId: string; project: string }) {
  return db
    .selectFrom('projects')
    .where('projects.workspaceId', '=', p.workspaceId)
    .where((of) => of.or([of('projects.id', '=', p.project), of('projects.slug', '=', p.project)]))
    .select(columnsOf('projects', PROJECT));
}

export function selectProjectId(db: Tables, p: { workspaceId: string; id: string }) {
  return db
    .selectFrom('projects')
    .where('id', '=', p.id)
    .where('workspaceId', '=', p.workspaceId)
    .select(['id', 'slug', 'workspaceId']);
}

function selectProjects(db: Tables, p: PageSlots & { workspaceId: string }) {
  return db
    .selectFrom('projects')
    .where('workspaceId', '=', p.workspaceId)
    .where('id', '>=', p.from)
    .orderBy('id')
    .limit(p.rows)
    .select(PROJECT);
}

function selectAppOf(db: Tables, p: { id: string }) {
  return db.selectFrom('apps').where('projectId', '=', p.id).select('id').limit(1);
}

function deleteProjectRow(db: Tables, p: { id: string }) {
  return db.deleteFrom('projects').where('id', '=', p.id);
}

export async function createApp(tx: Transaction, app: App) {
  const parent = { workspaceId: app.workspaceId, id: app.projectId };
  if ((await tx.one(selectProjectId, parent)) === null) return 'parent_missing';
  return (await tx.execute(insertApp, app)) > 0 ? 'created' : 'slug_taken';
}

export async function findApp(reader: Reader, workspaceId: string, { project, app }: AppPath) {
  if (project === undefined) return reader.one(selectAppById, { workspaceId, id: app });
  return reader.one(selectApp, { workspaceId, project, app });
}

export async function listApps(reader: Reader, workspaceId: string, projectId: string, page: PageRequest) {
  return paged(await reader.all(selectApps, { workspaceId, projectId, ...pageSlots(page) }), page);
}

async function deleteApp(tx: Transaction, workspaceId: string, appId: string) {
  const app = { workspaceId, id: appId };
  if ((await tx.one(selectAppId, app)) === null) return 'missing';
  if ((await tx.one(selectEnvironmentOf, app)) !== null) return 'not_empty';
  await tx.execute(deleteAppRow, app);
  return 'deleted';
}

export const appChanges = {
  createApp: defineChange({
    perform: createApp,
    locks: ({ projectId }) => [projectId],
    audit: { targets: (_, app) => [ofTree(app)], isMade: isOutcome('created') },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  deleteApp: defineChange({
    perform: deleteApp,
    locks: (_, appId) => [appId],
    audit: {
      async targets(tx, workspaceId, id) {
        const found = await tx.one(selectAppId, { workspaceId, id });
        return found === null ? [] : [ofTree(found)];
      },
      isMade: isOutcome('deleted'),
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
};

const APP = [...PROJECT, 'projectId'] as const;

function insertApp(db: Tables, p: App) {
  return db
    .insertInto('apps')
    .values(pick(p, APP))
    .onConflict((on) => on.columns(['projectId', 'slug']).doNothing());
}

export function selectApp(db: Tables, p: { workspaceId: string; project: string; app: string }) {
  return selectProject(db, p)
    .clearSelect()
    .innerJoin('apps', 'apps.projectId', 'projects.id')
    .where((of) => of.or([of('apps.id', '=', p.app), of('apps.slug', '=', p.app)]))
    .select(columnsOf('apps', APP));
}

function selectAppById(db: Tables, p: { workspaceId: string; id: string }) {
  return db.selectFrom('apps').where('id', '=', p.id).where('workspaceId', '=', p.workspaceId).select(APP);
}

export function selectAppId(db: Tables, p: { workspaceId: string; id: string }) {
  return db
    .selectFrom('apps')
    .where('id', '=', p.id)
    .where('workspaceId', '=', p.workspaceId)
    .select(['id', 'slug', 'workspaceId']);
}

function selectApps(db: Tables, p: PageSlots & { workspaceId: string; projectId: string }) {
  return db
    .selectFrom('apps')
    .where('workspaceId', '=', p.workspaceId)
    .where('projectId', '=', p.projectId)
    .where('id', '>=', p.from)
    .orderBy('id')
    .limit(p.rows)
    .select(APP);
}

function selectEnvironmentOf(db: Tables, p: { id: string }) {
  return db.selectFrom('environments').where('appId', '=', p.id).select('id').limit(1);
}

function deleteAppRow(db: Tables, p: { id: string }) {
  return db.deleteFrom('apps').where('id', '=', p.id);
}

export async function createEnvironment(tx: Transaction, environment: Environment) {
  const parent = { workspaceId: environment.workspaceId, id: environment.appId };
  if ((await tx.one(selectAppId, parent)) === null) return 'parent_missing';
  return (await tx.execute(insertEnvironment, environment)) > 0 ? 'created' : 'slug_taken';
}

export async function findEnvironment(
  reader: Reader,
  workspaceId: string,
  { project, app, environment }: EnvironmentPath,
): Promise<Environment | null> {
  if (project !== undefined && app !== undefined) {
    return reader.one(selectEnvironment, { workspaceId, project, app, environment });
  }
  if (app !== undefined) {
    const parent = await reader.one(selectAppById, { workspaceId, id: app });
    const path = parent && { workspaceId, project: parent.projectId, app, environment };
    return path && reader.one(selectEnvironment, path);
  }
  const found = await reader.one(selectEnvironmentById, { workspaceId, id: environment });
  if (found === null || project === undefined) return found;
  return reader.one(selectEnvironment, { workspaceId, project, app: found.appId, environment });
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

const ENVIRONMENT = [...APP, 'appId', 'currentDeploymentId'] as const;

function insertEnvironment(db: Tables, p: Environment) {
  return db
    .insertInto('environments')
    .values(pick(p, ENVIRONMENT))
    .onConflict((on) => on.columns(['appId', 'slug']).doNothing());
}

function selectEnvironment(db: Tables, p: { workspaceId: string; project: string; app: string; environment: string }) {
  return selectApp(db, p)
    .clearSelect()
    .innerJoin('environments', 'environments.appId', 'apps.id')
    .where((of) => of.or([of('environments.id', '=', p.environment), of('environments.slug', '=', p.environment)]))
    .select(columnsOf('environments', ENVIRONMENT));
}

function selectEnvironmentById(db: Tables, p: { workspaceId: string; id: string }) {
  return db
    .selectFrom('environments')
    .where('id', '=', p.id)
    .where('workspaceId', '=', p.workspaceId)
    .select(ENVIRONMENT);
}

export function selectEnvironmentId(db: Tables, p: { workspaceId: string; id: string }) {
  return db
    .selectFrom('environments')
    .where('id', '=', p.id)
    .where('workspaceId', '=', p.workspaceId)
    .select(['id', 'slug', 'workspaceId']);
}

function selectEnvironments(db: Tables, p: PageSlots & { workspaceId: string; appId: string }) {
  return db
    .selectFrom('environments')
    .where('workspaceId', '=', p.workspaceId)
    .where('appId', '=', p.appId)
    .where('id', '>=', p.from)
    .orderBy('id')
    .limit(p.rows)
    .select(ENVIRONMENT);
}

function selectDomainOf(db: Tables, p: { id: string }) {
  return db.selectFrom('domains').where('environmentId', '=', p.id).select('id').limit(1);
}

function deleteEnvironmentRow(db: Tables, p: { id: string }) {
  return db.deleteFrom('environments').where('id', '=', p.id);
}

function deleteDeploymentsOf(db: Tables, p: { id: string }) {
  return db.deleteFrom('deployments').where('environmentId', '=', p.id);
}

async function createDeployment(tx: Transaction, deployment: Deployment) {
  const { id, environmentId, workspaceId } = deployment;
  const environment = { workspaceId, id: environmentId };
  if ((await tx.one(selectEnvironmentId, environment)) === null) return 'parent_missing';
  await tx.execute(insertDeployment, deployment);
  await tx.execute(updateCurrentDeployment, { id: environmentId, deploymentId: id });
  logChange(tx, 'environment', environmentId);
  return 'created';
}

export async function listDeployments(reader: Reader, workspaceId: string, environmentId: string, page: PageRequest) {
  return paged(await reader.all(selectDeployments, { workspaceId, environmentId, ...pageSlots(page) }), page);
}

export const deploymentChanges = {
  createDeployment: defineChange({
    perform: createDeployment,
    locks: ({ environmentId }) => [environmentId],
    audit: {
      targets: (_, { id, workspaceId, environmentId, origin }) => [
        { workspaceId, target: id, detail: { environmentId, origin } },
      ],
      isMade: isOutcome('created'),
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
};

const DEPLOYMENT = ['id', 'workspaceId', 'environmentId', 'origin', 'createdAt'] as const;

function insertDeployment(db: Tables, p: Deployment) {
  return db.insertInto('deployments').values(pick(p, DEPLOYMENT));
}

function selectDeployments(db: Tables, p: PageSlots & { workspaceId: string; environmentId: string }) {
  return db
    .selectFrom('deployments')
    .where('workspaceId', '=', p.workspaceId)
    .where('environmentId', '=', p.environmentId)
    .where('id', '>=', p.from)
    .orderBy('id')
    .limit(p.rows)
    .select(DEPLOYMENT);
}

function updateCurrentDeployment(db: Tables, p: { id: string; deploymentId: string }) {
  return db.updateTable('environments').where('id', '=', p.id).set({ currentDeploymentId: p.deploymentId });
}
