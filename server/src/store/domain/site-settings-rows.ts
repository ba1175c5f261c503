import { isDeepStrictEqual } from 'node:util';
import type { Domain } from '../../domain/domain.ts';
import { patchSettings, type SiteSettings, type SiteSettingsPatch } from '../../domain/site-settings.ts';
import type { Reader, Tables, Transaction } from '../engine/statement.ts';
import { logRedirect } from './redirect-rows.ts';

export async function findSettings(reader: Reader, domainId: string): Promise<SiteSettings | null> {
  const row = await reader.one(selectSettings, { domainId });
  return row && JSON.parse(row.settings);
}

/** Sets and removes settings of a domain whose row is locked, and logs the change of its site. False: they were so already. */
export async function changeSettings(
  tx: Transaction,
  domain: Pick<Domain, 'id' | 'name' | 'status'>,
  patch: SiteSettingsPatch,
): Promise<boolean> {
  const before = await findSettings(tx, domain.id);
  const after = patchSettings(before, patch);
  if (isDeepStrictEqual(before, after)) return false;
  await putSettings(tx, domain.id, after);
  await logRedirect(tx, domain);
  return true;
}

export async function putSettings(tx: Transaction, domainId: string, settings: SiteSettings | null): Promise<void> {
  if (settings === null) await tx.execute(deleteSettings, { domainId });
  else await tx.execute(upsertSettings, { domainId, settings: JSON.stringify(settings) });
}

function selectSettings(db: Tables, p: { domainId: string }) {
  return db.selectFrom('siteSettings').where('domainId', '=', p.domainId).select('settings');
}

function upsertSettings(db: Tables, p: { domainId: string; settings: string }) {
  return db
    .insertInto('siteSettings')
    .values({ domainId: p.domainId, settings: p.settings })
    .onConflict((on) => on.column('domainId').doUpdateSet({ settings: p.settings }));
}

function deleteSettings(db: Tables, p: { domainId: string }) {
  return db.deleteFrom('siteSettings').where('domainId', '=', p.domainId);
}
