import type { Domain } from '../../domain/domain.ts';
import {
  patchSettings,
  type SiteSettings,
  type SiteSettingsPatch,
  type TlsVersion,
} from '../../domain/site-settings.ts';
import type { Reader, Tables, Transaction } from '../engine/statement.ts';
import { logRedirect } from './redirect-rows.ts';

export async function findSettings(reader: Reader, domainId: string): Promise<SiteSettings | null> {
  const row = await reader.one(selectSettings, { domainId });
  return row && siteSettingsOf(row);
}

/** Sets and removes settings of a domain whose row is locked, and logs the change of its site. False: they were so already. */
export async function changeSettings(
  tx: Transaction,
  domain: Pick<Domain, 'id' | 'name' | 'status'>,
  patch: SiteSettingsPatch,
): Promise<boolean> {
  const before = await findSettings(tx, domain.id);
  const after = patchSettings(before, patch);
  if (JSON.stringify(rowOf(domain.id, before)) === JSON.stringify(rowOf(domain.id, after))) return false;
  await putSettings(tx, domain.id, after);
  await logRedirect(tx, domain);
  return true;
}

export async function putSettings(tx: Transaction, domainId: string, settings: SiteSettings | null): Promise<void> {
  if (settings === null) await tx.execute(deleteSettings, { domainId });
  else await tx.execute(upsertSettings, rowOf(domainId, settings));
}

/** To be joined as `siteSettings`. */
export const settingsColumns = [
  'siteSettings.origin as ownOrigin',
  'siteSettings.hsts',
  'siteSettings.minTlsVersion',
  'siteSettings.redirectToHttps',
] as const;

export interface SettingsRow {
  ownOrigin: string | null;
  hsts: string | null;
  minTlsVersion: TlsVersion | null;
  redirectToHttps: number | null;
}

/** Null: none is set. */
export function siteSettingsOf({ ownOrigin, hsts, minTlsVersion, redirectToHttps }: SettingsRow): SiteSettings | null {
  return patchSettings(null, {
    origin: ownOrigin,
    hsts: hsts && JSON.parse(hsts),
    minTlsVersion,
    redirectToHttps: redirectToHttps === null ? null : redirectToHttps === 1,
  });
}

function rowOf(domainId: string, settings: SiteSettings | null): SettingsRow & { domainId: string } {
  const { origin = null, hsts, minTlsVersion = null, redirectToHttps } = settings ?? {};
  return {
    domainId,
    ownOrigin: origin,
    hsts: hsts === undefined ? null : JSON.stringify(hsts),
    minTlsVersion,
    redirectToHttps: redirectToHttps === undefined ? null : Number(redirectToHttps),
  };
}

function selectSettings(db: Tables, p: { domainId: string }) {
  return db.selectFrom('siteSettings').where('domainId', '=', p.domainId).select(settingsColumns);
}

function upsertSettings(db: Tables, p: SettingsRow & { domainId: string }) {
  const { ownOrigin: origin, hsts, minTlsVersion, redirectToHttps } = p;
  const settings = { origin, hsts, minTlsVersion, redirectToHttps };
  return db
    .insertInto('siteSettings')
    .values({ domainId: p.domainId, ...settings })
    .onConflict((on) => on.column('domainId').doUpdateSet(settings));
}

function deleteSettings(db: Tables, p: { domainId: string }) {
  return db.deleteFrom('siteSettings').where('domainId', '=', p.domainId);
}
