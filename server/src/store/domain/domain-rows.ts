import { type Domain, newDomain } from '../../domain/domain.ts';

/** All columns, under the names of `Domain`. */
export const domainColumns = [
  'domains.id',
  'domains.workspace_id as workspaceId',
  'domains.project_id as projectId',
  'domains.app_id as appId',
  'domains.environment_id as environmentId',
  'domains.name',
  'domains.kind',
  'domains.service',
  'domains.target',
  'domains.token',
  'domains.status',
  'domains.routing_verified_at as routingVerifiedAt',
  'domains.ownership_verified_at as ownershipVerifiedAt',
  'domains.verification_error as verificationError',
  'domains.created_at as createdAt',
  'domains.updated_at as updatedAt',
  'domains.verified_at as verifiedAt',
  'domains.window_started_at as windowStartedAt',
  'domains.revision',
] as const;

/** A domain that was stored as JSON, perhaps by a release that did not have all fields: those it lacks are as in a new domain. */
export function domainIn(json: string): Domain {
  const stored: Domain = JSON.parse(json);
  return { ...newDomain(stored), ...stored };
}

/** The domain in a row with more columns. Written out: `...rest` makes a dictionary, which is slow to post to another thread. */
export function domainOf(row: Domain): Domain {
  return {
    id: row.id,
    workspaceId: row.workspaceId,
    projectId: row.projectId,
    appId: row.appId,
    environmentId: row.environmentId,
    name: row.name,
    kind: row.kind,
    service: row.service,
    target: row.target,
    token: row.token,
    status: row.status,
    routingVerifiedAt: row.routingVerifiedAt,
    ownershipVerifiedAt: row.ownershipVerifiedAt,
    verificationError: row.verificationError,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    verifiedAt: row.verifiedAt,
    windowStartedAt: row.windowStartedAt,
    revision: row.revision,
  };
}
