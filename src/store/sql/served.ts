import type { Reading, Tables } from './query.ts';

export async function findOrigin(run: Reading, environmentId: string) {
  return run.one(selectOrigin, { environmentId });
}

export async function findServedCertificate(run: Reading, hostname: string) {
  return run.one(selectServed, { hostname });
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
