import Type from 'typebox';
import { createSetupToken } from '../../access/setup-link.ts';
import type { LinkPurpose, SetupLink } from '../../store/store.ts';
import { Problem } from '../errors.ts';
import { lacksPermission, type Need } from '../find.ts';
import { defineList, defineOperation } from '../operation.ts';
import { closed, Empty, Id, pageOf, pageRequest, shownBy, Time } from '../schemas.ts';
import { DomainIdentifier, exampleDomain } from './present-domain.ts';

/** Most links of a domain that work at the same time. */
export const LINKS_PER_DOMAIN = 100;

const LINK_LIFE_SECONDS = { minimum: 60, maximum: 30 * 86_400, usual: 7 * 86_400, ofSupport: 86_400 };

/** The page of a link, by its purpose. */
/** Paths of the pages that links open. */
export const PAGES: Record<LinkPurpose, string> = { setup: '/setup', support: '/dashboard/support' };

export const PurposeSchema = Type.Enum(Object.keys(PAGES) as LinkPurpose[], {
  type: 'string',
  description:
    '`setup`: the set-up page, for the owner of the domain. `support`: a read-only page of the domain in the dashboard. More values may be added.',
});

const readToo: Need = {
  permission: { resource: 'environment', action: 'read_domain' },
  where: 'on the environment of the domain, if the link is a support link',
};

const usageToo: Need = {
  permission: { resource: 'environment', action: 'read_usage' },
  where: 'on the environment of the domain, if the link is a support link',
};

const SetupLinkId = Type.String({
  minLength: 3,
  maxLength: 255,
  pattern: '^[a-zA-Z0-9_]+$',
  description: 'Id of the set-up link (`link_…`).',
});

const SetupLinkSchema = Type.Object(
  {
    id: Id('link', 'The set-up link.'),
    domainId: Id('dom', 'The domain that the link shows.'),
    purpose: PurposeSchema,
    createdAt: Time('Creation.'),
    createdBy: Type.Optional(
      Type.String({
        description:
          'Who created it: the id of the root key, or the subject of the dashboard token. Absent if unknown.',
      }),
    ),
    expiresAt: Time('When the link expires.'),
    revokedAt: Type.Optional(Time('When it was revoked; absent if it was not.')),
    revokedBy: Type.Optional(Type.String({ description: 'Who revoked it, as in `createdBy`.' })),
  },
  { title: 'SetupLink' },
);

const presentSetupLink = shownBy(SetupLinkSchema);

/** A link for the examples of the documentation. */
export const exampleSetupLink: SetupLink = {
  id: 'link_01kaghr5t6y7v8w9x0a1b2c3d4',
  workspaceId: exampleDomain.workspaceId,
  domainId: exampleDomain.id,
  purpose: 'setup',
  createdAt: exampleDomain.createdAt,
  createdBy: 'key_01kaghm6r7t8y9u0p1a2s3d4f5',
  expiresAt: exampleDomain.createdAt + LINK_LIFE_SECONDS.usual * 1000,
  revokedAt: null,
  revokedBy: null,
};

export const exampleSetupToken = 'nps_1NotATokenJustAnExampleOfItsLength1111111';

export const createSetupLink = defineOperation({
  name: 'domains.createSetupLink',
  summary: 'Create a set-up link',
  description:
    'Creates a link for the customer who owns the domain. It opens a page that shows the DNS records, reports mistakes in them, and follows the verification. Anyone with the link can see this domain and start checks of it without signing in, and nothing else. The link is shown only once. Its token is in the fragment of the URL, which browsers send to no server. With the token, the component `<nameplate-domain>` shows the same on a page of yours.\n\nWith the `purpose` `support`, the link is for a helper without an account. It opens a read-only page of the domain in the dashboard, with its records, certificate, timeline and usage. The page shows neither your own data nor who did what. To create such a link, the key also needs `read_domain` and `read_usage`: a support link shows no more than its creator can read.',
  permission: { resource: 'environment', action: 'create_setup_link' },
  needs: [readToo, usageToo],
  gives: 'anyone with the link can see the domain, its diagnosis and its certificate, and start checks, without a key',
  creates: 'secret',
  request: Type.Object(
    {
      domain: DomainIdentifier,
      purpose: Type.Optional(
        Type.Enum(Object.keys(PAGES) as LinkPurpose[], {
          type: 'string',
          description: '`setup` or `support`. Default: `setup`.',
        }),
      ),
      expiresInSeconds: Type.Optional(
        Type.Integer({
          minimum: LINK_LIFE_SECONDS.minimum,
          maximum: LINK_LIFE_SECONDS.maximum,
          description:
            'How long the link works: one minute to 30 days. Default: 7 days, or one day for a support link.',
        }),
      ),
    },
    closed,
  ),
  response: Type.Object({
    linkId: Id('link', 'The new link.'),
    url: Type.String({ description: 'The link to give to the customer or the helper.' }),
    token: Type.String({ description: 'The token for the component on a page of yours. Begins with `nps_`.' }),
    expiresAt: Time('When the link stops working.'),
  }),
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
  async handle({ principal, input, create, find }, { clock, newId, randomBytes, settings: { publicUrl } }) {
    const { workspaceId, actor } = principal;
    const { id: domainId, environmentId } = await find.domain(input.domain);
    const { purpose = 'setup' } = input;
    for (const need of purpose === 'support' ? [readToo, usageToo] : [])
      if (!find.may(need, environmentId)) throw lacksPermission(need, environmentId);
    if (publicUrl === undefined) throw new Problem('application/public_url_missing');
    const { token, hash } = createSetupToken(randomBytes);
    const createdAt = clock.now();
    const usual = purpose === 'support' ? LINK_LIFE_SECONDS.ofSupport : LINK_LIFE_SECONDS.usual;
    const expiresAt = createdAt + (input.expiresInSeconds ?? usual) * 1000;
    const open = { revokedAt: null, revokedBy: null };
    const link = { id: newId('link'), workspaceId, domainId, purpose, createdAt, createdBy: actor, expiresAt, ...open };
    const shown = { linkId: link.id, url: `${publicUrl}${PAGES[purpose]}#${token}`, token, expiresAt };
    const { made, outcome } = await create(shown, (changes) => changes.createSetupLink(link, hash, LINKS_PER_DOMAIN));
    if (outcome === 'domain_missing') throw new Problem('data/domain_not_found');
    if (outcome === 'limit') throw new Problem('limits/setup_link_limit_exceeded');
    return made;
  },
});

export const listSetupLinks = defineList({
  name: 'domains.listSetupLinks',
  summary: 'List the set-up links of a domain',
  description:
    'Returns the links in order of creation, one page at a time, without their tokens. Expired links stay in the list for 30 days.',
  permission: { resource: 'environment', action: 'create_setup_link' },
  request: Type.Object({ domain: DomainIdentifier, ...pageRequest }, closed),
  item: SetupLinkSchema,
  problems: ['data/domain_not_found'],
  example: { request: { domain: exampleDomain.name }, items: [presentSetupLink(exampleSetupLink)] },
  async handle({ principal: { workspaceId }, input, find }, { store }) {
    const { id } = await find.domain(input.domain);
    const page = await store.listSetupLinks(workspaceId, id, pageOf(input));
    return { ...page, items: page.items.map(presentSetupLink) };
  },
});

export const revokeSetupLink = defineOperation({
  name: 'domains.revokeSetupLink',
  summary: 'Revoke a set-up link',
  description: 'The link and its open pages stop working within a second. Revoking it again changes nothing.',
  permission: { resource: 'environment', action: 'create_setup_link' },
  request: Type.Object({ linkId: SetupLinkId }, closed),
  response: Empty,
  problems: ['data/setup_link_not_found'],
  example: { request: { linkId: exampleSetupLink.id }, response: {} },
  async handle({ principal: { workspaceId }, input: { linkId }, find, changes }, { store, clock }) {
    const found = await store.findSetupLink(linkId);
    const own = found?.workspaceId === workspaceId ? found : null;
    const { id } = find.permitted(own, own?.environmentId, 'data/setup_link_not_found');
    if (!(await changes.revokeSetupLink(id, clock.now()))) throw new Problem('data/setup_link_not_found');
    return {};
  },
});
