import { type InferResult, sql } from 'kysely';
import { columnsOf, pick, type Reader, type Tables } from '../engine/statement.ts';
import type { Origin, OriginSettings, ServedCertificate, Site } from './edge-store.ts';
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
    ...(row.domainStatus !== 'verified' && { isPrepared: true as const }),
    certificate: certificateOf(row),
    redirect:
      destination === null || destinationId === null || status === null
        ? null
        : { hostname: destination, domainId: destinationId, status },
    suspendedStatus: suspensionOf(row)?.status ?? null,
    settings: row.settings && JSON.parse(row.settings),
  };
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
  const { deploymentId, origin } = row;
  const deployment = deploymentId === null || origin === null ? null : { id: deploymentId, origin };
  const settings = settingsOf(row);
  return deployment === null && settings === null ? null : { deployment, settings };
}

function settingsOf(row: OriginRow): OriginSettings | null {
  const { previousExpiresAt, ...set } = pick(row, SETTINGS);
  if (Object.values(set).every((value) => value === null)) return null;
  const { hostHeader, caCertificate, clientCertificate, clientKey, secret, previousSecret, sendsExternalId } = set;
  return {
    sendsExternalId: sendsExternalId === 1,
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
  'hostHeader',
  'caCertificate',
  'clientCertificate',
  'clientKey',
  'secret',
  'previousSecret',
  'previousExpiresAt',
  'sendsExternalId',
] as const;

/** A site leads to the current deployment of its environment, and has a certificate once one was issued. */
function selectSite(db: Tables, p: { hostname: string }) {
  return (
    db
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
      // A domain that is prepared has a route, but leads elsewhere.
      .leftJoin('domains as destinations', (join) =>
        join
          .onRef('destinations.id', '=', 'redirects.destinationId')
          .on('destinations.status', '=', sql.lit('verified')),
      )
      .where('routes.hostname', '=', p.hostname)
      .select([
        'domains.workspaceId',
        'routes.domainId',
        'routes.environmentId',
        'deployments.id as deploymentId',
        'deployments.origin',
        'domains.externalId',
        'usageDomains.seq as usageNumber',
        'servedCertificates.chain',
        'servedCertificates.privateKey',
        'servedCertificates.notAfter',
        'inherited.chain as inheritedChain',
        'inherited.privateKey as inheritedKey',
        'inherited.notAfter as inheritedNotAfter',
        'destinations.name as destination',
        'destinations.id as destinationId',
        'domains.status as domainStatus',
        'redirects.status',
        'siteSettings.settings',
      ])
      .select(columnsOf('originSettings', SETTINGS))
      .select(suspensionColumns)
  );
}

function selectOrigin(db: Tables, p: { environmentId: string }) {
  return db
    .selectFrom('environments')
    .leftJoin('deployments', 'deployments.id', 'environments.currentDeploymentId')
    .leftJoin('originSettings', 'originSettings.environmentId', 'environments.id')
    .where('environments.id', '=', p.environmentId)
    .select(['deployments.id as deploymentId', 'deployments.origin'])
    .select(columnsOf('originSettings', SETTINGS));
}
