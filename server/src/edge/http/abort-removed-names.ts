import { isWildcard, wildcardOf } from '../../domain/wildcard.ts';
import type { ChangeFeed } from '../../store/cache/change-feed.ts';
import type { CachedSite, Sites } from '../cache/site-cache.ts';
import type { RoutingInfo } from './http-exchange.ts';

/**
 * Requests and tunnels in flight, by host name. They are aborted when the name is deleted, taken over or suspended: a
 * WebSocket could otherwise go on for days. A new deployment aborts nothing, and neither does a move to another
 * environment.
 */
export interface InFlight {
  /** Returns a function to call when the request has ended. */
  add(route: Pick<RoutingInfo, 'hostname' | 'domainId'>, abort: () => void): () => void;
}

interface Entry {
  domainId: string;
  abort(): void;
}

const RETRY_MS = 1000;

/** `retryMs`: when the store could not say whether a name has changed, it is asked again after so long. */
export function trackInFlight(
  changes: Pick<ChangeFeed, 'subscribe'>,
  { cache }: Pick<Sites, 'cache'>,
  retryMs = RETRY_MS,
): InFlight {
  const byName = new Map<string, Set<Entry>>();
  const retrying = new Set<string>();

  changes.subscribe((change) => {
    if (change === null || change.kind === 'workspace') void reviewAll();
    else if (change.kind === 'route') void reviewRoute(change.key);
  });

  async function reviewRoute(name: string): Promise<void> {
    await review(name);
    if (!isWildcard(name)) return;
    for (const hostname of [...byName.keys()]) if (wildcardOf(hostname) === name) await review(hostname);
  }

  async function reviewAll(): Promise<void> {
    // One after another, to spare the store.
    for (const hostname of [...byName.keys()]) await review(hostname);
  }

  async function review(hostname: string): Promise<void> {
    if (!byName.has(hostname)) return;
    await cache.load(hostname).catch(() => {});
    const site = cache.get(hostname);
    if (site === undefined) {
      // Requests go on until the store responds, as cached names are served meanwhile.
      if (!retrying.has(hostname)) setTimeout(() => retry(hostname), retryMs).unref();
      retrying.add(hostname);
      return;
    }
    for (const entry of byName.get(hostname) ?? []) if (!isServed(site, entry)) entry.abort();
  }

  function retry(hostname: string): void {
    retrying.delete(hostname);
    void review(hostname);
  }

  return {
    add({ hostname, domainId }, abort) {
      const entry = { domainId, abort };
      const entries = byName.get(hostname) ?? new Set();
      byName.set(hostname, entries.add(entry));
      // The route may have changed since it was found.
      if (!retrying.has(hostname) && !isServed(cache.get(hostname), entry)) void review(hostname);
      return () => {
        entries.delete(entry);
        if (entries.size === 0 && byName.get(hostname) === entries) byName.delete(hostname);
      };
    },
  };
}

function isServed(site: CachedSite | null | undefined, { domainId }: Entry): boolean {
  return site?.domainId === domainId && site.suspendedStatus === null;
}
