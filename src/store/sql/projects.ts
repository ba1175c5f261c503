import type { PageRequest, Project } from '../contract/store.ts';
import { ofTree } from './audit/targets.ts';
import { defineChange, isOutcome } from './change.ts';
import { type PageSlots, paged, pageSlots } from './paging.ts';
import type { Reader, Tables, Transaction } from './statement.ts';
import { NO_DOMAINS, NO_LOCKS, NO_SECRET } from './write.ts';

async function createProject(tx: Transaction, project: Project) {
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

const projectColumns = [
  'projects.id',
  'projects.workspace_id as workspaceId',
  'projects.slug',
  'projects.name',
  'projects.created_at as createdAt',
] as const;

function insertProject(db: Tables, p: Project) {
  return db
    .insertInto('projects')
    .values({ id: p.id, workspace_id: p.workspaceId, slug: p.slug, name: p.name, created_at: p.createdAt })
    .onConflict((on) => on.columns(['workspace_id', 'slug']).doNothing());
}

export function selectProject(db: Tables, p: { workspaceId: string; project: string }) {
  return db
    .selectFrom('projects')
    .where('projects.workspace_id', '=', p.workspaceId)
    .where((of) => of.or([of('projects.id', '=', p.project), of('projects.slug', '=', p.project)]))
    .select(projectColumns);
}

export function selectProjectId(db: Tables, p: { workspaceId: string; id: string }) {
  return db
    .selectFrom('projects')
    .where('id', '=', p.id)
    .where('workspace_id', '=', p.workspaceId)
    .select(['id', 'slug', 'workspace_id as workspaceId']);
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

function selectAppOf(db: Tables, p: { id: string }) {
  return db.selectFrom('apps').where('project_id', '=', p.id).select('id').limit(1);
}

function deleteProjectRow(db: Tables, p: { id: string }) {
  return db.deleteFrom('projects').where('id', '=', p.id);
}
