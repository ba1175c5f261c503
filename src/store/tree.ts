import { announce } from './news.ts';
import { type PageSlots, paged, pageSlots } from './paging.ts';
import type { Reading, Tables, Writing } from './query.ts';
import type { App, Deployment, Environment, Page, Project } from './store.ts';

export async function createProject(run: Writing, project: Project) {
  return (await run.change(insertProject, project)) > 0 ? 'created' : 'slug_taken';
}

export async function findProject(run: Reading, workspaceId: string, project: string) {
  return run.one(selectProject, { workspaceId, project });
}

export async function listProjects(run: Reading, workspaceId: string, page: Page) {
  return paged(await run.all(selectProjects, { workspaceId, ...pageSlots(page) }), page);
}

export async function deleteProject(run: Writing, workspaceId: string, projectId: string) {
  const project = { workspaceId, id: projectId };
  if ((await run.one(selectProjectId, project)) === null) return 'missing';
  if ((await run.one(selectAppOf, project)) !== null) return 'not_empty';
  await run.change(deleteProjectRow, project);
  return 'deleted';
}

export async function createApp(run: Writing, app: App) {
  const parent = { workspaceId: app.workspaceId, id: app.projectId };
  if ((await run.one(selectProjectId, parent)) === null) return 'parent_missing';
  return (await run.change(insertApp, app)) > 0 ? 'created' : 'slug_taken';
}

export async function findApp(run: Reading, workspaceId: string, path: { project: string; app: string }) {
  return run.one(selectApp, { workspaceId, project: path.project, app: path.app });
}

export async function listApps(run: Reading, workspaceId: string, projectId: string, page: Page) {
  return paged(await run.all(selectApps, { workspaceId, projectId, ...pageSlots(page) }), page);
}

export async function deleteApp(run: Writing, workspaceId: string, appId: string) {
  const app = { workspaceId, id: appId };
  if ((await run.one(selectAppId, app)) === null) return 'missing';
  if ((await run.one(selectEnvironmentOf, app)) !== null) return 'not_empty';
  await run.change(deleteAppRow, app);
  return 'deleted';
}

export async function createEnvironment(run: Writing, environment: Environment) {
  const parent = { workspaceId: environment.workspaceId, id: environment.appId };
  if ((await run.one(selectAppId, parent)) === null) return 'parent_missing';
  return (await run.change(insertEnvironment, environment)) > 0 ? 'created' : 'slug_taken';
}

export async function findEnvironment(
  run: Reading,
  workspaceId: string,
  path: { project: string; app: string; environment: string },
) {
  return run.one(selectEnvironment, {
    workspaceId,
    project: path.project,
    app: path.app,
    environment: path.environment,
  });
}

export async function listEnvironments(run: Reading, workspaceId: string, appId: string, page: Page) {
  return paged(await run.all(selectEnvironments, { workspaceId, appId, ...pageSlots(page) }), page);
}

export async function deleteEnvironment(run: Writing, workspaceId: string, environmentId: string) {
  const environment = { workspaceId, id: environmentId };
  if ((await run.one(selectEnvironmentId, environment)) === null) return 'missing';
  if ((await run.one(selectDomainOf, environment)) !== null) return 'not_empty';
  await run.change(deleteDeploymentsOf, environment);
  await run.change(deleteEnvironmentRow, environment);
  return 'deleted';
}

export async function createDeployment(run: Writing, deployment: Deployment) {
  const { id, environmentId, workspaceId } = deployment;
  const environment = { workspaceId, id: environmentId };
  if ((await run.one(selectEnvironmentId, environment)) === null) return 'parent_missing';
  await run.change(insertDeployment, deployment);
  await run.change(updateCurrentDeployment, { id: environmentId, deploymentId: id });
  await announce(run, 'environment', environmentId);
  return 'created';
}

export async function listDeployments(run: Reading, workspaceId: string, environmentId: string, page: Page) {
  return paged(await run.all(selectDeployments, { workspaceId, environmentId, ...pageSlots(page) }), page);
}

/** One row of a workspace, by its id. */
interface Place {
  workspaceId: string;
  id: string;
}

const projectColumns = [
  'projects.id',
  'projects.workspace_id as workspaceId',
  'projects.slug',
  'projects.name',
  'projects.created_at as createdAt',
] as const;

const appColumns = [
  'apps.id',
  'apps.workspace_id as workspaceId',
  'apps.project_id as projectId',
  'apps.slug',
  'apps.name',
  'apps.created_at as createdAt',
] as const;

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

function insertProject(db: Tables, p: Project) {
  return db
    .insertInto('projects')
    .values({ id: p.id, workspace_id: p.workspaceId, slug: p.slug, name: p.name, created_at: p.createdAt })
    .onConflict((on) => on.columns(['workspace_id', 'slug']).doNothing());
}

function selectProject(db: Tables, p: { workspaceId: string; project: string }) {
  return db
    .selectFrom('projects')
    .where('projects.workspace_id', '=', p.workspaceId)
    .where((of) => of.or([of('projects.id', '=', p.project), of('projects.slug', '=', p.project)]))
    .select(projectColumns);
}

function selectProjectId(db: Tables, p: Place) {
  return db.selectFrom('projects').where('id', '=', p.id).where('workspace_id', '=', p.workspaceId).select('id');
}

function selectProjects(db: Tables, p: PageSlots & { workspaceId: string }) {
  return db
    .selectFrom('projects')
    .where('workspace_id', '=', p.workspaceId)
    .where('id', '>=', p.from)
    .orderBy('id')
    .limit(p.rows)
    .select(projectColumns);
}

function deleteProjectRow(db: Tables, p: Place) {
  return db.deleteFrom('projects').where('id', '=', p.id);
}

function insertApp(db: Tables, p: App) {
  return db
    .insertInto('apps')
    .values({
      id: p.id,
      workspace_id: p.workspaceId,
      project_id: p.projectId,
      slug: p.slug,
      name: p.name,
      created_at: p.createdAt,
    })
    .onConflict((on) => on.columns(['project_id', 'slug']).doNothing());
}

function selectApp(db: Tables, p: { workspaceId: string; project: string; app: string }) {
  return selectProject(db, p)
    .clearSelect()
    .innerJoin('apps', 'apps.project_id', 'projects.id')
    .where((of) => of.or([of('apps.id', '=', p.app), of('apps.slug', '=', p.app)]))
    .select(appColumns);
}

function selectAppId(db: Tables, p: Place) {
  return db.selectFrom('apps').where('id', '=', p.id).where('workspace_id', '=', p.workspaceId).select('id');
}

function selectAppOf(db: Tables, p: Place) {
  return db.selectFrom('apps').where('project_id', '=', p.id).select('id').limit(1);
}

function selectApps(db: Tables, p: PageSlots & { workspaceId: string; projectId: string }) {
  return db
    .selectFrom('apps')
    .where('workspace_id', '=', p.workspaceId)
    .where('project_id', '=', p.projectId)
    .where('id', '>=', p.from)
    .orderBy('id')
    .limit(p.rows)
    .select(appColumns);
}

function deleteAppRow(db: Tables, p: Place) {
  return db.deleteFrom('apps').where('id', '=', p.id);
}

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

function selectEnvironmentId(db: Tables, p: Place) {
  return db.selectFrom('environments').where('id', '=', p.id).where('workspace_id', '=', p.workspaceId).select('id');
}

function selectEnvironmentOf(db: Tables, p: Place) {
  return db.selectFrom('environments').where('app_id', '=', p.id).select('id').limit(1);
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

function updateCurrentDeployment(db: Tables, p: { id: string; deploymentId: string }) {
  return db.updateTable('environments').where('id', '=', p.id).set({ current_deployment_id: p.deploymentId });
}

function selectDomainOf(db: Tables, p: Place) {
  return db.selectFrom('domains').where('environment_id', '=', p.id).select('id').limit(1);
}

function deleteEnvironmentRow(db: Tables, p: Place) {
  return db.deleteFrom('environments').where('id', '=', p.id);
}

function insertDeployment(db: Tables, p: Deployment) {
  return db.insertInto('deployments').values({
    id: p.id,
    workspace_id: p.workspaceId,
    environment_id: p.environmentId,
    origin: p.origin,
    created_at: p.createdAt,
  });
}

function selectDeployments(db: Tables, p: PageSlots & { workspaceId: string; environmentId: string }) {
  return db
    .selectFrom('deployments')
    .where('workspace_id', '=', p.workspaceId)
    .where('environment_id', '=', p.environmentId)
    .where('id', '>=', p.from)
    .orderBy('id')
    .limit(p.rows)
    .select([
      'id',
      'workspace_id as workspaceId',
      'environment_id as environmentId',
      'origin',
      'created_at as createdAt',
    ]);
}

function deleteDeploymentsOf(db: Tables, p: Place) {
  return db.deleteFrom('deployments').where('environment_id', '=', p.id);
}
