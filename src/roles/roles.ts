import type { PolledChangeFeed } from '../cache/change-feed.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config/config.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Store } from '../store/contract/store.ts';

/** What the roles of one process are made of. */
export interface Parts {
  config: Config;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  store: Store;
  changes: PolledChangeFeed;
  /** Of which several may serve the API. */
  manyNodes: boolean;
  /** Port that nameservers are asked at. */
  nameserverPort: number;
  /** Port that the CA looks at names at (RFC 8555 section 8.3). */
  challengePort: number;
  /** How long a crash leaves a certificate alone. */
  certificateLeaseMs: number;
  checkIntervalMs: number;
  windowMs: number;
}
