import type { Clock } from '../../base/clock.ts';
import type { ThrottledWarn } from '../../base/throttled-log.ts';
import { TLS_ALPN_TOKEN } from '../../domain/certificate-state.ts';
import type { EdgeStore } from '../../store/store.ts';
import type { Sites } from '../cache/site-cache.ts';
import type { EdgeMetrics } from '../edge-metrics.ts';

/**
 * Finds challenges of HTTP-01 (RFC 8555 section 8.3), of TLS-ALPN-01 (RFC 8737) and of self-checks. They are in the
 * store, so every node responds to those of all.
 */
export interface Challenges {
  /** The key authorization; null: no such challenge. Never rejects. */
  find(hostname: string | null, token: string, clientAddress: string): Promise<string | null | 'unavailable'>;
  /** The same for the TLS-ALPN-01 challenge of a name, which has one at a time. */
  findTls(hostname: string, clientAddress: string): Promise<string | null | 'unavailable'>;
}

export const CHALLENGE_PATH = '/.well-known/acme-challenge/';

/** Base64url of at least 128 bits (RFC 8555 section 8.3). */
const TOKEN = /^[A-Za-z0-9_-]{22,128}$/;
const CONCURRENCY_LIMIT = 64;

interface ChallengesOptions {
  store: Pick<EdgeStore, 'findChallenge'>;
  sites: Pick<Sites, 'find' | 'unknownNames'>;
  clock: Clock;
  metrics: Pick<EdgeMetrics, 'lookup'>;
  warn: ThrottledWarn;
  /** A name of the operator that has challenges without being a site. */
  selfCheckName?: string | undefined;
}

/**
 * The name at which `nameplate doctor` checks that an address leads to the edge. The wildcard of the CNAME zone gives
 * it addresses.
 */
export function selfCheckNameOf(cnameZone: string): string {
  return `doctor.${cnameZone}`;
}

/**
 * Anybody can ask for challenges, and they are not cached. So only a few are read at a time, and only for names that
 * are ours.
 */
export function createChallenges(options: ChallengesOptions): Challenges {
  const { store, sites, clock, metrics, warn, selfCheckName } = options;
  const { unknownNames } = sites;
  let inFlight = 0;

  async function read(hostname: string, token: string): Promise<string | null | 'unavailable'> {
    inFlight += 1;
    metrics.lookup('challenge');
    try {
      return await store.findChallenge(hostname, token, clock.now());
    } catch (error) {
      warn('a challenge could not be read from the store', { domain: hostname, err: error });
      return 'unavailable';
    } finally {
      inFlight -= 1;
    }
  }

  async function findOf(
    hostname: string,
    token: string,
    clientAddress: string,
  ): Promise<string | null | 'unavailable'> {
    const { kind } = hostname === selfCheckName ? { kind: 'site' } : await sites.find(hostname, clientAddress);
    if (kind === 'unknown') return null;
    if (kind !== 'site' || inFlight >= CONCURRENCY_LIMIT || unknownNames.isLimited(clientAddress)) return 'unavailable';
    const keyAuthorization = await read(hostname, token);
    if (keyAuthorization === null) unknownNames.count(clientAddress);
    return keyAuthorization;
  }

  return {
    find: async (hostname, token, clientAddress) =>
      hostname === null || !TOKEN.test(token) ? null : findOf(hostname, token, clientAddress),
    findTls: (hostname, clientAddress) => findOf(hostname, TLS_ALPN_TOKEN, clientAddress),
  };
}
