import { defineChange, isOutcome } from '../engine/change.ts';
import { type PageSlots, paged, pageSlots } from '../engine/paging.ts';
import type { Reader, Tables, Transaction } from '../engine/statement.ts';
import { NO_DOMAINS, NO_SECRET } from '../engine/write.ts';
import type { MadeKey, MadeWorkspace, PageRequest } from '../store.ts';
import { createApp, createEnvironment, createProject } from '../tree/tree.ts';
import { createRootKey, keyTargets, ROOT_KEYS_LOCK, toWorkspace, WORKSPACE } from './access.ts';
import { findMaker } from './made-keys.ts';

// Workspaces that keys make. The workspace of such a key is the parent: it lists them, and no more.

async function createChildWorkspace(
  tx: Transaction,
  makerId: string,
  { id, name, tree, createdAt }: MadeWorkspace,
  key: MadeKey,
  keyHash: Uint8Array,
) {
  const maker = await findMaker(tx, makerId, { at: createdAt, expiresAt: key.expiresAt });
  if (typeof maker === 'string') return maker;
  const { workspaceId: parentId, limits } = maker;
  await tx.execute(insertChild, { id, name, limits, createdAt, parentId });
  await createProject(tx, tree.project);
  await createApp(tx, tree.app);
  await createEnvironment(tx, tree.environment);
  await createRootKey(tx, { ...key, workspaceId: id, disabledAt: null }, keyHash);
  return 'created';
}

export async function listChildWorkspaces(reader: Reader, parentId: string, page: PageRequest) {
  const rows = await reader.all(selectChildren, { parentId, ...pageSlots(page) });
  return paged(rows.map(toWorkspace), page);
}

export const childWorkspaceChanges = {
  createChildWorkspace: defineChange({
    perform: createChildWorkspace,
    locks: ROOT_KEYS_LOCK,
    audit: {
      targets: (tx, makerId, { id, name }, { id: keyId, permissions, expiresAt }) =>
        keyTargets(tx, makerId, { target: id, targetName: name, detail: { keyId, permissions, expiresAt } }),
      isMade: isOutcome('created'),
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
};

function insertChild(db: Tables, p: { id: string; name: string; limits: string; createdAt: number; parentId: string }) {
  const { id, name, limits, createdAt, parentId } = p;
  return db.insertInto('workspaces').values({ id, name, limits, createdAt, parentId });
}

function selectChildren(db: Tables, p: PageSlots & { parentId: string }) {
  return db
    .selectFrom('workspaces')
    .where('parentId', '=', p.parentId)
    .where('id', '>=', p.from)
    .orderBy('id')
    .limit(p.rows)
    .select(WORKSPACE);
}
