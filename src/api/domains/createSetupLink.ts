import Type from 'typebox';
import { createSetupToken } from '../../access/setup-link.ts';
import { Problem } from '../errors.ts';
import { defineOperation } from '../operation.ts';
import { closed, Id, Time } from '../schemas.ts';
import { storingSecret } from '../webhooks/webhook-secret.ts';
import { DomainIdentifier, exampleDomain } from './present-domain.ts';
import { exampleSetupLink, exampleSetupToken, LINK_LIFE_SECONDS, LINKS_PER_DOMAIN } from './present-setup-link.ts';

const permission = { resource: 'environment', action: 'create_setup_link' } as const;

export const createSetupLink = defineOperation({
  name: 'domains.createSetupLink',
  summary: 'Create a set-up link',
  description:
    'Makes a link for the customer who owns the domain: a page that shows the DNS records, says what is wrong with those that are there, and follows the verification. Whoever has the link sees this domain and can have it checked, without signing in, and nothing else. It is shown this once; its token is in the fragment, which browsers send to no server. With the token, the component `<nameplate-domain>` shows the same in a page of yours.',
  permission,
  creates: 'secret',
  request: Type.Object(
    {
      domain: DomainIdentifier,
      expiresInSeconds: Type.Optional(
        Type.Integer({
          minimum: LINK_LIFE_SECONDS.minimum,
          maximum: LINK_LIFE_SECONDS.maximum,
          description: 'How long the link works: a minute to 30 days. Default: 7 days.',
        }),
      ),
    },
    closed,
  ),
  response: Type.Object(
    {
      linkId: Id('link', 'The new link.'),
      url: Type.String({ description: 'The page, for the customer.' }),
      token: Type.String({ description: 'For the component in a page of yours. Begins with `nps_`.' }),
      expiresAt: Time('From then on the link does not work.'),
    },
    closed,
  ),
  problems: [
    'data/domain_not_found',
    'limits/setup_link_limit_exceeded',
    'application/public_url_missing',
    'application/sealing_unavailable',
  ],
  example: {
    request: { domain: exampleDomain.name },
    response: {
      linkId: exampleSetupLink.id,
      url: `https://api.example.net/setup#${exampleSetupToken}`,
      token: exampleSetupToken,
      expiresAt: exampleSetupLink.expiresAt,
    },
  },
  async handle({ principal, input, create, namedDomain }, { clock, newId, randomBytes, settings: { publicUrl } }) {
    const { workspaceId, actor } = principal;
    const { id: domainId } = await namedDomain(input.domain);
    if (publicUrl === undefined) throw new Problem('application/public_url_missing');
    const { token, hash } = createSetupToken(randomBytes);
    const createdAt = clock.now();
    const expiresAt = createdAt + (input.expiresInSeconds ?? LINK_LIFE_SECONDS.usual) * 1000;
    const open = { revokedAt: null, revokedBy: null };
    const link = { id: newId('link'), workspaceId, domainId, createdAt, createdBy: actor, expiresAt, ...open };
    const shown = { linkId: link.id, url: `${publicUrl}/setup#${token}`, token, expiresAt };
    const { made, outcome } = await storingSecret(() =>
      create(shown, (changes) => changes.createSetupLink(link, hash, LINKS_PER_DOMAIN)),
    );
    if (outcome === 'domain_missing') throw new Problem('data/domain_not_found');
    if (outcome === 'limit') throw new Problem('limits/setup_link_limit_exceeded');
    return made;
  },
});
