import type { Reader, Tables } from './statement.ts';

export async function findOrigin(reader: Reader, environmentId: string) {
  return reader.one(selectOrigin, { environmentId });
}

export async function findServedCertificate(reader: Reader, hostname: string) {
  return reader.one(selectServed, { hostname });
}

function selectOrigin(db: Tables, p: { environmentId: string }) {
  return db
    .selectFrom('environments')
    .innerJoin('deployments', 'deployments.id', 'environments.current_deployment_id')
    .where('environments.id', '=', p.environmentId)
    .select(['deployments.id as deploymentId', 'deployments.origin']);
}

function selectServed(db: Tables, p: { hostname: string }) {
  return db
    .selectFrom('served_certificates')
    .where('hostname', '=', p.hostname)
    .select(['chain', 'private_key as privateKey', 'not_after as notAfter']);
}
