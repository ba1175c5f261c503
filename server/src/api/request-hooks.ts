import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticate } from '../access/access.ts';
import type { Authentication } from '../access/authenticate.ts';
import { permitsAny } from '../access/permissions.ts';
import { limitFor, type RateLimitDecision, type RateLimits } from '../access/ratelimit/decision.ts';
import type { Limiter } from '../access/ratelimit/limiter.ts';
import type { Principal } from '../access/root-key-cache.ts';
import { hashSecret } from '../access/secret-text.ts';
import type { LinkPurpose } from '../store/store.ts';
import { Problem, type ProblemCode } from './errors.ts';
import type { Needed } from './find.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null before authentication, and on public routes. */
    principal: Principal | null;
    /** The operation that was called; null on public routes. */
    operation: string | null;
    /** The domain that the operation is about; undefined before it was found, and where there are none or many. */
    domainId: string | undefined;
    /** The error that the response has; undefined for a success. */
    errorCode: ProblemCode | undefined;
  }
}

/** Sessions of set-up links add this to the authentication of an operation. Both may reject with a `Problem`. */
export interface SessionGate {
  /** Those of the links whose sessions may call the operation. */
  purposes: readonly LinkPurpose[];
  /** Admits a session, or refuses it. */
  admit(request: FastifyRequest, reply: FastifyReply, principal: Principal): Promise<void>;
  /** Called before a request is refused that may have come from a session. */
  beforeRefusal(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/** Sets `request.principal`, or throws or rejects with a `Problem`. Returns a promise only where it has to wait. */
export function authenticationHook(
  authenticate: Authenticate,
  gate?: SessionGate,
  noteUse: (principal: Principal) => void = () => {},
) {
  function accept(request: FastifyRequest, reply: FastifyReply, result: Authentication): Promise<void> | undefined {
    if (!result.ok) {
      const problem = refusalOf(result);
      if (gate === undefined) throw problem;
      return gate.beforeRefusal(request, reply).then(() => {
        throw problem;
      });
    }
    const { principal } = result;
    request.principal = principal;
    noteUse(principal);
    if (principal.session === undefined) return undefined;
    if (!gate?.purposes.includes(principal.session.purpose)) throw new Problem('authorization/setup_session');
    return gate.admit(request, reply, principal);
  }

  return (request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined => {
    const result = authenticate(request.headers.authorization, request);
    if (result instanceof Promise) return result.then((authentication) => accept(request, reply, authentication));
    return accept(request, reply, result);
  };
}

function refusalOf(refused: Extract<Authentication, { ok: false }>): Problem {
  return refused.code === 'limits/rate_limited'
    ? tooManyFailures(refused.retryAfterSeconds)
    : new Problem(refused.code, refused.detail === undefined ? {} : { detail: refused.detail });
}

export function tooManyFailures(retryAfterSeconds: number): Problem {
  const detail = 'Too many requests with bad credentials from this address. Try again after the time in Retry-After.';
  return new Problem('limits/rate_limited', { detail, headers: retryAfter(retryAfterSeconds) });
}

/**
 * Counts a request of a caller to an operation, and decides about it; undefined: unlimited. Sessions of set-up links
 * have only those limits of the workspace that block an operation. A caller who has the `needed` permission on nothing
 * is counted apart, so that it uses up no limit of the workspace.
 */
export type CountRequest = (
  principal: Principal,
  operation: string,
  needed?: Partial<Needed>,
) => RateLimitDecision | undefined;

export function requestCounter(limiter: Pick<Limiter, 'take'>, defaults: RateLimits): CountRequest {
  return ({ workspaceId, actor, grants, limits, session }, operation, needed) => {
    const rate = limitFor(operation, limits.rates, defaults);
    if (rate === undefined || (session !== undefined && rate.limit !== 0)) return undefined;
    const isPermitted =
      needed?.permission === undefined || permitsAny(grants, needed.permission, needed.onAll !== undefined);
    return limiter.take(isPermitted ? workspaceId : hashSecret(`${workspaceId} ${actor}`), operation, rate);
  };
}

/** Counts a request and sets the RateLimit headers; throws a `Problem` above the limit. */
export function rateLimitHook(countRequest: CountRequest) {
  return (operation: Partial<Needed> & { name: string }, request: FastifyRequest, reply: FastifyReply): void => {
    const decision = countRequest(principalOf(request), operation.name, operation);
    if (decision === undefined) return;
    reply.headers(rateLimitHeaders(decision));
    if (!decision.allowed) throw rateLimited(decision);
  };
}

/**
 * The headers name the limit that refuses, also where it belongs to another operation. `detail`: replaces that of a
 * workspace.
 */
export function rateLimited(decision: RateLimitDecision, detail?: string): Problem {
  const headers = { ...rateLimitHeaders(decision), ...retryAfter(decision.resetSeconds) };
  return new Problem('limits/rate_limited', { ...(detail !== undefined && { detail }), headers });
}

export function rateLimitHeaders({ limit, remaining, resetSeconds }: RateLimitDecision): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
  };
}

export function principalOf({ principal }: FastifyRequest): Principal {
  if (principal === null) throw new Error('a route used its principal before authentication');
  return principal;
}

function retryAfter(seconds: number): Record<string, string> {
  return { 'Retry-After': String(seconds) };
}
