import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import type { Domain } from '../../domain/domain.ts';
import type { SetRedirect } from '../../store/contract/store.ts';
import { Problem } from '../errors.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed } from '../schemas.ts';
import { invalid } from '../validation.ts';
import { DomainIdentifier, findDomain } from './present-domain.ts';
import {
  DomainRedirectSchema,
  exampleRedirect,
  presentDomainRedirect,
  RedirectStatusSchema,
} from './present-redirect.ts';

const permission = { resource: 'environment', action: 'update_domain' } as const;

export const setRedirect = defineOperation({
  name: 'domains.setRedirect',
  summary: 'Redirect a domain to another one',
  description:
    'Redirects every request for the domain to another verified domain of the workspace, such as `www.example.com` to `example.com` or back, within a second on every node: from HTTP and HTTPS in one hop, with path and query. The domain needs its DNS records as before, and keeps its certificate; the redirect takes effect while it is verified. Redirects are one hop: the destination may not redirect itself. The redirect is removed when its destination is deleted, fails or is taken over, and requests then go to the origin of the domain again; the timeline has it as `redirect.removed`. Replaces the redirect that the domain has; the same request again changes nothing. The key needs the permission for the environments of both domains.',
  permission,
  request: Type.Object(
    {
      domain: DomainIdentifier,
      to: Type.String({
        minLength: 4,
        maxLength: 253,
        description: 'Id (`dom_…`) or fully qualified name of the domain to redirect to.',
      }),
      status: Type.Optional(RedirectStatusSchema),
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
  async handle({ principal: { workspaceId, grants, actor }, input, changes, namedDomain }, { store, clock }) {
    const { domain: identifier, to, status = 308 } = input;
    const isPermitted = (found: Domain) => permits(grants, permission, found.environmentId);
    const domain = await namedDomain(identifier);
    const destination = masked(
      await findDomain(store, workspaceId, to),
      isPermitted,
      'data/redirect_destination_not_found',
    );
    const wanted = { domainId: domain.id, destinationId: destination.id, status };
    const result = await changes.setRedirect(workspaceId, wanted, clock.now(), actor);
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
