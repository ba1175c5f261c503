import type { SetupPage } from '../contract/store.ts';
import { ofWorkspace } from './audit/targets.ts';
import { defineChange, isFound } from './change.ts';
import { logChange } from './change-log.ts';
import { findWorkspace } from './root-keys.ts';
import type { Reader, Tables, Transaction } from './statement.ts';
import { NO_DOMAINS, NO_SECRET } from './write.ts';

export async function findSetupPage(reader: Reader, workspaceId: string): Promise<SetupPage> {
  const row = await reader.one(selectPage, { workspaceId });
  return row === null ? { brand: {}, origins: [] } : { brand: JSON.parse(row.brand), origins: JSON.parse(row.origins) };
}

async function saveSetupPage(
  tx: Transaction,
  workspaceId: string,
  change: Partial<SetupPage>,
): Promise<SetupPage | null> {
  if ((await findWorkspace(tx, workspaceId)) === null) return null;
  const before = await findSetupPage(tx, workspaceId);
  const after = { brand: change.brand ?? before.brand, origins: [...new Set(change.origins ?? before.origins)] };
  const row = { workspaceId, brand: JSON.stringify(after.brand), origins: JSON.stringify(after.origins) };
  await tx.execute(upsertPage, row);
  if (change.origins !== undefined) {
    await tx.execute(deleteOrigins, { workspaceId });
    for (const origin of after.origins) await tx.execute(insertOrigin, { workspaceId, origin });
  }
  logChange(tx, 'workspace', workspaceId);
  return after;
}

export async function isSetupOrigin(reader: Reader, origin: string): Promise<boolean> {
  return (await reader.one(selectOrigin, { origin })) !== null;
}

export const setupPageChanges = {
  saveSetupPage: defineChange({
    perform: saveSetupPage,
    locks: (workspaceId) => [workspaceId],
    audit: { targets: (_, id, change) => [ofWorkspace(id, { changed: Object.keys(change) })], isMade: isFound },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
};

function selectPage(db: Tables, p: { workspaceId: string }) {
  return db.selectFrom('setup_pages').where('workspace_id', '=', p.workspaceId).select(['brand', 'origins']);
}

function upsertPage(db: Tables, p: { workspaceId: string; brand: string; origins: string }) {
  return db
    .insertInto('setup_pages')
    .values({ workspace_id: p.workspaceId, brand: p.brand, origins: p.origins })
    .onConflict((on) => on.column('workspace_id').doUpdateSet({ brand: p.brand, origins: p.origins }));
}

function deleteOrigins(db: Tables, p: { workspaceId: string }) {
  return db.deleteFrom('setup_origins').where('workspace_id', '=', p.workspaceId);
}

function insertOrigin(db: Tables, p: { workspaceId: string; origin: string }) {
  return db.insertInto('setup_origins').values({ origin: p.origin, workspace_id: p.workspaceId });
}

function selectOrigin(db: Tables, p: { origin: string }) {
  return db.selectFrom('setup_origins').where('origin', '=', p.origin).limit(1).select('origin');
}
