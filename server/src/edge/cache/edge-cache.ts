import { LRUCache } from 'lru-cache';
import type { Registry } from 'prom-client';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Keyring } from '../../store/sealing/keyring.ts';
import type { Origin } from '../../store/store.ts';
import { readEdgeCache, UnusableFile, writeEdgeCache } from './edge-cache-file.ts';
import { type WrittenFile, watchEdgeCache } from './edge-cache-metrics.ts';
import { originSize, type Served, type ServedEntry, type ServedSite } from './record-served.ts';
import { type Snapshots, type SnapshotsOptions, startSnapshots } from './snapshots.ts';
import type { StaleValue } from './stale-cache.ts';

/**
 * Keeps what the edge has served, and serves it while the store cannot be reached: in all threads, and after a restart
 * from a file, a snapshot of at most a minute ago.
 */
export interface EdgeCache extends ServedLookup {
  /**
   * Reads the file, once. Resolves with the number of names that may be served; a file that cannot be used counts as
   * none, and is logged.
   */
  load(): Promise<number>;
  /** Caches from now on what the edge serves, and writes the file. Called once. */
  startRecording(deps: Pick<SnapshotsOptions, 'store' | 'changes' | 'recentNames'>): Snapshots;
}

/**
 * Finds what was served before, for a read of the store that fails or is slow; undefined: nothing is known. Never
 * rejects.
 */
export interface ServedLookup {
  findSite(hostname: string): Promise<StaleValue<ServedSite> | undefined>;
  findOrigin(environmentId: string): Promise<StaleValue<Origin> | undefined>;
}

interface EdgeCacheOptions {
  path: string;
  /** Identifies this installation's database: the file of another one is ignored. */
  database: string;
  keyring: Keyring;
  clock: Clock;
  log: Log;
  metrics: { registry: Registry };
  maxBytes?: number;
}

type Entry =
  | (ServedEntry<ServedSite> & { hostname: string })
  | (ServedEntry<Origin | null> & { environmentId: string });

/** An entry that the store has not confirmed for longer is not served. */
const MAX_AGE_MS = 72 * 3_600_000;
/** A clock that was set back by more makes an age unknown. */
const CLOCK_STEP_MS = 3_600_000;
export const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ORIGINS = 100_000;

export function createEdgeCache(options: EdgeCacheOptions): EdgeCache {
  const { path, clock, log, metrics, maxBytes = MAX_BYTES } = options;
  const sites: Served['sites'] = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ value }) => bytesOf(value) });
  const origins: Served['origins'] = new LRUCache({
    maxSize: MAX_ORIGINS,
    sizeCalculation: ({ value }) => originSize(value),
  });
  let written: WrittenFile | null = null;
  let loading: Promise<number> | undefined;
  watchEdgeCache(metrics.registry, { clock, entries: () => sites.size, written: () => written });

  function load(): Promise<number> {
    loading ??= readFile();
    return loading;
  }

  async function readFile(): Promise<number> {
    try {
      const found = await readEdgeCache<Entry>(options);
      if (found === null) return 0;
      const { confirmedAt, bytes } = found;
      const entries = found.entries.filter(({ at }) => isYoung(at, clock.now()));
      if (entries.length === 0 && found.entries.length > 0)
        throw new UnusableFile('the database confirmed it more than 72 hours ago');
      // The file lists the most recently served first; the cache wants them last.
      for (const entry of entries.reverse()) addRead(entry);
      written = { bytes, confirmedAt };
      return entries.filter((entry) => 'hostname' in entry).length;
    } catch (error) {
      const reason = error instanceof UnusableFile ? error.message : 'it cannot be read';
      log.warn({ err: error }, `the edge cache ${path} is ignored: ${reason}`);
      return 0;
    }
  }

  function addRead(entry: Entry): void {
    const { at } = entry;
    if ('environmentId' in entry) {
      const { environmentId, value } = entry;
      if (!origins.has(environmentId))
        origins.set(environmentId, { value: value && ownSecretsOf(value), at, isCurrent: false });
      return;
    }
    const { hostname, value } = entry;
    const { certificate } = value;
    // A copy of the key: the one that was read is a view of its whole block.
    const own = certificate && { ...certificate, privateKey: certificate.privateKey.slice() };
    if (!sites.has(hostname)) sites.set(hostname, { value: { ...value, certificate: own }, at, isCurrent: false });
  }

  /** Writes the entries that may be served after a restart, the most recent first. */
  async function write(confirmedAt: number): Promise<void> {
    const entries: Entry[] = [
      ...[...origins].map(([environmentId, entry]) => ({ environmentId, ...entry })),
      ...[...sites].map(([hostname, entry]) => ({ hostname, ...entry })),
    ].filter(({ at }) => isYoung(at, confirmedAt));
    written = { bytes: await writeEdgeCache(options, { confirmedAt, entries }), confirmedAt };
  }

  async function find<T>(
    cache: LRUCache<string, ServedEntry<T | null>> | LRUCache<string, ServedEntry<T>>,
    key: string,
  ): Promise<StaleValue<T> | undefined> {
    await loading;
    const found = cache.get(key);
    if (found === undefined || !isYoung(found.at, clock.now())) return undefined;
    return { value: found.value, until: found.at + MAX_AGE_MS };
  }

  return {
    load,
    startRecording: (deps) =>
      startSnapshots({ ...deps, served: { sites, origins }, loaded: load(), write, path, clock, log }),
    findSite: (hostname) => find<ServedSite>(sites, hostname),
    findOrigin: (environmentId) => find<Origin>(origins, environmentId),
  };
}

/** With copies of its secrets: those that were read are views of their whole block. */
function ownSecretsOf({ settings, ...origin }: Origin): Origin {
  return { ...origin, settings: settings && structuredClone(settings) };
}

function isYoung(at: number, now: number): boolean {
  return now - at <= MAX_AGE_MS && at - now <= CLOCK_STEP_MS;
}

/** Approximate size of an entry in the file. */
function bytesOf({ hostname, certificate, exceptions }: ServedSite): number {
  const certificateBytes = certificate === null ? 0 : certificate.chain.length + certificate.privateKey.length;
  return 500 + hostname.length + certificateBytes + 50 * (exceptions?.size ?? 0);
}
