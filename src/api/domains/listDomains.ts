import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { presentDomain } from '../../domain/presented-domain.ts';
import { masked } from '../masking.ts';
import { defineList } from '../operation.ts';
import { closed, pageOf, pageRequest, Reference, SEARCH } from '../schemas.ts';
import { DomainSchema, exampleDomain } from './present-domain.ts';

const permission = { resource: 'environment', action: 'read_domain' } as const;

export const listDomains = defineList({
  name: 'domains.listDomains',
  summary: 'List the domains of an environment',
  description: 'Domains in order of creation, one page at a time.',
  permission,
  request: Type.Object(
    {
      project: Reference('project'),
      app: Reference('app'),
      environment: Reference('environment'),
      ...pageRequest,
      search: SEARCH,
    },
    closed,
  ),
  item: DomainSchema,
  problems: ['data/environment_not_found'],
  example: {
    request: { project: 'demo', app: 'web', environment: 'production', limit: 10 },
    items: [presentDomain(exampleDomain)],
  },
  async handle({ principal, input }, { store, apexNote }) {
    const environment = masked(
      await store.findEnvironment(principal.workspaceId, input),
      (found) => permits(principal.grants, permission, found.id),
      'data/environment_not_found',
    );
    const query = { ...pageOf(input), search: input.search };
    const page = await store.listDomains(principal.workspaceId, environment.id, query);
    return { ...page, items: page.items.map((domain) => presentDomain(domain, apexNote)) };
  },
});
