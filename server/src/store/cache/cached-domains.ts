import { LRUCache } from 'lru-cache';
import type { Domain } from '../../domain/domain.ts';
import type { Store } from '../store.ts';
import { CACHE_BYTES, createCache } from './cache.ts';
import type { ChangeFeed } from './change-feed.ts';
import { hash, type Invalidations } from './invalidations.ts';

/** Domains that are noticed when they are read again. 64 KB. */
const READ_SLOTS = 16_384;

/**
 * The store with a cache of domains in front: clients poll `domains.getDomain` far more often than domains change. A change made through this
 * store is seen at once, in all threads that share `invalidations`; one made elsewhere within a second. `maxBytes`
 * bounds what they take. A domain is cached when it is read for the second time.
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

  /** Hashes of the ids that were read. */
  const readBefore = new Uint32Array(READ_SLOTS);

  /** The id of a domain that is worth caching. Most of a million are asked for once before they are evicted, and would be garbage in the old generation. */
  function idOf(domain: Domain | null): string | undefined {
    if (domain === null) return undefined;
    const id = hash(domain.id);
    const isReadAgain = readBefore[id % READ_SLOTS] === id;
    readBefore[id % READ_SLOTS] = id;
    return isReadAgain ? domain.id : undefined;
  }

  store.onDomainWrite(domains.invalidate);

  return {
    ...store,
    async findDomainByName(workspaceId, name) {
      const key = `${workspaceId} ${name}`;
      // In the order of insertion: an id that is evicted too early costs one read, and recency a part of every request.
      const id = ids.peek(key);
      const cached = id === undefined ? undefined : domains.get(id);
      if (cached) return cached;
      const domain = await domains.load(() => store.findDomainByName(workspaceId, name), idOf);
      if (domain !== null && domains.get(domain.id) !== undefined) ids.set(key, domain.id);
      return domain;
    },
    async findDomainById(workspaceId, domainId) {
      const cached = domains.get(domainId);
      if (cached?.workspaceId === workspaceId) return cached;
      return domains.load(() => store.findDomainById(workspaceId, domainId), idOf);
    },
  };
}

/** About what an entry takes in memory, bytes. */
function sizeOf(domain: Domain | null): number {
  if (domain === null) return 1;
  const { name, service, target, token, verificationError } = domain;
  // 700 for the object, its ids, times and the cache's own, and its texts.
  return 700 + name.length + service.length + target.length + token.length + sizeOfText(verificationError);
}

/** Two bytes a character, since it may hold any. */
function sizeOfText(text: string | null): number {
  return 2 * (text?.length ?? 0);
}
