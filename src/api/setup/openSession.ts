import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import Type, { type Static } from 'typebox';
import type { FailureLimit } from '../../access/failure-limit.ts';
import { signSession } from '../../access/session-token.ts';
import { hashSetupToken, isSetupToken, setupLinkError } from '../../access/setup-link.ts';
import { currentSigningKey } from '../../access/signing-key.ts';
import type { Brand } from '../../domain/brand.ts';
import { presentDomain } from '../../domain/presented-domain.ts';
import type { Limiter } from '../../ratelimit/limiter.ts';
import type { FoundSetupLink } from '../../store/contract/store.ts';
import { DomainSchema, exampleDomain } from '../domains/present-domain.ts';
import { exampleSetupLink, exampleSetupToken } from '../domains/present-setup-link.ts';
import { ERRORS, Problem } from '../errors.ts';
import type { HandlerContext, OpenOperation } from '../operation.ts';
import { rateLimited, tooManyFailures } from '../request-hooks.ts';
import { closed, Meta, Time } from '../schemas.ts';
import type { CrossOrigin } from './cross-origin.ts';
import { BrandSchema, examplePage } from './present-brand.ts';
import { forCustomer, limitLink } from './session-scope.ts';

const Session = Type.Object(
  {
    sessionToken: Type.String({ description: 'For `Authorization: Bearer …`.' }),
    expiresAt: Time('From then on the session token does not work: open another session before.'),
    domain: DomainSchema,
    brand: BrandSchema,
  },
  closed,
);

const Token = Type.Object(
  {
    token: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'That of a set-up link: what is behind `#` in its `url`.',
    }),
  },
  closed,
);

export const openSession: OpenOperation = {
  name: 'setup.openSession',
  summary: 'Open a session of a set-up link',
  description:
    'Exchanges the token of a set-up link for a session token, which is valid for two minutes. With it, `domains.getDomain`, `domains.watchDomain`, `domains.diagnoseDomain`, `domains.getCertificate` and `domains.verifyDomain` work for the domain of the link, and for no other. Needs no key. Browsers may call it from the page of the link, and from the origins of the workspace (`setup.setBrand`).',
  request: Token,
  status: 200,
  response: Type.Object({ meta: Meta, data: Session }, closed),
  problems: [
    'authentication/setup_link_not_found',
    'authentication/setup_link_expired',
    'authentication/setup_link_revoked',
    'authorization/workspace_disabled',
    'authorization/origin_not_allowed',
  ],
  example: {
    request: { token: exampleSetupToken },
    result: {
      data: {
        sessionToken: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJsaW5rXzAxIn0.c2lnbmF0dXJl',
        expiresAt: exampleSetupLink.createdAt + 120_000,
        domain: presentDomain(exampleDomain),
        brand: examplePage.brand,
      },
    },
  },
};

interface SessionOpenerDeps extends Pick<HandlerContext, 'store' | 'clock' | 'newId' | 'apexNote' | 'countRequest'> {
  crossOrigin: CrossOrigin;
  failures: FailureLimit;
  limiter: Pick<Limiter, 'take'>;
}

/** For customers whose link does not work any more. */
function whomToAsk({ name, support }: Brand): string {
  if (name === undefined && support === undefined) return '';
  return ` Ask ${name ?? 'the people who sent it'} for a new one${support === undefined ? '.' : `: ${support}`}`;
}

/** Most links whose id is cached. */
const LINKS = 10_000;

export interface SessionOpener {
  /** Refuses an address that has tried many tokens, before its body is read: throws a `Problem`. */
  admit(request: FastifyRequest): void;
  /** Handles `setup.openSession`. Rejects with a `Problem`. */
  handle(request: FastifyRequest, reply: FastifyReply): Promise<Static<typeof Session>>;
}

export function sessionOpener(deps: SessionOpenerDeps): SessionOpener {
  const { store, clock, newId, apexNote, countRequest, crossOrigin, failures, limiter } = deps;

  /** Ids of links that were found, by the hash of their token: a link above its limit is not looked up. */
  const ids = new LRUCache<string, string>({ max: LINKS });

  async function findLink(token: string, reply: FastifyReply): Promise<FoundSetupLink | null> {
    if (!isSetupToken(token)) return null;
    const hash = hashSetupToken(token);
    const key = Buffer.from(hash).toString('base64');
    const id = ids.get(key);
    if (id !== undefined) limitLink(limiter, id, reply);
    const link = await store.findSetupLinkByToken(hash);
    if (link === null || id !== undefined) return link;
    ids.set(key, link.id);
    limitLink(limiter, link.id, reply);
    return link;
  }

  return {
    admit({ ip }) {
      const retryAfterSeconds = failures.retryAfterSeconds(ip);
      if (retryAfterSeconds !== null) throw tooManyFailures(retryAfterSeconds);
    },
    async handle(request, reply) {
      const { token } = request.body as Static<typeof Token>;
      const link = await findLink(token, reply);
      if (link === null) {
        failures.countFailure(request.ip);
        throw new Problem('authentication/setup_link_not_found');
      }
      await crossOrigin.admit(request, reply, link.workspaceId);
      const error = setupLinkError(link, clock.now());
      const page = await store.findSetupPage(link.workspaceId);
      if (error !== null) throw new Problem(error, { detail: ERRORS[error].detail + whomToAsk(page.brand) });
      const [workspace, domain] = await Promise.all([
        store.findWorkspace(link.workspaceId),
        store.findDomainById(link.workspaceId, link.domainId),
      ]);
      if (workspace === null || workspace.disabledAt !== null) throw new Problem('authorization/workspace_disabled');
      const { id: workspaceId, limits } = workspace;
      const blocked = countRequest({ workspaceId, limits, session: { ...link, linkId: link.id } }, openSession.name);
      if (blocked !== undefined) throw rateLimited(blocked);
      // Deleted meanwhile.
      if (domain === null) throw new Problem('authentication/setup_link_not_found');
      const session = await signSession(await currentSigningKey({ store, clock, newId }), link, clock.now());
      return {
        sessionToken: session.token,
        expiresAt: Math.min(session.expiresAt, link.expiresAt),
        domain: presentDomain(forCustomer(domain), apexNote),
        brand: page.brand,
      };
    },
  };
}
