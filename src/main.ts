import { cacheDomains } from './cache/cached-domains.ts';
import { startChangeFeed } from './cache/change-feed.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Config } from './config/config.ts';
import { WINDOW_MS } from './domain/domain.ts';
import { CHECK_INTERVAL_MS } from './domain/schedule.ts';
import type { Edge } from './edge/edge.ts';
import type { Log } from './log.ts';
import { createMetrics } from './metrics.ts';
import type { Stoppable } from './net/listen.ts';
import { startApi } from './roles/api-role.ts';
import { startCertificates } from './roles/certificates-role.ts';
import { startEdge } from './roles/edge-role.ts';
import { startMetrics } from './roles/metrics-listener.ts';
import type { Parts } from './roles/roles.ts';
import { startVerifier } from './roles/verifier-role.ts';
import type { Store } from './store/contract/store.ts';
import { type Database, databaseAt, keyringFor } from './store/database.ts';
import type { WaitOptions } from './store/migrations/wait.ts';
import type { Keyring } from './store/sealing/keyring.ts';
import { missingKeys, sealPlaintextSecrets } from './store/sealing/rotation.ts';

/** The only composition root of a server: configuration → store → roles → listeners → shutdown. */

export interface ServerOptions {
  log: Log;
  clock?: Clock;
  /** Port that nameservers are asked at; 53 unless given. */
  nameserverPort?: number;
  /** Port that the CA looks at names at; 80 unless given. */
  challengePort?: number;
  /** How long a crash leaves a certificate alone; a minute unless given. */
  certificateLeaseMs?: number;
  checkIntervalMs?: number;
  windowMs?: number;
  /** Gives up the start while that waits for another process. */
  signal?: AbortSignal;
}

export interface RunningServer {
  /** `http://host:port`; null where the process has no such listener. */
  api: string | null;
  edge: Omit<Edge, 'stop'> | null;
  metrics: string | null;
  store: Store;
  /** Accepts nothing more, finishes what is under way within `listen.GRACE_MS`, and lets go of everything. */
  stop(): Promise<void>;
}

const PRUNE_EVERY_MS = 60_000;
/** No cache is ever this far behind. */
const CHANGES_KEPT_MS = 10 * 60_000;
/** The clocks of nodes differ by less. */
const ENDED_WINDOWS_KEPT_MS = 10 * 60_000;

/** Starts what the configuration names. Rejects with one line that says what to do, having let go of what it had begun. */
export async function startServer(config: Config, options: ServerOptions): Promise<RunningServer> {
  const { clock = systemClock, log, signal } = options;
  const database = await databaseAt(config.databaseUrl);
  // One owner at a time of what must be single; taken first, so that a second process does not migrate under the first.
  const unlock = await database.lockRoles(config.roles.filter((role) => role === 'verifier'));
  const onLongWait = (doing: string) => log.warn(`waiting for another process, ${doing}`);
  const waiting = { onLongWait, ...(signal && { signal }) };
  const keyring = keyringFor(database, config.encryptionKeys);
  const store = await openStore(database, { clock, keyring }, waiting).catch((error: unknown) => {
    unlock();
    throw error;
  });
  const running: Stoppable[] = [];
  const begin = <Part extends Stoppable>(part: Part): Part => {
    running.push(part);
    return part;
  };
  const stop = async () => {
    const stopped = await Promise.allSettled(running.splice(0).map((part) => part.stop()));
    await store.close();
    unlock();
    for (const part of stopped) if (part.status === 'rejected') throw part.reason;
  };
  try {
    await settleSecrets(store, keyring, config);
    const ports = { nameserverPort: 53, challengePort: 80 };
    const times = { certificateLeaseMs: 60_000, checkIntervalMs: CHECK_INTERVAL_MS, windowMs: WINDOW_MS };
    const changes = begin(startChangeFeed(store, { clock, log }));
    begin(database.listen(changes.poll));
    const { manyNodes } = database;
    const shared = { clock, config, changes, metrics: createMetrics(), store: cacheDomains(store, changes) };
    const parts: Parts = { ...ports, ...times, ...options, ...shared, manyNodes };
    begin(startPruning(parts));
    if (config.roles.includes('verifier')) begin(startVerifier(parts));
    if (config.roles.includes('certificates')) begin(startCertificates(parts));
    const edge = config.roles.includes('edge') ? begin(await startEdge(parts)) : null;
    const api = config.roles.includes('api') ? begin(await startApi(parts)).address : null;
    const metrics = config.metricsListen && begin(await startMetrics(parts, config.metricsListen)).address;
    return { api, edge, metrics, store: parts.store, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openStore(
  database: Database,
  options: { clock: Clock; keyring: Keyring },
  wait: WaitOptions,
): Promise<Store> {
  await database.migrate(wait);
  return database.open(options);
}

/** Nothing lies in the store in clear, nor under a key that this process lacks. A process that only verifies needs no key. */
async function settleSecrets(store: Store, keyring: Keyring, { roles }: Config): Promise<void> {
  if (roles.every((role) => role === 'verifier')) return;
  await sealPlaintextSecrets(store, keyring);
  const missing = await missingKeys(store, keyring);
  if (missing.length > 0) throw new Error(lacking(missing));
}

function lacking(keyIds: string[]): string {
  return `Private keys in the store are sealed under ${keyIds.join(', ')}, which this process does not have. Add that key to NAMEPLATE_ENCRYPTION_KEY, or put the key file back beside the database. Where nobody has kept it, docs/certificates.md says how to begin anew.`;
}

function startPruning({ store, clock, log }: Parts): Stoppable {
  const timer = setInterval(() => {
    const now = clock.now();
    const pruned = [store.pruneChanges(now - CHANGES_KEPT_MS), store.pruneRequests(now - ENDED_WINDOWS_KEPT_MS)];
    Promise.all(pruned).catch((error: unknown) => {
      log.warn({ err: error }, 'what is no longer needed could not be pruned; trying again in a minute');
    });
  }, PRUNE_EVERY_MS);
  return { stop: async () => clearInterval(timer) };
}
