import type { InferResult } from 'kysely';
import type { Reader, Tables } from '../engine/statement.ts';
import type { ServedCertificate, Site } from './edge-store.ts';
import { suspensionColumns, suspensionOf } from './suspensions.ts';

export async function findSite(reader: Reader, hostname: string): Promise<Site | null> {
  const row = await reader.one(selectSite, { hostname });
  if (row === null) return null;
  const { workspaceId, domainId, environmentId, deploymentId, origin, destination, destinationId, status } = row;
  return {
    hostname,
    workspaceId,
    domainId,
    environmentId,
    origin: deploymentId === null || origin === null ? null : { deploymentId, origin },
    certificate: certificateOf(row),
    redirect:
      destination === null || destinationId === null || status === null
        ? null
        : { hostname: destination, domainId: destinationId, status },
    suspendedStatus: suspensionOf(row)?.status ?? null,
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

export async function findOrigin(reader: Reader, environmentId: string) {
  return reader.one(selectOrigin, { environmentId });
}

type SiteRow = InferResult<ReturnType<typeof selectSite>>[number];

/** A site leads to the current deployment of its environment, and has a certificate once one was issued. */
function selectSite(db: Tables, p: { hostname: string }) {
  return db
    .selectFrom('routes')
    .innerJoin('domains', 'domains.id', 'routes.domain_id')
    .innerJoin('workspaces', 'workspaces.id', 'domains.workspace_id')
    .leftJoin('suspensions', 'suspensions.domain_id', 'routes.domain_id')
    .leftJoin('environments', 'environments.id', 'routes.environment_id')
    .leftJoin('deployments', 'deployments.id', 'environments.current_deployment_id')
    .leftJoin('served_certificates', 'served_certificates.hostname', 'routes.hostname')
    .leftJoin('inherited_certificates as inherited', 'inherited.hostname', 'routes.hostname')
    .leftJoin('redirects', 'redirects.domain_id', 'routes.domain_id')
    .leftJoin('routes as destinations', 'destinations.domain_id', 'redirects.destination_id')
    .where('routes.hostname', '=', p.hostname)
    .select([
      'domains.workspace_id as workspaceId',
      'routes.domain_id as domainId',
      'routes.environment_id as environmentId',
      'deployments.id as deploymentId',
      'deployments.origin',
      'served_certificates.chain',
      'served_certificates.private_key as privateKey',
      'served_certificates.not_after as notAfter',
      'inherited.chain as inheritedChain',
      'inherited.private_key as inheritedKey',
      'inherited.not_after as inheritedNotAfter',
      'destinations.hostname as destination',
      'destinations.domain_id as destinationId',
      'redirects.status',
    ])
    .select(suspensionColumns);
}

function selectOrigin(db: Tables, p: { environmentId: string }) {
  return db
    .selectFrom('environments')
    .innerJoin('deployments', 'deployments.id', 'environments.current_deployment_id')
    .where('environments.id', '=', p.environmentId)
    .select(['deployments.id as deploymentId', 'deployments.origin']);
}
