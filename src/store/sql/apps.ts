import type { App, PageRequest } from '../contract/store.ts';
import { ofTree } from './audit/targets.ts';
import { defineChange, isOutcome } from './change.ts';
import { type PageSlots, paged, pageSlots } from './paging.ts';
import { selectProject, selectProjectId } from './projects.ts';
import type { Reader, Tables, Transaction } from './statement.ts';
import { NO_DOMAINS, NO_SECRET } from './write.ts';

async function createApp(tx: Transaction, app: App) {
  const parent = { workspaceId: app.workspaceId, id: app.projectId };
  if ((await tx.one(selectProjectId, parent)) === null) return 'parent_missing';
  return (await tx.execute(insertApp, app)) > 0 ? 'created' : 'slug_taken';
}

export async function findApp(reader: Reader, workspaceId: string, path: { project: string; app: string }) {
  return reader.one(selectApp, { workspaceId, project: path.project, app: path.app });
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

const appColumns = [
  'apps.id',
  'apps.workspace_id as workspaceId',
  'apps.project_id as projectId',
  'apps.slug',
  'apps.name',
  'apps.created_at as createdAt',
] as const;

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

export function selectApp(db: Tables, p: { workspaceId: string; project: string; app: string }) {
  return selectProject(db, p)
    .clearSelect()
    .innerJoin('apps', 'apps.project_id', 'projects.id')
    .where((of) => of.or([of('apps.id', '=', p.app), of('apps.slug', '=', p.app)]))
    .select(appColumns);
}

export function selectAppId(db: Tables, p: { workspaceId: string; id: string }) {
  return db
    .selectFrom('apps')
    .where('id', '=', p.id)
    .where('workspace_id', '=', p.workspaceId)
    .select(['id', 'slug', 'workspace_id as workspaceId']);
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

function selectEnvironmentOf(db: Tables, p: { id: string }) {
  return db.selectFrom('environments').where('app_id', '=', p.id).select('id').limit(1);
}

function deleteAppRow(db: Tables, p: { id: string }) {
  return db.deleteFrom('apps').where('id', '=', p.id);
}
