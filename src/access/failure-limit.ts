import type { Clock } from '../clock.ts';
import { clientNetwork } from '../ratelimit/client-network.ts';
import { type Limiter, memoryLimiter } from '../ratelimit/limiter.ts';

/** Limits refused requests of one kind per client network: each may cost a read of the store or the check of a signature. */
export interface FailureLimit {
  /** Whole seconds until the address may try again; null: it may now. */
  retryAfterSeconds(address: string): number | null;
  countFailure(address: string): void;
}

export const FAILURES = { limit: 300, windowMs: 60_000 };

/** Most networks counted at once. Evicting one gains an attacker nothing who has more networks than this. */
const CAPACITY = 50_000;

/**
 * `authentication`: no honest mistake reaches the limit, and a client whose key is cached is never limited. `origin`: of pages whose origin no workspace lists, so
 * that they lock out nobody who has a key. `limiter`: counts in memory unless given.
 */
export function createFailureLimit(
  clock: Clock,
  limiter: Pick<Limiter, 'take' | 'peek'> = memoryLimiter(clock, CAPACITY),
  kind: 'authentication' | 'origin' = 'authentication',
): FailureLimit {
  return {
    retryAfterSeconds(address) {
      const { allowed, resetSeconds } = limiter.peek(clientNetwork(address), kind, FAILURES);
      return allowed ? null : resetSeconds;
    },
    countFailure(address) {
      limiter.take(clientNetwork(address), kind, FAILURES);
    },
  };
}
