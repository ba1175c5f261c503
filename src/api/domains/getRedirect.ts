import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { closed } from '../schemas.ts';
import { DomainIdentifier } from './present-domain.ts';
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
  async handle({ principal: { workspaceId }, input, namedDomain }, { store }) {
    const domain = await namedDomain(input.domain);
    return presentDomainRedirect(domain, await store.findRedirect(workspaceId, domain.id));
  },
});
