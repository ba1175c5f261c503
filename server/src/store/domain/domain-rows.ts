import type { Domain } from '../../domain/domain.ts';

/** All columns, under the names of `Domain`. */
export const domainColumns = [
  'domains.id',
  'domains.workspaceId',
  'domains.projectId',
  'domains.appId',
  'domains.environmentId',
  'domains.name',
  'domains.kind',
  'domains.service',
  'domains.target',
  'domains.token',
  'domains.status',
  'domains.routingVerifiedAt',
  'domains.ownershipVerifiedAt',
  'domains.verificationError',
  'domains.createdAt',
  'domains.updatedAt',
  'domains.verifiedAt',
  'domains.windowStartedAt',
  'domains.revision',
] as const;

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
