import type { FastifyReply, FastifyRequest } from 'fastify';
import { accessOn } from '../access/access.ts';
import { authenticate } from '../access/authenticate.ts';
import type { Principal } from '../access/principal-cache.ts';
import type { ChangeFeed } from '../cache/change-feed.ts';
import type { Clock } from '../clock.ts';
import { limitFor, type RateLimits } from '../ratelimit/decision.ts';
import { type Limiter, memoryLimiter } from '../ratelimit/limiter.ts';
import type { Store } from '../store/contract/store.ts';
import { Problem } from './errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; null before authentication, and where none is needed. */
    principal: Principal | null;
  }
}

/** Who is let in, and how often. Both throw a `Problem`. */
export interface Gate {
  /** Finds out who asks. */
  authenticate(request: FastifyRequest): Promise<void>;
  /** Counts a request, and says in the headers of the answer how many are left. */
  limit(operation: string, request: FastifyRequest, reply: FastifyReply): void;
}

interface GateParts {
  store: Store;
  clock: Clock;
  settings: { rateLimits: RateLimits };
  changes?: ChangeFeed;
  /** Counts in memory unless given. */
  limiter?: Limiter;
}

export function createGate({ store, clock, settings, changes, limiter = memoryLimiter(clock) }: GateParts): Gate {
  const access = accessOn(store, clock, changes);

  return {
    async authenticate(request) {
      const result = await authenticate(request.headers.authorization, request, access);
      if (result.ok) {
        request.principal = result.principal;
        return;
      }
      if (result.refusal !== 'limits/rate_limited') throw new Problem(result.refusal);
      const detail =
        'Too many requests with bad credentials came from this address. Try again after the time in Retry-After.';
      throw new Problem(result.refusal, { detail, headers: retryAfter(result.retryAfterSeconds) });
    },

    limit(operation, request, reply) {
      const { workspaceId, limits } = principalOf(request);
      const rate = limitFor(operation, limits.rates, settings.rateLimits);
      if (rate === undefined) return;
      const { allowed, limit, remaining, resetSeconds } = limiter.take(workspaceId, operation, rate);
      reply.header('RateLimit-Limit', limit);
      reply.header('RateLimit-Remaining', remaining);
      reply.header('RateLimit-Reset', resetSeconds);
      if (!allowed) throw new Problem('limits/rate_limited', { headers: retryAfter(resetSeconds) });
    },
  };
}

export function principalOf({ principal }: FastifyRequest): Principal {
  if (principal === null) throw new Error('a route used its principal before authentication');
  return principal;
}

function retryAfter(seconds: number): Record<string, string> {
  return { 'Retry-After': String(seconds) };
}
