import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import { isWildcard, wildcardOf } from '../../domain/wildcard.ts';
import type { ChangeFeed } from '../../store/cache/change-feed.ts';
import { type EdgeStore, OPERATOR, type Origin, type ServedCertificate, type Site } from '../../store/store.ts';

/** A site as it was served. Its origin is cached by environment, as in `site-cache.ts`. */
export interface ServedSite extends Omit<Site, 'origin' | 'certificate'> {
  certificate: ServedCertificate | null;
}

export interface ServedEntry<Value> {
  value: Value;
  /** When the store confirmed it, Unix ms. */
  at: number;
  /** The change log has listed no later change: an entry stays confirmed for as long as the log can be read. */
  isCurrent: boolean;
}

/** The size of an origin in a cache: 1 without settings, about 350 bytes. */
export function originSize(origin: Origin | null): number {
  const { caCertificate, clientCertificate } = origin?.settings ?? {};
  const { chain = '', privateKey = [] } = clientCertificate ?? {};
  return 1 + Math.ceil(((caCertificate?.length ?? 0) + chain.length + privateKey.length) / 350);
}

/** Sites and origins that the edge has served, most recent first. */
export interface Served {
  sites: LRUCache<string, ServedEntry<ServedSite>>;
  /** By environment; null: it has no deployment. */
  origins: LRUCache<string, ServedEntry<Origin | null>>;
}

interface RecordServedOptions {
  served: Served;
  /** Called when an entry differs from the file. */
  onChanged(): void;
  store: EdgeStore;
  changes: ChangeFeed;
  clock: Clock;
}

/** Number of entries of each kind that are read again in a minute, one after the other. */
const REREADS = 1000;

/**
 * Caches what the edge reads from the store. `reread` reads again what may have changed; it rejects as the store does.
 */
export function recordServed({ served, onChanged, store, changes, clock }: RecordServedOptions) {
  const { sites, origins } = served;
  let changeCount = 0;

  async function read<T>(
    ask: () => Promise<T>,
    save: (found: T, since: Omit<ServedEntry<T>, 'value'>) => void,
  ): Promise<T> {
    const [before, at] = [changeCount, clock.now()];
    const found = await ask();
    save(found, { at, isCurrent: changeCount === before });
    return found;
  }

  function put<Value>(cache: LRUCache<string, ServedEntry<Value>>, key: string, entry: ServedEntry<Value>): void {
    const before = cache.peek(key);
    if (before === undefined || !isDeepStrictEqual(entry.value, before.value)) onChanged();
    cache.set(key, entry);
  }

  function forget(hostname: string | null): void {
    if (hostname !== null && sites.delete(hostname)) onChanged();
  }

  function readSite(find: EdgeStore['findSite'], hostname: string): Promise<Site | null> {
    return read(
      () => find(hostname),
      (found, since) => {
        if (found === null) {
          forget(hostname);
          forget(wildcardOf(hostname));
          return;
        }
        const { origin, certificate, ...site } = found;
        // A wildcard serves the name.
        if (site.hostname !== hostname) forget(hostname);
        put(origins, site.environmentId, { value: origin, ...since });
        // A site that was cached before may have a certificate that can be used.
        if (certificate instanceof Error) return;
        put(sites, site.hostname, { value: { ...site, certificate }, ...since });
      },
    );
  }

  const recording: EdgeStore = {
    findSite: (hostname) => readSite(store.findSite, hostname),
    findOperatorSite: (hostname) => readSite(store.findOperatorSite, hostname),
    findOrigin: (environmentId) =>
      read(
        () => store.findOrigin(environmentId),
        (value, since) => put(origins, environmentId, { value, ...since }),
      ),
    findBrand: (workspaceId) => store.findBrand(workspaceId),
    findChallenge: (...about) => store.findChallenge(...about),
  };

  function markStale(entry: ServedEntry<unknown> | undefined): void {
    if (entry !== undefined) entry.isCurrent = false;
  }

  changes.subscribe((change) => {
    changeCount += 1;
    if (change === null) {
      for (const entry of [...sites.values(), ...origins.values()]) markStale(entry);
      return;
    }
    const { kind, key } = change;
    if (kind === 'certificate') markStale(sites.peek(key));
    // Names below may be served with its certificate.
    if (isWildcard(key))
      for (const [hostname, entry] of sites.entries()) if (wildcardOf(hostname) === key) markStale(entry);
    if (kind === 'environment') markStale(origins.peek(key));
    // The route may lead elsewhere now, or all sites of the workspace may be suspended. The next visitor caches them
    // again.
    if (kind === 'route') {
      forget(key);
      // It serves the name from now on, or no longer.
      forget(wildcardOf(key));
    }
    if (kind === 'workspace')
      for (const [hostname, { value }] of [...sites.entries()]) if (value.workspaceId === key) forget(hostname);
  });

  return {
    store: recording,
    /** The change log confirms what is current. */
    confirm(now: number): void {
      for (const entry of [...sites.values(), ...origins.values()]) if (entry.isCurrent) entry.at = now;
    },
    async reread(isOver: () => boolean): Promise<void> {
      const reads = [
        ...staleEntries(sites).map(([hostname, { domainId }]) => {
          return () => (domainId === OPERATOR ? recording.findOperatorSite(hostname) : recording.findSite(hostname));
        }),
        ...staleEntries(origins).map(
          ([environmentId]) =>
            () =>
              recording.findOrigin(environmentId),
        ),
      ];
      for (const again of reads) {
        // Lets other work run.
        await setImmediate();
        if (isOver()) return;
        await again();
      }
    },
  };
}

function staleEntries<Value>(cache: LRUCache<string, ServedEntry<Value>>): [string, Value][] {
  const entries = [...cache.entries()].filter(([, { isCurrent }]) => !isCurrent);
  return entries.slice(0, REREADS).map(([key, { value }]) => [key, value]);
}
