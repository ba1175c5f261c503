import { clientNetwork } from '../base/client-network.ts';
import type { Clock } from '../base/clock.ts';
import { type Limiter, memoryLimiter } from './ratelimit/limiter.ts';

/**
 * Each kind has a limit of its own. `setup`: well-formed tokens of set-up links and of their sessions, so that guessed
 * keys lock out no customer behind the same address. `origin`: pages whose origin no workspace lists, so that they lock
 * out nobody who has a key. `authentication`: any other credential.
 */
export type FailureKind = 'authentication' | 'setup' | 'origin';

/**
 * Limits refused requests of each kind per client network: each may cost a read of the store or the check of a
 * signature.
 */
export interface FailureLimit {
  /** Whole seconds until the address may try again; null: it may now. */
  retryAfterSeconds(address: string, kind?: FailureKind): number | null;
  countFailure(address: string, kind?: FailureKind): void;
}

export const FAILURES = { limit: 300, windowMs: 60_000 };

/** Most networks counted at once. An attacker with more networks than this gains nothing by the eviction of one. */
const CAPACITY = 50_000;

/**
 * The limits are above any honest mistake, and a client whose credential is known is never limited. `limiter`: counts
 * in memory unless given.
 */
export function createFailureLimit(
  clock: Clock,
  limiter: Pick<Limiter, 'take' | 'peek'> = memoryLimiter(clock, CAPACITY),
): FailureLimit {
  return {
    retryAfterSeconds(address, kind = 'authentication') {
      const { allowed, resetSeconds } = limiter.peek(clientNetwork(address), kind, FAILURES);
      return allowed ? null : resetSeconds;
    },
    countFailure(address, kind = 'authentication') {
      limiter.take(clientNetwork(address), kind, FAILURES);
    },
  };
}
