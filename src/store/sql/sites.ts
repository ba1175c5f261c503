import type { Site } from '../contract/edge-store.ts';
import type { Reader, Tables } from './statement.ts';

export async function findSite(reader: Reader, hostname: string): Promise<Site | null> {
  const row = await reader.one(selectSite, { hostname });
  if (row === null) return null;
  const { domainId, environmentId, deploymentId, origin, chain, privateKey, notAfter } = row;
  return {
    hostname,
    domainId,
    environmentId,
    origin: deploymentId === null || origin === null ? null : { deploymentId, origin },
    certificate: chain === null || privateKey === null || notAfter === null ? null : { chain, privateKey, notAfter },
  };
}

export async function findOrigin(reader: Reader, environmentId: string) {
  return reader.one(selectOrigin, { environmentId });
}

/** A site leads to the current deployment of its environment, and has a certificate once one was issued. */
function selectSite(db: Tables, p: { hostname: string }) {
  return db
    .selectFrom('routes')
    .leftJoin('environments', 'environments.id', 'routes.environment_id')
    .leftJoin('deployments', 'deployments.id', 'environments.current_deployment_id')
    .leftJoin('served_certificates', 'served_certificates.hostname', 'routes.hostname')
    .where('routes.hostname', '=', p.hostname)
    .select([
      'routes.domain_id as domainId',
      'routes.environment_id as environmentId',
      'deployments.id as deploymentId',
      'deployments.origin',
      'served_certificates.chain',
      'served_certificates.private_key as privateKey',
      'served_certificates.not_after as notAfter',
    ]);
}

function selectOrigin(db: Tables, p: { environmentId: string }) {
  return db
    .selectFrom('environments')
    .innerJoin('deployments', 'deployments.id', 'environments.current_deployment_id')
    .where('environments.id', '=', p.environmentId)
    .select(['deployments.id as deploymentId', 'deployments.origin']);
}
