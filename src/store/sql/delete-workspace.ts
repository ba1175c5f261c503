import { ofWorkspace } from './audit/targets.ts';
import { defineChange, isOutcome } from './change.ts';
import { logChange } from './change-log.ts';
import { findWorkspace, revokeRootKey } from './root-keys.ts';
import type { Tables, Transaction } from './statement.ts';
import { deleteWebhook } from './webhooks/webhook-rows.ts';
import { NO_DOMAINS, NO_SECRET } from './write.ts';

async function deleteWorkspace(tx: Transaction, workspaceId: string) {
  if ((await tx.one(selectWorkspaceId, { workspaceId })) === null) return 'missing';
  if ((await tx.one(selectProjectOf, { workspaceId })) !== null) return 'not_empty';
  for (const { id } of await tx.all(selectKeysOf, { workspaceId })) await revokeRootKey(tx, id);
  for (const { id } of await tx.all(selectWebhooksOf, { workspaceId })) await deleteWebhook(tx, workspaceId, id);
  await tx.execute(deleteOrigins, { workspaceId });
  await tx.execute(deletePage, { workspaceId });
  await tx.execute(deleteRow, { workspaceId });
  logChange(tx, 'workspace', workspaceId);
  return 'deleted';
}

export const workspaceChanges = {
  deleteWorkspace: defineChange({
    perform: deleteWorkspace,
    // What refers to it is kept away by foreign keys.
    locks: (workspaceId) => [workspaceId],
    audit: {
      async targets(tx, id) {
        const found = await findWorkspace(tx, id);
        return found === null ? [] : [{ ...ofWorkspace(id), targetName: found.name }];
      },
      isMade: isOutcome('deleted'),
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
};

function selectWorkspaceId(db: Tables, p: { workspaceId: string }) {
  return db.selectFrom('workspaces').where('id', '=', p.workspaceId).select('id');
}

function selectProjectOf(db: Tables, p: { workspaceId: string }) {
  return db.selectFrom('projects').where('workspace_id', '=', p.workspaceId).select('id').limit(1);
}

function selectKeysOf(db: Tables, p: { workspaceId: string }) {
  return db.selectFrom('root_keys').where('workspace_id', '=', p.workspaceId).select('id');
}

function selectWebhooksOf(db: Tables, p: { workspaceId: string }) {
  return db.selectFrom('webhooks').where('workspace_id', '=', p.workspaceId).select('id');
}

function deleteOrigins(db: Tables, p: { workspaceId: string }) {
  return db.deleteFrom('setup_origins').where('workspace_id', '=', p.workspaceId);
}

function deletePage(db: Tables, p: { workspaceId: string }) {
  return db.deleteFrom('setup_pages').where('workspace_id', '=', p.workspaceId);
}

function deleteRow(db: Tables, p: { workspaceId: string }) {
  return db.deleteFrom('workspaces').where('id', '=', p.workspaceId);
}
