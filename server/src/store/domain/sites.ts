import type { InferResult } from 'kysely';
import { hstsField } from '../../domain/site-settings.ts';
import type { Reader, Tables } from '../engine/statement.ts';
import type { AppliedSettings, Origin, OriginSettings, ServedCertificate, Site } from './edge-store.ts';
import { type SettingsRow, settingsColumns, siteSettingsOf } from './site-settings-rows.ts';
import { suspensionColumns, suspensionOf } from './suspensions.ts';

export async function findSite(reader: Reader, hostname: string): Promise<Site | null> {
  const row = await reader.one(selectSite, { hostname });
  if (row === null) return null;
  const { workspaceId, domainId, environmentId, destination, destinationId, status, externalId, usageNumber } = row;
  return {
    hostname,
    workspaceId,
    domainId,
    environmentId,
    usageNumber: usageNumber ?? 0,
    origin: originOf(row),
    ...(externalId !== null && { externalId }),
    certificate: certificateOf(row),
    redirect:
      destination === null || destinationId === null || status === null
        ? null
        : { hostname: destination, domainId: destinationId, status },
    suspendedStatus: suspensionOf(row)?.status ?? null,
    settings: appliedSettings(row),
  };
}

function appliedSettings(row: SettingsRow): AppliedSettings | null {
  const settings = siteSettingsOf(row);
  if (settings === null) return null;
  const { origin = null, hsts, minTlsVersion = '1.2', redirectToHttps = true } = settings;
  return { origin, hsts: hsts === undefined ? null : hstsField(hsts), minTlsVersion, redirectToHttps };
}

/** The domain's own, or else the one that it inherited in a takeover. */
function certificateOf(row: SiteRow): ServedCertificate | null {
  const { chain, privateKey, notAfter, inheritedChain, inheritedKey, inheritedNotAfter } = row;
  if (chain !== null && privateKey !== null && notAfter !== null) {
    return { chain, privateKey, notAfter, inherited: false };
  }
  if (inheritedChain === null || inheritedKey === null || inheritedNotAfter === null) return null;
  return { chain: inheritedChain, privateKey: inheritedKey, notAfter: inheritedNotAfter, inherited: true };
}

export async function findOrigin(reader: Reader, environmentId: string): Promise<Origin | null> {
  const row = await reader.one(selectOrigin, { environmentId });
  return row && originOf(row);
}

type OriginRow = Pick<SiteRow, keyof InferResult<ReturnType<typeof selectOrigin>>[number]>;

function originOf(row: OriginRow): Origin | null {
  const { deploymentId, origin, sendsExternalId } = row;
  if (deploymentId === null || origin === null) return null;
  return { deploymentId, origin, ...(sendsExternalId === 1 && { sendsExternalId: true }), settings: settingsOf(row) };
}

function settingsOf(row: OriginRow): OriginSettings | null {
  const { hostHeader, caCertificate, clientCertificate, clientKey, secret, previousSecret, previousExpiresAt } = row;
  if (hostHeader === null && caCertificate === null && clientCertificate === null && secret === null) return null;
  return {
    hostHeader: hostHeader ?? 'visitor',
    caCertificate,
    clientCertificate:
      clientCertificate === null || clientKey === null ? null : { chain: clientCertificate, privateKey: clientKey },
    secret:
      secret === null
        ? null
        : {
            current: secret,
            previous: previousSecret,
            previousExpiresAt: previousSecret === null ? null : previousExpiresAt,
          },
  };
}

type SiteRow = InferResult<ReturnType<typeof selectSite>>[number];

const SETTINGS = [
  'originSettings.hostHeader',
  'originSettings.caCertificate',
  'originSettings.clientCertificate',
  'originSettings.clientKey',
  'originSettings.secret',
  'originSettings.previousSecret',
  'originSettings.previousExpiresAt',
] as const;

/** A site leads to the current deployment of its environment, and has a certificate once one was issued. */
function selectSite(db: Tables, p: { hostname: string }) {
  return db
    .selectFrom('routes')
    .innerJoin('domains', 'domains.id', 'routes.domainId')
    .innerJoin('workspaces', 'workspaces.id', 'domains.workspaceId')
    .leftJoin('suspensions', 'suspensions.domainId', 'routes.domainId')
    .leftJoin('siteSettings', 'siteSettings.domainId', 'routes.domainId')
    .leftJoin('usageDomains', 'usageDomains.domainId', 'routes.domainId')
    .leftJoin('environments', 'environments.id', 'routes.environmentId')
    .leftJoin('deployments', 'deployments.id', 'environments.currentDeploymentId')
    .leftJoin('originSettings', 'originSettings.environmentId', 'routes.environmentId')
    .leftJoin('servedCertificates', 'servedCertificates.hostname', 'routes.hostname')
    .leftJoin('inheritedCertificates as inherited', 'inherited.hostname', 'routes.hostname')
    .leftJoin('redirects', 'redirects.domainId', 'routes.domainId')
    .leftJoin('routes as destinations', 'destinations.domainId', 'redirects.destinationId')
    .where('routes.hostname', '=', p.hostname)
    .select([
      'domains.workspaceId',
      'routes.domainId',
      'routes.environmentId',
      'deployments.id as deploymentId',
      'deployments.origin',
      'deployments.sendsExternalId',
      'domains.externalId',
      'usageDomains.seq as usageNumber',
      'servedCertificates.chain',
      'servedCertificates.privateKey',
      'servedCertificates.notAfter',
      'inherited.chain as inheritedChain',
      'inherited.privateKey as inheritedKey',
      'inherited.notAfter as inheritedNotAfter',
      'destinations.hostname as destination',
      'destinations.domainId as destinationId',
      'redirects.status',
    ])
    .select(SETTINGS)
    .select(suspensionColumns)
    .select(settingsColumns);
}

function selectOrigin(db: Tables, p: { environmentId: string }) {
  return db
    .selectFrom('environments')
    .innerJoin('deployments', 'deployments.id', 'environments.currentDeploymentId')
    .leftJoin('originSettings', 'originSettings.environmentId', 'environments.id')
    .where('environments.id', '=', p.environmentId)
    .select(['deployments.id as deploymentId', 'deployments.origin', 'deployments.sendsExternalId'])
    .select(SETTINGS);
}
