import Type from 'typebox';
import { defineList } from '../operation.ts';
import { closed, pageOf, pageRequest } from '../schemas.ts';
import { DomainIdentifier, exampleDomain } from './present-domain.ts';
import { exampleSetupLink, presentSetupLink, SetupLinkSchema } from './present-setup-link.ts';

const permission = { resource: 'environment', action: 'create_setup_link' } as const;

export const listSetupLinks = defineList({
  name: 'domains.listSetupLinks',
  summary: 'List the set-up links of a domain',
  description:
    'Links in order of creation, one page at a time, without their tokens. Links that have expired are listed for 30 days more.',
  permission,
  request: Type.Object({ domain: DomainIdentifier, ...pageRequest }, closed),
  item: SetupLinkSchema,
  problems: ['data/domain_not_found'],
  example: { request: { domain: exampleDomain.name }, items: [presentSetupLink(exampleSetupLink)] },
  async handle({ principal: { workspaceId }, input, namedDomain }, { store }) {
    const { id } = await namedDomain(input.domain);
    const page = await store.listSetupLinks(workspaceId, id, pageOf(input));
    return { ...page, items: page.items.map(presentSetupLink) };
  },
});
