import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed } from '../schemas.ts';
import { DomainIdentifier, findDomain } from './present-domain.ts';
import { DomainRedirectSchema, exampleRedirect, presentDomainRedirect } from './present-redirect.ts';

// The permission of getDomain: anybody who visits a domain sees where it redirects to.
const permission = { resource: 'environment', action: 'read_domain' } as const;

export const getRedirect = defineOperation({
  name: 'domains.getRedirect',
  summary: 'Get the redirect of a domain',
  description:
    'Returns where the domain redirects to; without `redirect` where it does not. domains.listWorkspaceDomains has the redirects of many domains.',
  permission,
  request: Type.Object({ domain: DomainIdentifier }, closed),
  response: DomainRedirectSchema,
  problems: ['data/domain_not_found'],
  example: { request: { domain: exampleRedirect.domain }, response: exampleRedirect },
  async handle({ principal: { workspaceId, grants }, input }, { store }) {
    const domain = masked(
      await findDomain(store, workspaceId, input.domain),
      (found) => permits(grants, permission, found.environmentId),
      'data/domain_not_found',
    );
    return presentDomainRedirect(domain, await store.findRedirect(workspaceId, domain.id));
  },
});
