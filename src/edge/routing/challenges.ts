import type { Clock } from '../../clock.ts';
import type { EdgeStore } from '../../store/contract/store.ts';
import type { Tally } from '../shared-counters.ts';
import type { Report } from '../throttled-log.ts';
import type { Routes } from './routes.ts';

/** HTTP-01 challenges (RFC 8555 section 8.3) and self-checks: they lie in the store, so every node answers those of all. */
export interface Challenges {
  /** What to answer with; null: there is no such challenge. Never rejects. */
  find(hostname: string | null, token: string, clientAddress: string): Promise<string | null | 'unavailable'>;
}

export const CHALLENGE_PATH = '/.well-known/acme-challenge/';

/** Base64url of at least 128 bits (RFC 8555 section 8.3). */
const TOKEN = /^[A-Za-z0-9_-]{22,128}$/;
const MOST_AT_ONCE = 64;

export interface ChallengesOptions {
  store: Pick<EdgeStore, 'findChallenge'>;
  routes: Pick<Routes, 'findRoute' | 'strangers'>;
  clock: Clock;
  tally: Pick<Tally, 'lookup'>;
  report: Report;
}

/** Anybody can ask for challenges, and the answer is not to be remembered: so few are looked up at once, and only for names that are ours. */
export function createChallenges({ store, routes, clock, tally, report }: ChallengesOptions): Challenges {
  let underWay = 0;

  async function lookUp(hostname: string, token: string): Promise<string | null | 'unavailable'> {
    underWay += 1;
    tally.lookup('challenge');
    try {
      return await store.findChallenge(hostname, token, clock.now());
    } catch (error) {
      report('a challenge could not be read from the store', { domain: hostname, err: error });
      return 'unavailable';
    } finally {
      underWay -= 1;
    }
  }

  return {
    async find(hostname, token, clientAddress) {
      if (hostname === null || !TOKEN.test(token)) return null;
      const { kind } = await routes.findRoute(hostname, clientAddress);
      if (kind === 'unknown') return null;
      if (kind !== 'route' || underWay >= MOST_AT_ONCE || routes.strangers.isBlocked(clientAddress))
        return 'unavailable';
      const answer = await lookUp(hostname, token);
      if (answer === null) routes.strangers.failed(clientAddress);
      return answer;
    },
  };
}
