import { type Domain, newDomain } from '../../domain/domain.ts';
import { columnsOf, pick } from '../engine/statement.ts';

/** All columns. */
export const DOMAIN = [
  'id',
  'workspaceId',
  'projectId',
  'appId',
  'environmentId',
  'name',
  'kind',
  'service',
  'target',
  'token',
  'status',
  'routingVerifiedAt',
  'ownershipVerifiedAt',
  'challengeZone',
  'challengeVerifiedAt',
  'verificationError',
  'createdAt',
  'updatedAt',
  'verifiedAt',
  'windowStartedAt',
  'revision',
  'externalId',
  'metadata',
  'sharedAddresses',
] as const satisfies (keyof Domain)[];

/** The same for joins. */
export const domainColumns = columnsOf('domains', DOMAIN);

/** A domain that was stored as JSON, perhaps by a release that did not have all fields: those it lacks are as in a new domain. */
export function domainIn(json: string): Domain {
  const stored: Domain = JSON.parse(json);
  return { ...newDomain(stored), ...stored };
}

/** The domain in a row with more columns. Not by `...rest`, which makes a dictionary: that is slow to post to another thread. */
export function domainOf(row: Domain): Domain {
  return pick(row, DOMAIN);
}
