import Type, { type Static } from 'typebox';
import type { Domain } from '../../domain/domain.ts';
import { SUSPENSION_STATUSES, type Suspension } from '../../domain/suspension.ts';
import { Problem } from '../errors.ts';
import { defineOperation } from '../operation.ts';
import { closed, Id, shownBy, Time } from '../schemas.ts';
import { DomainIdentifier, exampleDomain } from './present-domain.ts';

const ABOUT_STATUS =
  'HTTP status of the page in place of the site: 451 for legal reasons (RFC 7725), 503 for any other reason.';

export const SuspensionStatusSchema = Type.Enum([...SUSPENSION_STATUSES], {
  type: 'integer',
  description: ABOUT_STATUS,
});

export const SuspensionSchema = Type.Object(
  {
    status: SuspensionStatusSchema,
    by: Type.Enum(['workspace', 'operator'], {
      type: 'string',
      description:
        '`workspace`: domains.resumeDomain ends it. `operator`: the operator has suspended the domain or the whole workspace, and no key can end it.',
    }),
    suspendedAt: Time('When the suspension with this status began.'),
  },
  {
    title: 'Suspension',
    description: 'The page that visitors get in place of the site; absent if the site is not suspended.',
  },
);

export const DomainSuspensionSchema = Type.Object(
  {
    domainId: Id('dom', 'The domain.'),
    domain: Type.String({ minLength: 4, maxLength: 253, description: 'Its canonical name.' }),
    suspension: Type.Optional(SuspensionSchema),
  },
  { title: 'DomainSuspension', description: '`suspension` is absent where the site is served.' },
);

export const presentSuspension = shownBy(SuspensionSchema);

function presentDomainSuspension(
  { id, name }: Pick<Domain, 'id' | 'name'>,
  suspension: Suspension | null,
): Static<typeof DomainSuspensionSchema> {
  return { domainId: id, domain: name, ...(suspension && { suspension: presentSuspension(suspension) }) };
}

const exampleSuspension: Static<typeof DomainSuspensionSchema> = {
  domainId: exampleDomain.id,
  domain: exampleDomain.name,
  suspension: { status: 503, by: 'workspace', suspendedAt: exampleDomain.createdAt },
};

export const suspendDomain = defineOperation({
  name: 'domains.suspendDomain',
  summary: 'Serve a page in place of a site',
  description:
    'Within a second, on every node, visitors get a page that says that the site is suspended, with status 503 or 451. The origin gets no requests, and requests in flight are aborted. A redirect of the domain stops too. The domain keeps its status, and its checks and certificate renewals continue. domains.getSite, domains.diagnoseDomain and domains.listWorkspaceDomains show the suspension; domains.getDomain does not. If the domain is not verified yet, the suspension takes effect once it is. A call with another status changes the status of the page. domains.resumeDomain ends the suspension.',
  permission: { resource: 'environment', action: 'update_domain' },
  request: Type.Object(
    {
      domain: DomainIdentifier,
      status: Type.Optional(
        Type.Enum([...SUSPENSION_STATUSES], { type: 'integer', description: `${ABOUT_STATUS} Default: 503.` }),
      ),
    },
    closed,
  ),
  response: DomainSuspensionSchema,
  problems: ['data/domain_not_found'],
  example: { request: { domain: exampleSuspension.domain }, response: exampleSuspension },
  async handle({ principal: { workspaceId }, input, changes, find }, { clock }) {
    const domain = await find.domain(input.domain);
    const { status = 503 } = input;
    const done = await changes.suspendDomain(workspaceId, domain.id, status, clock.now());
    if (done.kind === 'missing') throw new Problem('data/domain_not_found');
    return presentDomainSuspension(domain, done.suspension);
  },
});

export const resumeDomain = defineOperation({
  name: 'domains.resumeDomain',
  summary: 'Serve a suspended site again',
  description:
    'Ends a suspension by the workspace: within a second, on every node, visitors get the site again. A suspension by the operator stays. If the site has both, this call ends that of the workspace, and the response shows that of the operator (`suspension` with `by: operator`). If only the operator has suspended the site, the call is refused. If nobody has, the call changes nothing.',
  permission: { resource: 'environment', action: 'update_domain' },
  request: Type.Object({ domain: DomainIdentifier }, closed),
  response: DomainSuspensionSchema,
  problems: ['data/domain_not_found', 'authorization/forbidden'],
  example: {
    request: { domain: exampleSuspension.domain },
    response: { domainId: exampleSuspension.domainId, domain: exampleSuspension.domain },
  },
  async handle({ principal: { workspaceId }, input, changes, find }, { clock }) {
    const domain = await find.domain(input.domain);
    const done = await changes.resumeDomain(workspaceId, domain.id, clock.now());
    if (done.kind === 'missing') throw new Problem('data/domain_not_found');
    if (done.kind === 'unchanged' && done.suspension !== null)
      throw new Problem('authorization/forbidden', {
        detail: `The operator of the server has suspended ${domain.name}, and no key can lift that.`,
      });
    return presentDomainSuspension(domain, done.suspension);
  },
});
