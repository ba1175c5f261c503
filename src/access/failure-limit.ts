import type { Clock } from '../clock.ts';
import { clientNetwork } from '../ratelimit/client-network.ts';
import { type Limiter, memoryLimiter } from '../ratelimit/limiter.ts';

/** Limits failed authentications per client network: each may cost a read of the store or the check of a signature. */
export interface FailureLimit {
  /** Whole seconds until the address may try again; null: it may now. */
  retryAfterSeconds(address: string): number | null;
  countFailure(address: string): void;
}

/** No honest mistake reaches it, and a client whose key is cached is never limited. */
export const FAILURES = { limit: 300, windowMs: 60_000 };
const OPERATION = 'authentication';

/** Most networks counted at once. Evicting one gains an attacker nothing who has more networks than this. */
const CAPACITY = 50_000;

/** `limiter`: counts in memory unless given. */
export function createFailureLimit(
  clock: Clock,
  limiter: Pick<Limiter, 'take' | 'peek'> = memoryLimiter(clock, CAPACITY),
): FailureLimit {
  return {
    retryAfterSeconds(address) {
      const { allowed, resetSeconds } = limiter.peek(clientNetwork(address), OPERATION, FAILURES);
      return allowed ? null : resetSeconds;
    },
    countFailure(address) {
      limiter.take(clientNetwork(address), OPERATION, FAILURES);
    },
  };
}
