import type { AccessStore, Workspace } from '../store/store.ts';
import { type AccessNews, createMemory, type Memory } from './memory.ts';

const CAPACITY = 10_000;

/** Workspaces by id, read from the store and remembered. */
export function cachedWorkspaces(store: Pick<AccessStore, 'findWorkspace'>, news?: AccessNews): Memory<Workspace> {
  return createMemory({
    news,
    capacity: CAPACITY,
    find: (workspaceId) => store.findWorkspace(workspaceId),
    forget(workspaces, { kind, key }) {
      if (kind === 'workspace') workspaces.delete(key);
    },
  });
}
