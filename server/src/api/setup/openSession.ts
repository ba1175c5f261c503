import Type from 'typebox';
import { signSession } from '../../access/session-token.ts';
import { currentSigningKey } from '../../access/signing-key.ts';
import { presentDomain } from '../../domain/presented-domain.ts';
import { DomainSchema, exampleDomain } from '../domains/present-domain.ts';
import { exampleSetupLink, exampleSetupToken, PAGES, PurposeSchema } from '../domains/setup-link-operations.ts';
import { Problem } from '../errors.ts';
import { defineOpenOperation } from '../operation.ts';
import { closed, Time } from '../schemas.ts';
import { BrandSchema, examplePage } from './brand-operations.ts';
import { forCustomer, sessionOf } from './session-scope.ts';

const Session = Type.Object({
  sessionToken: Type.String({ description: 'For `Authorization: Bearer …`.' }),
  expiresAt: Time('When the session token expires. Open another session before then.'),
  purpose: PurposeSchema,
  domain: DomainSchema,
  brand: BrandSchema,
  pageUrl: Type.Optional(
    Type.String({
      description:
        'URL of the set-up page. Followed by `#` and the token of the link, it is the `url` of the link. Absent if NAMEPLATE_PUBLIC_URL is not set.',
    }),
  ),
});

export const openSession = defineOpenOperation({
  name: 'setup.openSession',
  summary: 'Open a session of a set-up link',
  description:
    'Exchanges the token of a set-up link for a session token, which is valid for two minutes and only for the domain of the link. The token of a set-up link allows `domains.getDomain`, `domains.watchDomain`, `domains.diagnoseDomain`, `domains.getCertificate`, `domains.verifyDomain` and `setup.getDomainConnect`. That of a support link allows `domains.getSite`, `domains.diagnoseDomain`, `domains.getCertificate`, `domains.listEvents` and `usage.getUsage`. The operation needs no key. Browsers may call it from the page of the link, and from the origins of the workspace (`setup.setBrand`).',
  credential: 'setup_token',
  request: Type.Object(
    {
      token: Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'The token of a set-up link: the part after `#` in its `url`.',
      }),
    },
    closed,
  ),
  response: Session,
  problems: [
    'authentication/setup_link_not_found',
    'authentication/setup_link_incomplete',
    'authentication/setup_link_expired',
    'authentication/setup_link_revoked',
    'authorization/setup_workspace_disabled',
    'authorization/origin_not_allowed',
  ],
  example: {
    request: { token: exampleSetupToken },
    response: {
      sessionToken: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJsaW5rXzAxIn0.c2lnbmF0dXJl',
      expiresAt: exampleSetupLink.createdAt + 120_000,
      purpose: 'setup',
      domain: presentDomain(exampleDomain),
      brand: examplePage.brand,
      pageUrl: 'https://api.example.net/setup',
    },
  },
  async handle({ principal, changes, noteDomain }, { store, clock, newId, apexNote, settings: { publicUrl } }) {
    const { workspaceId } = principal;
    const { linkId, purpose, domainId, expiresAt } = sessionOf(principal);
    noteDomain(domainId);
    // The first session creates the signing key.
    const signingKeys = { ...store, replaceSigningKey: changes.replaceSigningKey };
    const [domain, page, key] = await Promise.all([
      store.findDomainById(workspaceId, domainId),
      store.findSetupPage(workspaceId),
      currentSigningKey({ store: signingKeys, clock, newId }),
    ]);
    // The domain was deleted meanwhile.
    if (domain === null) throw new Problem('authentication/setup_link_not_found');
    const signed = await signSession(key, { id: linkId, workspaceId, domainId }, clock.now());
    return {
      sessionToken: signed.token,
      expiresAt: Math.min(signed.expiresAt, expiresAt),
      purpose,
      domain: presentDomain(forCustomer(domain), apexNote),
      brand: page.brand,
      ...(publicUrl !== undefined && { pageUrl: `${publicUrl}${PAGES.setup}` }),
    };
  },
});
