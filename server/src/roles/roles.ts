import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import type { PolledChangeFeed } from '../store/cache/change-feed.ts';
import type { Keyring } from '../store/sealing/keyring.ts';
import type { DomainStore, Store } from '../store/store.ts';
import type { Metrics } from './metrics.ts';
import type { ReportedAttempt } from './reported-attempts.ts';

/** The roles of one thread share these. */
export interface RoleDeps extends RoleSettings {
  clock: Clock;
  log: Log;
  metrics: Metrics;
  store: Store;
  /** Reads domains without the cache. */
  uncached: Pick<DomainStore, 'findDomainByName' | 'findDomainById'>;
  changes: PolledChangeFeed;
  keyring: Keyring;
  /** Called with each attempt to deliver an event to a webhook. */
  onAttempt?: ((attempt: ReportedAttempt) => void) | undefined;
}

/** Settings of all threads of a process: values that can be posted. */
export interface RoleSettings {
  config: Config;
  /** Several nodes may serve the API, and share their rate limits. */
  manyNodes: boolean;
  /** Port of nameservers. */
  nameserverPort: number;
  /** Port of HTTP-01 challenges (RFC 8555 section 8.3). */
  challengePort: number;
  /** A crashed process delays a certificate by this long at most. */
  certificateLeaseMs: number;
  /** A crashed process delays a delivery to a webhook by this long at most. */
  deliveryLeaseMs: number;
  checkIntervalMs: number;
  windowMs: number;
  /** Browsers reach the API where it listens, whatever the port. */
  isPublicHere?: boolean;
  /** Names of the internal CA in CAA records; it obeys none unless given. */
  internalCaaNames?: readonly string[];
  /** The secret by which the API knows requests that the edge of this process forwards. */
  edgeSecret: string;
}

/** Whether a process delivers events: one with the role `verifier` that can unseal the secrets of webhooks. */
export function deliversEvents({
  roles,
  databaseUrl,
  encryptionKeys,
}: Pick<Config, 'roles' | 'databaseUrl' | 'encryptionKeys'>): boolean {
  return roles.includes('verifier') && (databaseUrl.engine === 'sqlite' || encryptionKeys !== undefined);
}
