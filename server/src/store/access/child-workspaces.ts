import { logChange } from '../cache/change-log.ts';
import { defineChange, isOutcome } from '../engine/change.ts';
import { type PageSlots, paged, pageSlots } from '../engine/paging.ts';
import type { Reader, Tables, Transaction } from '../engine/statement.ts';
import { NO_DOMAINS, NO_SECRET } from '../engine/write.ts';
import type { MadeKey, MadeWorkspace, PageRequest } from '../store.ts';
import { createApp, createEnvironment, createProject } from '../tree/tree.ts';
import { createRootKey, ROOT_KEYS_LOCK, toWorkspace, WORKSPACE } from './access.ts';
import { findMaker, ofKey } from './made-keys.ts';

// Workspaces that keys make. The workspace of such a key is the parent: it lists and disables them, and no more.

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

export async function findChildWorkspace(reader: Reader, parentId: string, workspaceId: string) {
  const row = await reader.one(selectChild, { parentId, id: workspaceId });
  return row === null ? null : toWorkspace(row);
}

export async function listChildWorkspaces(reader: Reader, parentId: string, page: PageRequest) {
  const rows = await reader.all(selectChildren, { parentId, ...pageSlots(page) });
  return paged(rows.map(toWorkspace), page);
}

async function setChildDisabled(tx: Transaction, parentId: string, workspaceId: string, disabledAt: number | null) {
  const child = await tx.one(selectSwitch, { parentId, id: workspaceId });
  if (child === null) return 'missing';
  if (child.disabledAt !== null && child.disabledByParent === null) return 'operator';
  // Disabling twice keeps the first time.
  const at = disabledAt && (child.disabledAt ?? disabledAt);
  await tx.execute(switchChild, { id: workspaceId, disabledAt: at, disabledByParent: at && 1 });
  logChange(tx, 'workspace', workspaceId);
  return 'changed';
}

export const childWorkspaceChanges = {
  createChildWorkspace: defineChange({
    perform: createChildWorkspace,
    locks: ROOT_KEYS_LOCK,
    audit: {
      targets: (tx, makerId, { id, name }, { id: keyId, permissions, expiresAt }) =>
        ofKey(tx, makerId, { target: id, targetName: name, detail: { keyId, permissions, expiresAt } }),
      isMade: isOutcome('created'),
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  setChildDisabled: defineChange({
    perform: setChildDisabled,
    locks: (_, workspaceId) => [workspaceId],
    audit: {
      async targets(tx, parentId, id) {
        const child = await findChildWorkspace(tx, parentId, id);
        return child === null ? [] : [{ workspaceId: parentId, target: id, targetName: child.name }];
      },
      isMade: isOutcome('changed'),
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
};

function insertChild(db: Tables, p: { id: string; name: string; limits: string; createdAt: number; parentId: string }) {
  const { id, name, limits, createdAt, parentId } = p;
  return db.insertInto('workspaces').values({ id, name, limits, createdAt, parentId });
}

function selectChild(db: Tables, p: { parentId: string; id: string }) {
  return db.selectFrom('workspaces').where('id', '=', p.id).where('parentId', '=', p.parentId).select(WORKSPACE);
}

function selectSwitch(db: Tables, p: { parentId: string; id: string }) {
  return selectChild(db, p).clearSelect().select(['disabledAt', 'disabledByParent']);
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

function switchChild(db: Tables, p: { id: string; disabledAt: number | null; disabledByParent: number | null }) {
  return db
    .updateTable('workspaces')
    .where('id', '=', p.id)
    .set({ disabledAt: p.disabledAt, disabledByParent: p.disabledByParent });
}
