import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import type { Issuer } from '../issuer.ts';
import type { Obstacle } from '../policy/explain.ts';
import type { Pauses } from './circuit-breaker.ts';

/**
 * Which CA takes over where another did not issue. What one refused is remembered by this process alone: at worst another node asks it once more, and the
 * ledger knows of that.
 */
export interface Substitutes {
  /** Whether another CA may do what this one did not; then this one is left alone with the name until the given time. */
  takeOver(hostname: string, issuer: Issuer, refused: RefusedName): Promise<boolean>;
  /** What a CA refused, as long as it is left alone with the name; null: it may be asked. */
  refusedBy(issuer: Issuer, hostname: string): RefusedName | null;
}

export interface RefusedName {
  obstacle: Obstacle;
  until: number;
}

const REMEMBERED = 10_000;

export function createSubstitutes({
  issuers,
  pauses,
  clock,
}: {
  issuers: readonly Issuer[];
  pauses: Pauses;
  clock: Clock;
}): Substitutes {
  const refused = new LRUCache<string, RefusedName>({ max: REMEMBERED });

  function refusedBy({ id }: Issuer, hostname: string): RefusedName | null {
    const found = refused.get(`${id} ${hostname}`);
    return found !== undefined && clock.now() < found.until ? found : null;
  }

  return {
    refusedBy,
    async takeOver(hostname, issuer, name) {
      for (const other of issuers) {
        if (other === issuer || refusedBy(other, hostname) !== null || (await pauses.find(other.id)) !== null) continue;
        refused.set(`${issuer.id} ${hostname}`, name);
        return true;
      }
      return false;
    },
  };
}
