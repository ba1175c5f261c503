import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { type ChallengeType, TLS_ALPN_TOKEN } from '../../domain/certificate-state.ts';
import type { DueCertificate, Store } from '../../store/store.ts';
import type { Blocker } from '../policy/blocker.ts';
import { challengePlace, type OwnDns } from '../policy/challenge-place.ts';
import type { AwaitDnsChallenge } from '../preflight/await-dns-challenge.ts';

/** A CA would not see our challenge response, and was not told of it. The order can go on. */
export class ChallengeBlocked extends Error {
  override name = 'ChallengeBlocked';
  readonly blocker: Blocker;

  constructor(blocker: Blocker) {
    super(blocker.reason);
    this.blocker = blocker;
  }
}

/** The responses to the challenges of one order. */
export interface ChallengeResponses {
  /**
   * Publishes one, and resolves once a CA may look at it. Rejects with `ChallengeBlocked`, with the signal's reason or
   * with the store's error.
   */
  publish(challenge: { type: ChallengeType; token: string; keyAuthorization: string }): Promise<void>;
  /** Takes back those in DNS; the store deletes others with their order. Never rejects: they expire. */
  withdraw(): Promise<void>;
}

interface ResponsesOptions {
  store: Pick<Store, 'putChallenge' | 'addDnsChallenge' | 'removeDnsChallenge'>;
  ownDns?: OwnDns | null;
  awaitDns: AwaitDnsChallenge | null;
  clock: Clock;
  log: Log;
}

/** For those that a crash left. */
const CHALLENGE_LIFE_MS = 24 * 3_600_000;

export function challengeResponses(options: ResponsesOptions) {
  const { store, ownDns = null, awaitDns, clock, log } = options;

  return ({ certificate: { hostname }, target }: DueCertificate, signal: AbortSignal): ChallengeResponses => {
    const added: { label: string; value: string }[] = [];

    async function publishInDns(keyAuthorization: string, expiresAt: number): Promise<void> {
      const place = challengePlace(hostname, target, ownDns);
      // The settings have changed since the order began.
      if (place === null || awaitDns === null) throw new ChallengeBlocked({ reason: 'no_challenge_record', place });
      const value = dnsChallengeValue(keyAuthorization);
      const { label } = place;
      added.push({ label, value });
      await store.addDnsChallenge({ label, value, expiresAt });
      const blocker = await awaitDns({ hostname, place, value }, signal);
      if (blocker !== null) throw new ChallengeBlocked(blocker);
    }

    return {
      async publish({ type, token, keyAuthorization }) {
        const expiresAt = clock.now() + CHALLENGE_LIFE_MS;
        if (type === 'dns-01') await publishInDns(keyAuthorization, expiresAt);
        else {
          const at = type === 'tls-alpn-01' ? TLS_ALPN_TOKEN : token;
          await store.putChallenge({ hostname, token: at, keyAuthorization, expiresAt });
        }
      },
      async withdraw() {
        for (const { label, value } of added.splice(0))
          await store.removeDnsChallenge(label, value).catch((error: unknown) => {
            log.warn(
              { err: error, domain: hostname },
              'a challenge could not be taken out of DNS; it expires in a day',
            );
          });
      },
    };
  };
}

/** The TXT value for a key authorization (RFC 8555 section 8.4). */
export function dnsChallengeValue(keyAuthorization: string): string {
  return createHash('sha256').update(keyAuthorization).digest('base64url');
}
