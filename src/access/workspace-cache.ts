import { createLoadingCache, type LoadingCache } from '../cache/cache.ts';
import type { ChangeFeed } from '../cache/change-feed.ts';
import type { AccessStore, Workspace } from '../store/contract/store.ts';

const CAPACITY = 10_000;

/** Workspaces by id. */
export function cachedWorkspaces(
  store: Pick<AccessStore, 'findWorkspace'>,
  changes?: ChangeFeed,
): LoadingCache<Workspace> {
  return createLoadingCache({
    changes,
    capacity: CAPACITY,
    read: (workspaceId) => store.findWorkspace(workspaceId),
    keysOf: ({ kind, key }) => (kind === 'workspace' ? [key] : []),
  });
}
