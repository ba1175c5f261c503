import { LRUCache } from 'lru-cache';
import type { Domain } from '../domain/domain.ts';
import type { Store } from '../store/contract/store.ts';
import { CACHE_BYTES, createCache } from './cache.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { Invalidations } from './invalidations.ts';

/**
 * The store with a cache of domains in front: clients poll `domains.getDomain` far more often than domains change. A change made through this
 * store is seen at once, in all threads that share `invalidations`; one made elsewhere within a second. Until then a cached domain is the same
 * object each time, with which the API keeps its JSON; `maxBytes` bounds both.
 */
export function cacheDomains(
  store: Store,
  changes: ChangeFeed,
  maxBytes = CACHE_BYTES,
  invalidations?: Invalidations,
): Store {
  const domains = createCache<Domain>({
    changes,
    capacity: Math.floor(maxBytes * 0.8),
    sizeOf,
    invalidations,
    keysOf: ({ kind, key }) => (kind === 'domain' ? [key] : []),
  });
  // Keys are "<workspace> <name>". An id whose domain was invalidated or evicted is a miss.
  const ids = new LRUCache<string, string>({
    maxSize: Math.floor(maxBytes * 0.2),
    sizeCalculation: (id, key) => 100 + id.length + key.length,
  });

  changes.subscribe((change) => {
    if (change === null) ids.clear();
  });

  store.onDomainWrite(domains.invalidate);

  return {
    ...store,
    async findDomainByName(workspaceId, name) {
      const key = `${workspaceId} ${name}`;
      // In the order of insertion: an id that is evicted too early costs one read, and recency a part of every request.
      const id = ids.peek(key);
      const cached = id === undefined ? undefined : domains.get(id);
      if (cached) return shared(cached);
      const domain = await domains.load(() => store.findDomainByName(workspaceId, name), idOf);
      if (domain !== null) ids.set(key, domain.id);
      return domain;
    },
    async findDomainById(workspaceId, domainId) {
      const cached = domains.get(domainId);
      if (cached?.workspaceId === workspaceId) return shared(cached);
      return domains.load(() => store.findDomainById(workspaceId, domainId), idOf);
    },
  };
}

/** Returned by a cache more than once. */
const sharedDomains = new WeakSet<object>();

function shared(domain: Domain): Domain {
  sharedDomains.add(domain);
  return domain;
}

/** Whether a cache returned this object before: then what is made of it is worth keeping. Of a million domains most are evicted first. */
export function isShared(domain: object): boolean {
  return sharedDomains.has(domain);
}

function idOf(domain: Domain | null): string | undefined {
  return domain?.id;
}

/** About what an entry takes in memory, bytes. */
function sizeOf(domain: Domain | null): number {
  return domain === null ? 1 : ownSize(domain) + responseSize(domain);
}

/** 700 for the object, its ids, times and the cache's own, and its texts. */
function ownSize({ name, service, target, token, verificationError }: Domain): number {
  return 700 + name.length + service.length + target.length + token.length + sizeOfText(verificationError);
}

/** The JSON that the API keeps beside it: 1,000 for what is the same for all, and its texts. */
function responseSize({ name, service, target, token, verificationError }: Domain): number {
  return 1000 + 3 * name.length + 2 * service.length + target.length + token.length + sizeOfText(verificationError);
}

/** Two bytes a character, since it may hold any. */
function sizeOfText(text: string | null): number {
  return 2 * (text?.length ?? 0);
}
