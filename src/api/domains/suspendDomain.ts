import Type from 'typebox';
import { Problem } from '../errors.ts';
import { defineOperation } from '../operation.ts';
import { closed } from '../schemas.ts';
import { DomainIdentifier } from './present-domain.ts';
import {
  DomainSuspensionSchema,
  exampleSuspension,
  presentDomainSuspension,
  SuspensionStatusSchema,
} from './present-suspension.ts';

const permission = { resource: 'environment', action: 'update_domain' } as const;

export const suspendDomain = defineOperation({
  name: 'domains.suspendDomain',
  summary: 'Serve a page in place of a site',
  description:
    'Within a second, on every node, visitors of the domain get a page of the edge that says that the site is suspended, with status 503 or 451, and its origin gets no requests; those in flight are aborted. A redirect of the domain rests too. All else goes on: the domain keeps its status, its checks, its certificate and the renewals of it, and domains.getDomain shows no difference; domains.diagnoseDomain and domains.listWorkspaceDomains do. A domain that is not verified yet is suspended once it is. With another status it replaces the one before; with the same, nothing changes. domains.resumeDomain undoes it.',
  permission,
  request: Type.Object({ domain: DomainIdentifier, status: Type.Optional(SuspensionStatusSchema) }, closed),
  response: DomainSuspensionSchema,
  problems: ['data/domain_not_found'],
  example: { request: { domain: exampleSuspension.domain }, response: exampleSuspension },
  async handle({ principal: { workspaceId, actor }, input, changes, namedDomain }, { clock }) {
    const domain = await namedDomain(input.domain);
    const { status = 503 } = input;
    const done = await changes.suspendDomain(workspaceId, domain.id, status, clock.now(), actor);
    if (done.kind === 'missing') throw new Problem('data/domain_not_found');
    return presentDomainSuspension(domain, done.suspension);
  },
});
