import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticate } from '../access/access.ts';
import type { Authentication } from '../access/authenticate.ts';
import type { Principal } from '../access/root-key-cache.ts';
import { limitFor, type RateLimits } from '../ratelimit/decision.ts';
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

/** Counts a request and sets the RateLimit headers; throws a `Problem` above the limit. */
export function rateLimitHook(limiter: Pick<Limiter, 'take'>, defaults: RateLimits) {
  return (operation: string, request: FastifyRequest, reply: FastifyReply): void => {
    const { workspaceId, limits } = principalOf(request);
    const rate = limitFor(operation, limits.rates, defaults);
    if (rate === undefined) return;
    const { allowed, limit, remaining, resetSeconds } = limiter.take(workspaceId, operation, rate);
    reply.header('RateLimit-Limit', limit);
    reply.header('RateLimit-Remaining', remaining);
    reply.header('RateLimit-Reset', resetSeconds);
    if (!allowed) throw new Problem('limits/rate_limited', { headers: retryAfter(resetSeconds) });
  };
}

export function principalOf({ principal }: FastifyRequest): Principal {
  if (principal === null) throw new Error('a route used its principal before authentication');
  return principal;
}

function retryAfter(seconds: number): Record<string, string> {
  return { 'Retry-After': String(seconds) };
}
