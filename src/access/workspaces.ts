import { createMemory, type Memory } from '../memory.ts';
import type { News } from '../store/changes.ts';
import type { AccessStore, Workspace } from '../store/store.ts';

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
