import { type InferResult, sql } from 'kysely';
import { IMPORTED, MOVED } from '../../domain/certificate-state.ts';
import type { Domain } from '../../domain/domain.ts';
import { isWildcard, wildcardOf } from '../../domain/wildcard.ts';
import { columnsOf, pick, type Reader, type Tables } from '../engine/statement.ts';
import type { Origin, OriginSettings, ServedCertificate, Site } from './edge-store.ts';
import { suspensionColumns, suspensionOf } from './suspensions.ts';

/** More names with routes of their own are not listed with the site of a wildcard. 40 KB. */
export const MOST_EXCEPTIONS = 1000;

export async function findSite(reader: Reader, asked: string): Promise<Site | null> {
  const rows = await reader.all(selectSites, { hostname: asked, wildcard: wildcardOf(asked) ?? asked });
  const row = preferred(rows, asked);
  if (row === undefined) return null;
  const { workspaceId, domainId, environmentId, destination, destinationId, status, externalId, usageNumber } = row;
  const { hostname } = row;
  const isPrepared = row.domainStatus !== 'verified';
  return {
    hostname,
    ...(isWildcard(hostname) && { exceptions: await findExceptions(reader, hostname, row.domainStatus) }),
    workspaceId,
    domainId,
    environmentId,
    usageNumber: usageNumber ?? 0,
    origin: originOf(row),
    ...(externalId !== null && { externalId }),
    ...(isPrepared && { isPrepared: true as const }),
    certificate: certificateOf(row),
    redirect:
      destination === null || destinationId === null || status === null
        ? null
        : { hostname: destination, domainId: destinationId, status },
    suspendedStatus: suspensionOf(row)?.status ?? null,
    settings: row.settings && JSON.parse(row.settings),
  };
}

/** A verified domain comes before a prepared one, which leads elsewhere, and then the exact name before its wildcard. */
function preferred(rows: readonly SiteRow[], asked: string): SiteRow | undefined {
  const verified = rows.filter(({ domainStatus }) => domainStatus === 'verified');
  const candidates = verified.length === 0 ? rows : verified;
  return candidates.find(({ hostname }) => hostname === asked) ?? candidates[0];
}

/** Null: there are more than `MOST_EXCEPTIONS`. */
async function findExceptions(
  reader: Reader,
  wildcard: string,
  status: Domain['status'],
): Promise<ReadonlySet<string> | null> {
  const rows = await reader.all(selectExceptions, { wildcard, status });
  return rows.length > MOST_EXCEPTIONS ? null : new Set(rows.map(({ hostname }) => hostname));
}

/** The domain's own, or else the one that it inherited in a takeover, or else that of the wildcard domain above. */
function certificateOf(row: SiteRow): ServedCertificate | null {
  const { chain, privateKey, notAfter, inheritedChain, inheritedKey, inheritedNotAfter } = row;
  if (chain !== null && privateKey !== null && notAfter !== null) {
    return { chain, privateKey, notAfter, inherited: false };
  }
  if (inheritedChain !== null && inheritedKey !== null && inheritedNotAfter !== null)
    return { chain: inheritedChain, privateKey: inheritedKey, notAfter: inheritedNotAfter, inherited: true };
  const { wildcard, wildcardChain, wildcardKey, wildcardNotAfter } = row;
  if (wildcard === null || wildcardChain === null || wildcardKey === null || wildcardNotAfter === null) return null;
  return { chain: wildcardChain, privateKey: wildcardKey, notAfter: wildcardNotAfter, inherited: true, wildcard };
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

type SiteRow = InferResult<ReturnType<typeof selectSites>>[number];

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

/**
 * The sites of a name and of the wildcard above it: each leads to the current deployment of its environment, and has a certificate once one was issued.
 * `preferred` chooses: a sort costs more than all that is read.
 */
function selectSites(db: Tables, p: { hostname: string; wildcard: string }) {
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
      // Others may have the key of one that was brought.
      .leftJoin('servedCertificates as above', (join) =>
        join
          .onRef('above.hostname', '=', 'routes.wildcard')
          .on('above.issuer', 'not in', [sql.lit(IMPORTED), sql.lit(MOVED)]),
      )
      .leftJoin('redirects', 'redirects.domainId', 'routes.domainId')
      // A domain that is prepared has a route, but leads elsewhere.
      .leftJoin('domains as destinations', (join) =>
        join
          .onRef('destinations.id', '=', 'redirects.destinationId')
          .on('destinations.status', '=', sql.lit('verified')),
      )
      .where('routes.hostname', 'in', [p.hostname, p.wildcard])
      .select([
        'routes.hostname',
        'routes.wildcard',
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
        'above.chain as wildcardChain',
        'above.privateKey as wildcardKey',
        'above.notAfter as wildcardNotAfter',
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

/** Prepared domains, which are `verifying`, are no exceptions of a verified wildcard. `status`: that of the wildcard's domain. */
function selectExceptions(db: Tables, p: { wildcard: string; status: Domain['status'] }) {
  return db
    .selectFrom('routes')
    .innerJoin('domains', 'domains.id', 'routes.domainId')
    .where('routes.wildcard', '=', p.wildcard)
    .where('domains.status', 'in', [sql.lit<Domain['status']>('verified'), p.status])
    .select('routes.hostname')
    .orderBy('routes.hostname')
    .limit(MOST_EXCEPTIONS + 1);
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
