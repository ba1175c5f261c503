import Type from 'typebox';
import { Problem } from '../errors.ts';
import { defineOperation } from '../operation.ts';
import { closed, Empty } from '../schemas.ts';
import { DomainIdentifier, exampleDomain } from './present-domain.ts';

const permission = { resource: 'environment', action: 'delete_domain' } as const;

export const deleteDomain = defineOperation({
  name: 'domains.deleteDomain',
  summary: 'Delete a domain',
  description:
    'Deletes the domain with its route and certificate, and ends its checks. The name is free at once: another domains.createDomain makes a new domain, with other records. Until `NAMEPLATE_DELETED_KEEP` is over, seven days by default, domains.restoreDomain brings this one back.',
  permission,
  request: Type.Object({ domain: DomainIdentifier }, closed),
  response: Empty,
  problems: ['data/domain_not_found'],
  example: { request: { domain: exampleDomain.name }, response: {} },
  async handle({ principal, input, changes, namedDomain }, { clock, settings }) {
    const { workspaceId, actor } = principal;
    const domain = await namedDomain(input.domain);
    const now = clock.now();
    const deleted = await changes.deleteDomain(workspaceId, domain.id, now, actor, now + settings.deletedKeepMs);
    if (deleted === 'missing') throw new Problem('data/domain_not_found');
    return {};
  },
});
