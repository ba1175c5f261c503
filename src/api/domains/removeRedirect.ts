import Type from 'typebox';
import { Problem } from '../errors.ts';
import { defineOperation } from '../operation.ts';
import { closed, Empty } from '../schemas.ts';
import { DomainIdentifier } from './present-domain.ts';
import { exampleRedirect } from './present-redirect.ts';

const permission = { resource: 'environment', action: 'update_domain' } as const;

export const removeRedirect = defineOperation({
  name: 'domains.removeRedirect',
  summary: 'Remove the redirect of a domain',
  description:
    'Within a second, requests for the domain go to the origin of its environment again. Where there is no redirect, it changes nothing.',
  permission,
  request: Type.Object({ domain: DomainIdentifier }, closed),
  response: Empty,
  problems: ['data/domain_not_found'],
  example: { request: { domain: exampleRedirect.domain }, response: {} },
  async handle({ principal: { workspaceId, actor }, input, changes, namedDomain }, { clock }) {
    const domain = await namedDomain(input.domain);
    const removed = await changes.removeRedirect(workspaceId, domain.id, clock.now(), actor);
    if (removed === 'missing') throw new Problem('data/domain_not_found');
    return {};
  },
});
