import Type from 'typebox';
import { Problem } from '../errors.ts';
import { defineOperation } from '../operation.ts';
import { closed } from '../schemas.ts';
import { DomainIdentifier } from './present-domain.ts';
import { DomainSuspensionSchema, exampleSuspension, presentDomainSuspension } from './present-suspension.ts';

const permission = { resource: 'environment', action: 'update_domain' } as const;

export const resumeDomain = defineOperation({
  name: 'domains.resumeDomain',
  summary: 'Serve a suspended site again',
  description:
    'Undoes domains.suspendDomain: within a second, on every node, visitors get the site again. A suspension by the operator of the server stays. If this call lifts one of the workspace, the response shows that of the operator (`suspension` with `by: operator`); otherwise the call is refused. If nobody has suspended the domain, nothing changes.',
  permission,
  request: Type.Object({ domain: DomainIdentifier }, closed),
  response: DomainSuspensionSchema,
  problems: ['data/domain_not_found', 'authorization/forbidden'],
  example: {
    request: { domain: exampleSuspension.domain },
    response: { domainId: exampleSuspension.domainId, domain: exampleSuspension.domain },
  },
  async handle({ principal: { workspaceId, actor }, input, changes, namedDomain }, { clock }) {
    const domain = await namedDomain(input.domain);
    const done = await changes.resumeDomain(workspaceId, domain.id, clock.now(), actor);
    if (done.kind === 'missing') throw new Problem('data/domain_not_found');
    if (done.kind === 'unchanged' && done.suspension !== null)
      throw new Problem('authorization/forbidden', {
        detail: `The operator of the server has suspended ${domain.name}, and no key can lift that.`,
      });
    return presentDomainSuspension(domain, done.suspension);
  },
});
