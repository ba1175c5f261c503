import type { Registry } from 'prom-client';
import type { StaleValue } from '../../cache/stale-cache.ts';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { Origin, Site } from '../../store/contract/store.ts';
import type { Keyring } from '../../store/sealing/keyring.ts';
import { readEdgeCache, removeLeftovers, UnusableFile } from './edge-cache-file.ts';
import { type WrittenFile, watchEdgeCache } from './edge-cache-metrics.ts';
import { type Keeper, type KeepOptions, keepServed } from './keep-served.ts';
import { createServedSealer } from './seal-served.ts';
import { createServedSites, isYoung, MAX_BYTES } from './served-sites.ts';
import { createServedWriter, type WriteOptions } from './write-served.ts';

/**
 * Keeps what the edge has served, and serves it while the store cannot be reached: in all threads, and after a restart from a file.
 * Private keys are sealed in memory and in the file.
 */
export interface EdgeCache extends ServedLookup {
  /** Reads the file, once. Resolves with the number of names that may be served; a file that cannot be used counts as none, and is logged. */
  load(): Promise<number>;
  /** Keeps from now on what the edge serves. Called once. */
  keep(deps: Pick<KeepOptions, 'store' | 'changes'> & Pick<WriteOptions, 'recentNames'>): Keeper;
}

/** What was served before, for a read of the store that fails or is slow; undefined: nothing is known. Never rejects. */
export interface ServedLookup {
  findSite(hostname: string): Promise<StaleValue<Site> | undefined>;
  findOrigin(environmentId: string): Promise<StaleValue<Origin> | undefined>;
}

interface EdgeCacheOptions {
  path: string;
  /** Of this installation: a file of another one is ignored. */
  database: string;
  keyring: Keyring;
  clock: Clock;
  log: Log;
  metrics: { registry: Registry };
  maxBytes?: number;
}

export function createEdgeCache(options: EdgeCacheOptions): EdgeCache {
  const { path, database, keyring, clock, log, metrics, maxBytes = MAX_BYTES } = options;
  const served = createServedSites({ maxBytes });
  const { sites, origins } = served;
  const sealer = createServedSealer(keyring);
  const file = { path, database };
  let written: WrittenFile | null = null;
  let loading: Promise<number> | undefined;
  watchEdgeCache(metrics.registry, { clock, entries: sites.size, written: () => written });

  function load(): Promise<number> {
    loading ??= readFile();
    return loading;
  }

  async function readFile(): Promise<number> {
    const now = clock.now();
    try {
      await removeLeftovers(path, now);
      const found = await readEdgeCache(file);
      if (found === null) return 0;
      if (!isYoung(found.confirmedAt, now)) throw new UnusableFile('the database confirmed it more than 72 hours ago');
      // The most recent last, as they were served.
      for (const [key, site] of found.sites.reverse()) if (!sites.has(key)) sites.set(key, site);
      for (const [key, origin] of found.origins.reverse()) if (!origins.has(key)) origins.set(key, origin);
      written = { bytes: found.bytes, confirmedAt: found.confirmedAt };
      return found.sites.filter(([, site]) => isYoung(sites.confirmedAt(site), now)).length;
    } catch (error) {
      const reason = error instanceof UnusableFile ? error.message : 'it cannot be read';
      log.warn({ err: error }, `the edge cache ${path} is ignored: ${reason}`);
      return 0;
    }
  }

  return {
    load,
    keep({ recentNames, ...deps }) {
      const onWritten = (now: WrittenFile) => {
        written = now;
      };
      const about = { served, sealer, loaded: load(), clock, log };
      const writer = createServedWriter({ ...about, file, recentNames, onWritten });
      return keepServed({ ...about, ...deps, writer });
    },
    async findSite(hostname) {
      await loading;
      const found = sites.find(hostname, clock.now());
      if (found === null) return undefined;
      const { site, certificate } = found.value;
      const origin = origins.find(site.environmentId, clock.now())?.value.origin ?? null;
      return { value: { ...site, origin, certificate: sealer.unseal(hostname, certificate) }, until: found.until };
    },
    async findOrigin(environmentId) {
      await loading;
      const found = origins.find(environmentId, clock.now());
      return found === null ? undefined : { value: found.value.origin, until: found.until };
    },
  };
}
