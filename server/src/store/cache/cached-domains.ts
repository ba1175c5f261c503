import { LRUCache } from 'lru-cache';
import type { Domain } from '../../domain/domain.ts';
import type { Store } from '../store.ts';
import { CACHE_BYTES, createCache } from './cache.ts';
import type { ChangeFeed } from './change-feed.ts';
import { hash, type Invalidations } from './invalidations.ts';

/** More than twice as many as the cache has room for, so that few of them share one. 256 KB. */
const READ_SLOTS = 262_144;
/** So many domains are remembered as read, and then forgotten together. */
const MOST_READ = READ_SLOTS / 4;

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

  /** Where the hash of an id is: 1 once that was read. Another id there is cached at its first read, which does no harm. */
  const readBefore = new Uint8Array(READ_SLOTS);
  let read = 0;

  /** The id of a domain that is worth caching. Most of a million are asked for once before they are evicted, and would be garbage in the old generation. */
  function idOf(domain: Domain | null): string | undefined {
    if (domain === null) return undefined;
    const slot = hash(domain.id) % READ_SLOTS;
    if (readBefore[slot] === 1) {
      sharedDomains.add(domain);
      return domain.id;
    }
    if (read === MOST_READ) readBefore.fill(0);
    read = read === MOST_READ ? 1 : read + 1;
    readBefore[slot] = 1;
    return undefined;
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

const sharedDomains = new WeakSet<object>();

/** Whether a cache returns this object again, so that its JSON is worth keeping. */
export function isShared(domain: object): boolean {
  return sharedDomains.has(domain);
}

/** About what an entry takes in memory, bytes. */
function sizeOf(domain: Domain | null): number {
  if (domain === null) return 1;
  const { name, service, target, token, verificationError, externalId, metadata } = domain;
  // 700 for the object, its ids, times and the cache's own, and its texts.
  const own =
    700 +
    name.length +
    service.length +
    target.length +
    token.length +
    sizeOfText(verificationError) +
    sizeOfText(externalId) +
    sizeOfText(metadata);
  // The JSON that the API keeps with it: 1,000 for the part that is the same in all, and its texts.
  const response =
    1000 + 3 * name.length + 2 * service.length + target.length + token.length + sizeOfText(verificationError);
  return own + response;
}

/** Two bytes a character, since it may hold any. */
function sizeOfText(text: string | null): number {
  return 2 * (text?.length ?? 0);
}
