import { createMemory, type Memory } from '../cache/cache.ts';
import type { News } from '../cache/change-feed.ts';
import type { AccessStore, Workspace } from '../store/contract/store.ts';

const CAPACITY = 10_000;

/** Workspaces by id, read from the store and remembered. */
export function cachedWorkspaces(store: Pick<AccessStore, 'findWorkspace'>, news?: News): Memory<Workspace> {
  return createMemory({
    news,
    capacity: CAPACITY,
    find: (workspaceId) => store.findWorkspace(workspaceId),
    forget(workspaces, { kind, key }) {
      if (kind === 'workspace') workspaces.delete(key);
    },
  });
}
