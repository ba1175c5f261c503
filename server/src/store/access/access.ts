import { type AuditTarget, ofWorkspace } from '../audit/entries.ts';
import { logChange } from '../cache/change-log.ts';
import { deleteTargetsOf } from '../domain/shared-targets.ts';
import { defineChange, isOutcome, isTrue } from '../engine/change.ts';
import { type PageSlots, paged, pageSlots } from '../engine/paging.ts';
import { columnsOf, pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import { NO_DOMAINS, NO_LOCKS, NO_SECRET } from '../engine/write.ts';
import type {
  KeyUse,
  ListedRootKey,
  PageRequest,
  RootKey,
  SigningKey,
  StoredPrincipal,
  Workspace,
  WorkspaceLimits,
} from '../store.ts';
import { deleteWebhook } from '../webhook/webhook-rows.ts';
import { endDashboardSessions } from './dashboard-sessions.ts';

export async function findPrincipal(reader: Reader, keyHash: Uint8Array): Promise<StoredPrincipal | null> {
  const row = await reader.one(selectPrincipal, { hash: keyHash });
  if (row === null) return null;
  const { workspaceName, workspaceDisabledAt, workspaceCreatedAt, limits, ...key } = row;
  const workspace = {
    id: key.workspaceId,
    name: workspaceName,
    disabledAt: workspaceDisabledAt,
    limits,
    createdAt: workspaceCreatedAt,
  };
  return { key: toRootKey(key), workspace: toWorkspace(workspace) };
}

async function createWorkspace(tx: Transaction, workspace: Workspace): Promise<void> {
  await tx.execute(insertWorkspace, { ...workspace, limits: JSON.stringify(workspace.limits) });
}

export async function findWorkspace(reader: Reader, workspaceId: string): Promise<Workspace | null> {
  const row = await reader.one(selectWorkspace, { id: workspaceId });
  return row === null ? null : toWorkspace(row);
}

export async function listWorkspaces(reader: Reader): Promise<Workspace[]> {
  return (await reader.all(selectWorkspaces, {})).map(toWorkspace);
}

async function setWorkspaceDisabled(tx: Transaction, workspaceId: string, disabledAt: number | null) {
  const input = { id: workspaceId, at: disabledAt };
  const found = (await tx.execute(disabledAt === null ? enableWorkspace : disableWorkspace, input)) > 0;
  if (found) logChange(tx, 'workspace', workspaceId);
  return found;
}

async function setWorkspaceLimits(tx: Transaction, workspaceId: string, limits: WorkspaceLimits) {
  const found = (await tx.execute(updateLimits, { id: workspaceId, limits: JSON.stringify(limits) })) > 0;
  if (found) logChange(tx, 'workspace', workspaceId);
  return found;
}

export async function createRootKey(tx: Transaction, key: NewRootKey, keyHash: Uint8Array) {
  if ((await tx.one(selectWorkspaceId, { id: key.workspaceId })) === null) return 'workspace_missing';
  const made = { createdBy: null, ...key, permissions: JSON.stringify(key.permissions), hash: keyHash };
  await tx.execute(insertRootKey, made);
  await logKeyChange(tx, keyHash);
  return 'created';
}

export async function listRootKeys(reader: Reader, workspaceId?: string): Promise<ListedRootKey[]> {
  const rows =
    workspaceId === undefined
      ? await reader.all(selectRootKeys, {})
      : await reader.all(selectRootKeysOfWorkspace, { workspaceId });
  return rows.map((row) => toRootKey(row));
}

export async function findRootKey(reader: Reader, keyId: string): Promise<ListedRootKey | null> {
  const row = await reader.one(selectRootKey, { id: keyId });
  return row === null ? null : toRootKey(row);
}

export async function listKeysOfWorkspace(reader: Reader, workspaceId: string, page: PageRequest) {
  const rows = await reader.all(selectPageOfKeys, { workspaceId, ...pageSlots(page) });
  return paged(
    rows.map((row) => toRootKey(row)),
    page,
  );
}

export async function saveKeyUses(tx: Transaction, uses: readonly KeyUse[]): Promise<void> {
  // In one order, so that two processes do not wait for each other.
  const sorted = uses.toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1));
  for (const use of sorted) await tx.execute(updateLastUsed, use);
}

async function setRootKeyDisabled(tx: Transaction, keyId: string, disabledAt: number | null) {
  const key = await tx.one(selectHash, { id: keyId });
  if (key === null) return false;
  await tx.execute(disabledAt === null ? enableRootKey : disableRootKey, { id: keyId, at: disabledAt });
  await logKeyChange(tx, key.hash);
  return true;
}

export async function revokeRootKey(tx: Transaction, keyId: string) {
  const key = await tx.one(selectHash, { id: keyId });
  if (key === null) return false;
  await tx.execute(deleteRootKey, { id: keyId });
  await logKeyChange(tx, key.hash);
  return true;
}

/** An entry in the workspace of a key: about the key, unless another target is given. */
export async function keyTargets(tx: Transaction, keyId: string, about: Partial<AuditTarget> = {}) {
  const key = await tx.one(selectHash, { id: keyId });
  return key === null ? [] : [{ workspaceId: key.workspaceId, target: keyId, targetName: key.name || null, ...about }];
}

/** A key makes nothing once its revocation has resolved, whatever runs at the same time. */
export const ROOT_KEYS_LOCK = () => ['root keys'];

export const accessChanges = {
  createWorkspace: defineChange({
    perform: createWorkspace,
    locks: NO_LOCKS,
    audit: {
      targets: (_, { id, name }) => [{ workspaceId: id, target: id, targetName: name }],
      isMade: () => true,
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  setWorkspaceDisabled: defineChange({
    perform: setWorkspaceDisabled,
    // Its keys make no workspace any more once this has committed.
    locks: (workspaceId) => [workspaceId, ...ROOT_KEYS_LOCK()],
    audit: { targets: (_, id) => [ofWorkspace(id)], isMade: isTrue },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  setWorkspaceLimits: defineChange({
    perform: setWorkspaceLimits,
    locks: NO_LOCKS,
    audit: { targets: (_, id, limits) => [ofWorkspace(id, { limits })], isMade: isTrue },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  createRootKey: defineChange({
    perform: createRootKey,
    locks: NO_LOCKS,
    audit: {
      targets: (_, { id, workspaceId, name, permissions, expiresAt }) => [
        { workspaceId, target: id, targetName: name || null, detail: { permissions, expiresAt } },
      ],
      isMade: isOutcome('created'),
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  setRootKeyDisabled: defineChange({
    perform: setRootKeyDisabled,
    locks: ROOT_KEYS_LOCK,
    audit: { targets: (tx, id) => keyTargets(tx, id), isMade: isTrue },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  revokeRootKey: defineChange({
    perform: revokeRootKey,
    locks: ROOT_KEYS_LOCK,
    audit: { targets: (tx, id) => keyTargets(tx, id), isMade: isTrue },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
};

/** Logs the change of a key that is there. */
export async function logChangeOfKey(tx: Transaction, keyId: string): Promise<void> {
  const key = await tx.one(selectHash, { id: keyId });
  if (key !== null) await logKeyChange(tx, key.hash);
}

async function logKeyChange(tx: Transaction, hash: Uint8Array): Promise<void> {
  logChange(tx, 'root_key', Buffer.from(hash).toString('hex'));
}

/** `createdBy`: null unless given. */
type NewRootKey = RootKey & { createdBy?: string | null };
type RootKeyRow = Omit<RootKey, 'permissions'> & { permissions: string };

export function toWorkspace(row: Omit<Workspace, 'limits'> & { limits: string }): Workspace {
  return { ...row, limits: JSON.parse(row.limits) };
}

function toRootKey<Row extends RootKeyRow>(row: Row): Omit<Row, 'permissions'> & Pick<RootKey, 'permissions'> {
  return { ...row, permissions: JSON.parse(row.permissions) };
}

const KEY = ['id', 'workspaceId', 'name', 'start', 'permissions', 'expiresAt', 'disabledAt', 'createdAt'] as const;
const LISTED_KEY = [...KEY, 'lastUsedAt', 'createdBy', 'replacedBy'] as const;
const keyColumns = columnsOf('rootKeys', KEY);

function selectPrincipal(db: Tables, p: { hash: Uint8Array }) {
  return db
    .selectFrom('rootKeys')
    .innerJoin('workspaces', 'workspaces.id', 'rootKeys.workspaceId')
    .where('rootKeys.hash', '=', p.hash)
    .select(keyColumns)
    .select([
      'workspaces.name as workspaceName',
      'workspaces.disabledAt as workspaceDisabledAt',
      'workspaces.limits',
      'workspaces.createdAt as workspaceCreatedAt',
    ]);
}

function insertWorkspace(db: Tables, p: Omit<Workspace, 'limits'> & { limits: string }) {
  return db.insertInto('workspaces').values(pick(p, WORKSPACE));
}

export const WORKSPACE = ['id', 'name', 'disabledAt', 'limits', 'createdAt'] as const;

function selectWorkspace(db: Tables, p: { id: string }) {
  return db.selectFrom('workspaces').where('id', '=', p.id).select(WORKSPACE);
}

function selectWorkspaces(db: Tables) {
  return db.selectFrom('workspaces').select(WORKSPACE).orderBy('id');
}

function selectWorkspaceId(db: Tables, p: { id: string }) {
  return db.selectFrom('workspaces').where('id', '=', p.id).select('id');
}

function disableWorkspace(db: Tables, p: { id: string; at: number | null }) {
  return db
    .updateTable('workspaces')
    .where('id', '=', p.id)
    .set((of) => ({ disabledAt: of.fn.coalesce('disabledAt', of.val(p.at)) }));
}

function enableWorkspace(db: Tables, p: { id: string }) {
  return db.updateTable('workspaces').where('id', '=', p.id).set({ disabledAt: null });
}

function updateLimits(db: Tables, p: { id: string; limits: string }) {
  return db.updateTable('workspaces').where('id', '=', p.id).set({ limits: p.limits });
}

function insertRootKey(db: Tables, p: RootKeyRow & { createdBy: string | null; hash: Uint8Array }) {
  return db.insertInto('rootKeys').values(pick(p, [...KEY, 'createdBy', 'hash']));
}

function selectRootKeys(db: Tables) {
  return db.selectFrom('rootKeys').select(LISTED_KEY).orderBy('id');
}

function selectPageOfKeys(db: Tables, p: PageSlots & { workspaceId: string }) {
  return selectRootKeysOfWorkspace(db, p).where('id', '>=', p.from).limit(p.rows);
}

function selectRootKey(db: Tables, p: { id: string }) {
  return db.selectFrom('rootKeys').where('id', '=', p.id).select(LISTED_KEY);
}

function selectRootKeysOfWorkspace(db: Tables, p: { workspaceId: string }) {
  return selectRootKeys(db).where('workspaceId', '=', p.workspaceId);
}

function updateLastUsed(db: Tables, p: KeyUse) {
  return db
    .updateTable('rootKeys')
    .where('id', '=', p.keyId)
    .where((of) => of.or([of('lastUsedAt', 'is', null), of('lastUsedAt', '<', p.at)]))
    .set({ lastUsedAt: p.at });
}

function selectHash(db: Tables, p: { id: string }) {
  return db.selectFrom('rootKeys').where('id', '=', p.id).select(['hash', 'workspaceId', 'name']);
}

function disableRootKey(db: Tables, p: { id: string; at: number | null }) {
  return db
    .updateTable('rootKeys')
    .where('id', '=', p.id)
    .set((of) => ({ disabledAt: of.fn.coalesce('disabledAt', of.val(p.at)) }));
}

function enableRootKey(db: Tables, p: { id: string }) {
  return db.updateTable('rootKeys').where('id', '=', p.id).set({ disabledAt: null });
}

function deleteRootKey(db: Tables, p: { id: string }) {
  return db.deleteFrom('rootKeys').where('id', '=', p.id);
}

export async function findSigningKey(reader: Reader, keyId: string): Promise<SigningKey | null> {
  return reader.one(selectKey, { id: keyId });
}

export async function findCurrentSigningKey(reader: Reader): Promise<SigningKey | null> {
  return reader.one(selectCurrentKey, {});
}

async function replaceSigningKey(
  tx: Transaction,
  before: string | null,
  after: SigningKey,
  deleteRetiredBefore: number,
): Promise<'replaced' | 'stale'> {
  const current = await tx.one(selectCurrentKey, {});
  if ((current?.id ?? null) !== before) return 'stale';
  if (before !== null) await tx.execute(retireKey, { id: before, at: after.createdAt });
  const deleted = await tx.all(selectRetired, { before: deleteRetiredBefore });
  await tx.execute(deleteRetired, { before: deleteRetiredBefore });
  await tx.execute(insertKey, after);
  const changed = new Set([before ?? after.id, after.id, ...deleted.map(({ id }) => id)]);
  for (const id of changed) logChange(tx, 'signing_key', id);
  return 'replaced';
}

export const signingChanges = {
  replaceSigningKey: defineChange({
    perform: replaceSigningKey,
    locks: () => ['signing keys'],
    audit: {
      targets: (_, before, { id }) => [{ workspaceId: null, target: id, detail: { before } }],
      isMade: isOutcome('replaced'),
    },
    secret(seal, before, after, ...rest) {
      const privateKey = seal(after.privateKey, { kind: 'signing_key', id: after.id });
      return [before, { ...after, privateKey }, ...rest];
    },
    invalidates: NO_DOMAINS,
  }),
};

const SIGNING_KEY = ['id', 'publicKey', 'privateKey', 'createdAt', 'retiredAt'] as const;

function selectKey(db: Tables, p: { id: string }) {
  return db.selectFrom('signingKeys').where('id', '=', p.id).select(SIGNING_KEY);
}

function selectCurrentKey(db: Tables) {
  return db.selectFrom('signingKeys').where('retiredAt', 'is', null).select(SIGNING_KEY);
}

function retireKey(db: Tables, p: { id: string; at: number }) {
  return db.updateTable('signingKeys').where('id', '=', p.id).set({ retiredAt: p.at });
}

function selectRetired(db: Tables, p: { before: number }) {
  return db.selectFrom('signingKeys').where('retiredAt', '<', p.before).select('id');
}

function deleteRetired(db: Tables, p: { before: number }) {
  return db.deleteFrom('signingKeys').where('retiredAt', '<', p.before);
}

function insertKey(db: Tables, p: SigningKey) {
  return db.insertInto('signingKeys').values(pick(p, SIGNING_KEY));
}

async function deleteWorkspace(tx: Transaction, workspaceId: string) {
  if ((await tx.one(selectWorkspaceId, { id: workspaceId })) === null) return 'missing';
  if ((await tx.one(selectProjectOf, { workspaceId })) !== null) return 'not_empty';
  for (const { id } of await tx.all(selectKeysOf, { workspaceId })) await revokeRootKey(tx, id);
  for (const { id } of await tx.all(selectWebhooksOf, { workspaceId })) await deleteWebhook(tx, workspaceId, id);
  await endDashboardSessions(tx, workspaceId, null);
  await tx.execute(deleteOrigins, { workspaceId });
  await tx.execute(deletePage, { workspaceId });
  await tx.execute(deleteTargetsOf, { workspaceId });
  await tx.execute(deleteWorkspaceRow, { workspaceId });
  logChange(tx, 'workspace', workspaceId);
  return 'deleted';
}

export const workspaceChanges = {
  deleteWorkspace: defineChange({
    perform: deleteWorkspace,
    // Foreign keys keep away all that refers to it, but for a workspace that one of its keys makes.
    locks: (workspaceId) => [workspaceId, ...ROOT_KEYS_LOCK()],
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

function selectProjectOf(db: Tables, p: { workspaceId: string }) {
  return db.selectFrom('projects').where('workspaceId', '=', p.workspaceId).select('id').limit(1);
}

function selectKeysOf(db: Tables, p: { workspaceId: string }) {
  return db.selectFrom('rootKeys').where('workspaceId', '=', p.workspaceId).select('id');
}

function selectWebhooksOf(db: Tables, p: { workspaceId: string }) {
  return db.selectFrom('webhooks').where('workspaceId', '=', p.workspaceId).select('id');
}

function deleteOrigins(db: Tables, p: { workspaceId: string }) {
  return db.deleteFrom('setupOrigins').where('workspaceId', '=', p.workspaceId);
}

function deletePage(db: Tables, p: { workspaceId: string }) {
  return db.deleteFrom('setupPages').where('workspaceId', '=', p.workspaceId);
}

function deleteWorkspaceRow(db: Tables, p: { workspaceId: string }) {
  return db.deleteFrom('workspaces').where('id', '=', p.workspaceId);
}
