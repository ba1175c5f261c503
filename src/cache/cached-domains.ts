import type { Domain } from '../domain/domain.ts';
import type { Store } from '../store/contract/store.ts';
import { createRecall } from './cache.ts';
import type { News } from './change-feed.ts';
import { recentMap } from './lru-cache.ts';

/** Enough for the domains that clients are waiting for; at most about 30 MB. */
const CAPACITY = 20_000;

/**
 * The store, which remembers the domains that were asked for most recently: clients poll `domains.getDomain` far more often than domains
 * change. A change made through this store is seen at once, one made elsewhere within a second.
 */
export function rememberDomains(store: Store, news: News, capacity = CAPACITY): Store {
  const domains = createRecall<Domain | null>({
    news,
    capacity,
    forget(known, { kind, key }) {
      if (kind === 'domain') known.delete(key);
    },
  });
  // By workspace and name. An id whose domain is forgotten leads nowhere: the domain is read anew.
  const ids = recentMap<string>(capacity);

  /** Whatever the outcome: a write that was rejected may have happened. */
  async function changing<Outcome>(write: Promise<Outcome>, ...domainIds: (string | undefined)[]): Promise<Outcome> {
    try {
      return await write;
    } finally {
      for (const id of domainIds) if (id !== undefined) domains.forget(id);
    }
  }

  return {
    ...store,
    async findDomainByName(workspaceId, name) {
      const key = `${workspaceId} ${name}`;
      const id = ids.get(key);
      const known = id === undefined ? undefined : domains.remembered(id);
      if (known) return known;
      const domain = await domains.keep(() => store.findDomainByName(workspaceId, name), idOf);
      if (domain !== null) ids.set(key, domain.id);
      return domain;
    },
    async findDomainById(workspaceId, domainId) {
      const known = domains.remembered(domainId);
      if (known?.workspaceId === workspaceId) return known;
      return domains.keep(() => store.findDomainById(workspaceId, domainId), idOf);
    },
    retryVerification: (workspaceId, domainId, ...rest) =>
      changing(store.retryVerification(workspaceId, domainId, ...rest), domainId),
    deleteDomain: (workspaceId, domainId, now) => changing(store.deleteDomain(workspaceId, domainId, now), domainId),
    saveTransition: (save) => changing(store.saveTransition(save), save.before.id, save.loser?.before.id),
  };
}

function idOf(domain: Domain | null): string | undefined {
  return domain?.id;
}
