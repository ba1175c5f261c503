import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import type { DomainCounts, DomainStore } from '../store.ts';

/** Counts of more domains than these are kept, since they take longer than a page does. */
const MANY = 10_000;
const KEPT_MS = 60_000;
const MOST_WORKSPACES = 1000;

export interface CountedDomains extends DomainCounts {
  /** When the count began (Unix ms). */
  countedAt: number;
}

/** Counts the domains of a workspace: those of one with more than 10,000 at most once a minute, and one call at a time. */
export function keepCounts(
  store: Pick<DomainStore, 'countWorkspaceDomains'>,
  clock: Clock,
): (workspaceId: string) => Promise<CountedDomains> {
  const kept = new LRUCache<string, { at: number; counts: Promise<CountedDomains> }>({ max: MOST_WORKSPACES });

  async function count(workspaceId: string, countedAt: number): Promise<CountedDomains> {
    let isMany = false;
    try {
      const counts = await store.countWorkspaceDomains(workspaceId);
      isMany = counts.total > MANY;
      return { ...counts, countedAt };
    } finally {
      if (!isMany) kept.delete(workspaceId);
    }
  }

  return (workspaceId) => {
    const now = clock.now();
    const last = kept.get(workspaceId);
    if (last !== undefined && now - last.at < KEPT_MS) return last.counts;
    const counts = count(workspaceId, now);
    kept.set(workspaceId, { at: now, counts });
    return counts;
  };
}
