import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import type { Issuer } from '../issuer.ts';
import type { Blocked } from './attempt-result.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';

/**
 * Falls back to another CA after one has failed for a name. Local to this process: another node may ask the failed CA
 * once more, within the limits of the ledger.
 */
export interface Fallback {
  /** Skips a CA for a name if another may issue; false: none may. */
  skip(hostname: string, issuer: Issuer, blocked: Blocked): Promise<boolean>;
  /** Why a CA is skipped for a name; null: it may be asked. */
  findSkipped(hostname: string, issuer: Issuer): Blocked | null;
}

const CAPACITY = 10_000;

export function createFallback({
  issuers,
  circuitBreaker,
  clock,
}: {
  issuers: readonly Issuer[];
  circuitBreaker: CircuitBreaker;
  clock: Clock;
}): Fallback {
  const skipped = new LRUCache<string, Blocked>({ max: CAPACITY });

  function findSkipped(hostname: string, { id }: Issuer): Blocked | null {
    const found = skipped.get(`${id} ${hostname}`);
    return found !== undefined && clock.now() < found.until ? found : null;
  }

  return {
    findSkipped,
    async skip(hostname, issuer, blocked) {
      for (const other of issuers) {
        if (other === issuer || findSkipped(hostname, other) !== null) continue;
        if ((await circuitBreaker.find(other.id)) !== null) continue;
        skipped.set(`${issuer.id} ${hostname}`, blocked);
        return true;
      }
      return false;
    },
  };
}
