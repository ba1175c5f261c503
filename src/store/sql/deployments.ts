import type { Deployment, PageRequest } from '../contract/store.ts';
import { defineChange, isOutcome } from './change.ts';
import { logChange } from './change-log.ts';
import { selectEnvironmentId } from './environments.ts';
import { type PageSlots, paged, pageSlots } from './paging.ts';
import type { Reader, Tables, Transaction } from './statement.ts';
import { NO_DOMAINS, NO_SECRET } from './write.ts';

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

function updateCurrentDeployment(db: Tables, p: { id: string; deploymentId: string }) {
  return db.updateTable('environments').where('id', '=', p.id).set({ current_deployment_id: p.deploymentId });
}
