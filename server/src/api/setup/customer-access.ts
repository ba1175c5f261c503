import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Access } from '../../access/access.ts';
import type { FailureKind, FailureLimit } from '../../access/failure-limit.ts';
import type { Limiter } from '../../access/ratelimit/limiter.ts';
import type { SessionScope } from '../../access/root-key-cache.ts';
import { hashSetupToken, isSetupToken } from '../../access/setup-link.ts';
import type { Brand } from '../../domain/brand.ts';
import type { FoundSetupLink, SetupStore } from '../../store/store.ts';
import { ERRORS, Problem, type ProblemCode } from '../errors.ts';
import { type SessionGate, tooManyFailures } from '../request-hooks.ts';
import type { CrossOrigin } from './cross-origin.ts';
import { forOwnDomain, limitLink, limitOperation } from './session-scope.ts';

/**
 * How customers reach operations: with the token of a set-up link in the body, or with that of a session in the header.
 * Each function may throw or reject with a `Problem`.
 */
export interface CustomerAccess {
  links: {
    /** Runs before the body is read: refuses origins that nobody lists. */
    admit(request: FastifyRequest, reply: FastifyReply): Promise<void>;
    /**
     * Sets `request.principal` by the property `token` of the body. Looks nothing up for addresses that have tried many
     * tokens, unless the link was opened before.
     */
    authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  };
  sessions: Omit<SessionGate, 'purposes'> & {
    /** Confines the input of an operation to the domain of the session. Counts requests that make us query the DNS. */
    inputOf(session: SessionScope, operation: string, body: unknown): unknown;
  };
}

interface CustomerAccessDeps {
  store: Pick<SetupStore, 'findSetupLinkByToken' | 'findSetupPage'>;
  standingOfLink: Access['standingOfLink'];
  crossOrigin: CrossOrigin;
  limiter: Pick<Limiter, 'take'>;
  failures: FailureLimit;
}

/** Most links whose id is cached. */
const LINKS = 10_000;

export function createCustomerAccess(deps: CustomerAccessDeps): CustomerAccess {
  const { store, standingOfLink, crossOrigin, limiter, failures } = deps;
  /** Ids of links that were found, by the hash of their token: a link above its limit is not looked up. */
  const ids = new LRUCache<string, string>({ max: LINKS });

  /** Throws a `Problem` for an address that has tried many tokens. */
  function refuseGuesses(ip: string, kind: FailureKind): void {
    const retryAfterSeconds = failures.retryAfterSeconds(ip, kind);
    if (retryAfterSeconds !== null) throw tooManyFailures(retryAfterSeconds);
  }

  async function findLink(token: string, { ip }: FastifyRequest, reply: FastifyReply): Promise<FoundSetupLink> {
    if (!isSetupToken(token)) {
      refuseGuesses(ip, 'authentication');
      failures.countFailure(ip);
      throw new Problem('authentication/setup_link_incomplete');
    }
    const hash = hashSetupToken(token);
    const key = Buffer.from(hash).toString('base64');
    const id = ids.get(key);
    if (id === undefined) refuseGuesses(ip, 'setup');
    else limitLink(limiter, id, reply);
    const link = await store.findSetupLinkByToken(hash);
    if (link === null) {
      failures.countFailure(ip, 'setup');
      throw new Problem('authentication/setup_link_not_found');
    }
    if (id !== undefined) return link;
    ids.set(key, link.id);
    limitLink(limiter, link.id, reply);
    return link;
  }

  return {
    links: {
      admit: crossOrigin.admitAny,
      async authenticate(request, reply) {
        const { token } = request.body as { token: string };
        const link = await findLink(token, request, reply);
        await crossOrigin.admit(request, reply, link.workspaceId);
        const standing = await standingOfLink(link);
        if (!standing.ok) throw refusalOf(standing.code, (await store.findSetupPage(link.workspaceId)).brand);
        request.principal = standing.principal;
      },
    },
    sessions: {
      async admit(request, reply, { workspaceId, session }) {
        await crossOrigin.admit(request, reply, workspaceId);
        if (session !== undefined) limitLink(limiter, session.linkId, reply);
      },
      beforeRefusal: crossOrigin.shareRefusal,
      inputOf(session, operation, body) {
        const input = forOwnDomain(session, body);
        limitOperation(limiter, session, operation, input);
        return input;
      },
    },
  };
}

/** Tells customers whose link has ended whom to ask: people in the detail, programs in header fields. */
function refusalOf(code: ProblemCode, { name, support }: Brand): Problem {
  const hasEnded = code === 'authentication/setup_link_expired' || code === 'authentication/setup_link_revoked';
  if (!hasEnded || (name === undefined && support === undefined)) return new Problem(code);
  const headers = {
    ...(support !== undefined && { 'Nameplate-Support': support.replace(/[^\x21-\x7e]/gu, encodeURIComponent) }),
    ...(name !== undefined && { 'Nameplate-Support-Name': encodeURIComponent(name) }),
  };
  const whomToAsk = `Ask ${name ?? 'the people who sent it'} for a new one${support === undefined ? '.' : `: ${support}`}`;
  return new Problem(code, { detail: `${ERRORS[code].detail} ${whomToAsk}`, headers });
}
