import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticate } from '../access/access.ts';
import type { Authentication } from '../access/authenticate.ts';
import type { Principal } from '../access/root-key-cache.ts';
import { limitFor, type RateLimitDecision, type RateLimits } from '../ratelimit/decision.ts';
import type { Limiter } from '../ratelimit/limiter.ts';
import { Problem } from './errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null before authentication, and on public routes. */
    principal: Principal | null;
    /** The operation that was called; null on public routes. */
    operation: string | null;
  }
}

/** Sets `request.principal`, or throws or rejects with a `Problem`. Returns a promise only where it has to wait. */
export function authenticationHook(authenticate: Authenticate) {
  function accept(request: FastifyRequest, result: Authentication): void {
    if (result.ok) {
      request.principal = result.principal;
      return;
    }
    if (result.code !== 'limits/rate_limited') throw new Problem(result.code);
    const detail = 'Too many requests with bad credentials from this address. Try again after the time in Retry-After.';
    throw new Problem(result.code, { detail, headers: retryAfter(result.retryAfterSeconds) });
  }

  return (request: FastifyRequest): Promise<void> | undefined => {
    const result = authenticate(request.headers.authorization, request);
    if (result instanceof Promise) return result.then((authentication) => accept(request, authentication));
    accept(request, result);
    return undefined;
  };
}

/** Counts a request of a caller to an operation, and decides about it; undefined: unlimited. */
export type CountRequest = (principal: Principal, operation: string) => RateLimitDecision | undefined;

export function requestCounter(limiter: Pick<Limiter, 'take'>, defaults: RateLimits): CountRequest {
  return ({ workspaceId, limits }, operation) => {
    const rate = limitFor(operation, limits.rates, defaults);
    return rate && limiter.take(workspaceId, operation, rate);
  };
}

/** Counts a request and sets the RateLimit headers; throws a `Problem` above the limit. */
export function rateLimitHook(limiter: Pick<Limiter, 'take'>, defaults: RateLimits) {
  const countRequest = requestCounter(limiter, defaults);
  return (operation: string, request: FastifyRequest, reply: FastifyReply): void => {
    const decision = countRequest(principalOf(request), operation);
    if (decision === undefined) return;
    reply.headers(rateLimitHeaders(decision));
    if (!decision.allowed) throw rateLimited(decision);
  };
}

/** The headers say which limit refuses, also where it is that of another operation. */
export function rateLimited(decision: RateLimitDecision): Problem {
  const headers = { ...rateLimitHeaders(decision), ...retryAfter(decision.resetSeconds) };
  return new Problem('limits/rate_limited', { headers });
}

function rateLimitHeaders({ limit, remaining, resetSeconds }: RateLimitDecision): Record<string, string> {
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
