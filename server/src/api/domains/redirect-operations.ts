import Type, { type Static } from 'typebox';
import { permits } from '../../access/permissions.ts';
import type { Domain } from '../../domain/domain.ts';
import { REDIRECT_STATUSES } from '../../domain/redirect.ts';
import { baseName } from '../../domain/wildcard.ts';
import type { Redirect, SetRedirect } from '../../store/store.ts';
import { Problem } from '../errors.ts';
import { defineOperation } from '../operation.ts';
import { closed, Empty, Id, shownBy, Time } from '../schemas.ts';
import { invalid } from '../validation.ts';
import { DomainIdentifier, exampleDomain } from './present-domain.ts';

const ABOUT_STATUS =
  'HTTP status of the redirect. With 308, clients repeat the request with its method and body; after 301, browsers send GET in place of POST.';

export const RedirectStatusSchema = Type.Enum([...REDIRECT_STATUSES], { type: 'integer', description: ABOUT_STATUS });

export const RedirectSchema = Type.Object(
  {
    to: Type.String({
      minLength: 4,
      maxLength: 253,
      description: 'Canonical name of the destination.',
    }),
    status: RedirectStatusSchema,
    setAt: Time('When this redirect was set.'),
  },
  {
    title: 'Redirect',
    description: 'Where requests for the domain are redirected to, while both domains are verified.',
  },
);

export const DomainRedirectSchema = Type.Object(
  {
    domainId: Id('dom', 'The domain.'),
    domain: Type.String({ minLength: 4, maxLength: 253, description: 'Its canonical name.' }),
    redirect: Type.Optional(RedirectSchema),
  },
  { title: 'DomainRedirect', description: '`redirect` is absent where requests go to the origin.' },
);

export const presentRedirect = shownBy(RedirectSchema);

function presentDomainRedirect(
  { id, name }: Pick<Domain, 'id' | 'name'>,
  redirect: Redirect | null,
): Static<typeof DomainRedirectSchema> {
  return {
    domainId: id,
    domain: name,
    ...(redirect && { redirect: presentRedirect(redirect) }),
  };
}

const exampleRedirect: Static<typeof DomainRedirectSchema> = {
  domainId: exampleDomain.id,
  domain: 'www.example.com',
  redirect: { to: 'example.com', status: 308, setAt: exampleDomain.createdAt },
};

const permission = { resource: 'environment', action: 'update_domain' } as const;

export const setRedirect = defineOperation({
  name: 'domains.setRedirect',
  summary: 'Redirect a domain to another one',
  description:
    'Redirects every request for the domain to another verified domain of the workspace, such as `www.example.com` to `example.com` or the reverse. It takes effect within a second on every node, while the domain is verified. HTTP and HTTPS requests are redirected in one hop, with path and query. The domain still needs its DNS records and keeps its certificate. The destination must not have a redirect of its own, and the domain must not be the destination of another redirect. A new redirect replaces the previous one. When the destination is deleted, fails or is taken over, the redirect is removed. Requests then go to the origin of the domain again, and the timeline gets a `redirect.removed` event. The key needs the permission for the environments of both domains.',
  permission,
  needs: [{ permission, where: 'on the environment of the domain that `to` names' }],
  request: Type.Object(
    {
      domain: DomainIdentifier,
      to: Type.String({
        minLength: 4,
        maxLength: 253,
        description: 'Id (`dom_…`) or fully qualified name of the domain to redirect to.',
      }),
      status: Type.Optional(
        Type.Enum([...REDIRECT_STATUSES], { type: 'integer', description: `${ABOUT_STATUS} Default: 308.` }),
      ),
    },
    closed,
  ),
  response: DomainRedirectSchema,
  problems: [
    'data/domain_not_found',
    'data/redirect_destination_not_found',
    'application/redirect_destination_not_verified',
    'application/redirect_chain',
    'limits/redirect_limit_exceeded',
  ],
  example: { request: { domain: 'www.example.com', to: 'example.com' }, response: exampleRedirect },
  async handle({ principal: { workspaceId, grants }, input, changes, find }, { clock }) {
    const { domain: identifier, to, status = 308 } = input;
    const isPermitted = (found: Domain) => permits(grants, permission, found.environmentId);
    const domain = await find.domain(identifier);
    const destination = await find.domain(to, 'data/redirect_destination_not_found');
    const wanted = { domainId: domain.id, destinationId: destination.id, status };
    const result = await changes.setRedirect(workspaceId, wanted, clock.now());
    switch (result.kind) {
      case 'set':
        return presentDomainRedirect(domain, result.redirect);
      case 'missing':
        throw new Problem('data/domain_not_found');
      case 'destination_missing':
        throw new Problem('data/redirect_destination_not_found');
      case 'refused':
        throw refused(result, domain, destination, isPermitted);
      default:
        return result satisfies never;
    }
  },
});

/** A domain that the key may not use is not named. */
function refused(
  { refusal, by }: Extract<SetRedirect, { kind: 'refused' }>,
  domain: Domain,
  destination: Domain,
  isPermitted: (found: Domain) => boolean,
): Error {
  const named = by !== null && isPermitted(by) ? by.name : null;
  switch (refusal) {
    case 'itself':
      return invalid('body.to', 'must be another domain', 'name the domain to redirect to');
    case 'wildcard':
      return invalid(
        'body.to',
        'must not be a wildcard domain: a redirect leads to one host name',
        `add a name below ${baseName(destination.name)} as a domain of its own, and redirect to that`,
      );
    case 'not_verified':
      return new Problem('application/redirect_destination_not_verified', {
        detail: `${destination.name} is not verified: its status is "${destination.status}". A domain can be redirected to once it is verified.`,
      });
    case 'destination_redirects':
      return new Problem('application/redirect_chain', {
        detail: `${destination.name} redirects itself, to ${named ?? 'another domain'}. Redirect to ${named ?? 'that domain'} instead, or remove the redirect of ${destination.name} first.`,
      });
    case 'is_destination':
      return new Problem('application/redirect_chain', {
        detail: `${named ?? 'Another domain'} redirects to ${domain.name}, so ${domain.name} cannot redirect itself. Remove the redirect of ${named ?? 'that domain'} first.`,
      });
    case 'too_many':
      return new Problem('limits/redirect_limit_exceeded');
    default:
      return refusal satisfies never;
  }
}

export const getRedirect = defineOperation({
  name: 'domains.getRedirect',
  summary: 'Get the redirect of a domain',
  description:
    'Returns where the domain redirects to. If it does not redirect, `redirect` is absent. For the redirects of many domains, use domains.listWorkspaceDomains.',
  // The permission of getDomain: anybody who visits a domain sees where it redirects to.
  permission: { resource: 'environment', action: 'read_domain' },
  request: Type.Object({ domain: DomainIdentifier }, closed),
  response: DomainRedirectSchema,
  problems: ['data/domain_not_found'],
  example: { request: { domain: exampleRedirect.domain }, response: exampleRedirect },
  async handle({ principal: { workspaceId }, input, find }, { store }) {
    const domain = await find.domain(input.domain);
    return presentDomainRedirect(domain, await store.findRedirect(workspaceId, domain.id));
  },
});

export const removeRedirect = defineOperation({
  name: 'domains.removeRedirect',
  summary: 'Remove the redirect of a domain',
  description:
    'Within a second, requests for the domain go to its origin again. If it has no redirect, nothing changes.',
  permission,
  request: Type.Object({ domain: DomainIdentifier }, closed),
  response: Empty,
  problems: ['data/domain_not_found'],
  example: { request: { domain: exampleRedirect.domain }, response: {} },
  async handle({ principal: { workspaceId }, input, changes, find }, { clock }) {
    const domain = await find.domain(input.domain);
    const removed = await changes.removeRedirect(workspaceId, domain.id, clock.now());
    if (removed === 'missing') throw new Problem('data/domain_not_found');
    return {};
  },
});
