import { createLoadingCache, type LoadingCache } from '../cache/cache.ts';
import type { ChangeFeed } from '../cache/change-feed.ts';
import type { AccessStore, WorkspaceLimits } from '../store/contract/store.ts';

/** Who makes a request. */
export interface Principal {
  workspaceId: string;
  /** The id of a root key, or the `sub` of a dashboard token. */
  actor: string;
  /** As they were given, see `permissions`. */
  grants: ReadonlySet<string>;
  limits: WorkspaceLimits;
}

export interface CachedRootKey {
  principal: Principal;
  keyDisabled: boolean;
  workspaceDisabled: boolean;
  /** Unix ms, or null. */
  expiresAt: number | null;
}

/** Root keys by their SHA-256 in hex. */
export type RootKeyCache = LoadingCache<CachedRootKey>;

const CAPACITY = 10_000;

export function createRootKeyCache(
  store: Pick<AccessStore, 'findPrincipal'>,
  changes?: ChangeFeed,
  capacity = CAPACITY,
): RootKeyCache {
  return createLoadingCache<CachedRootKey>({
    changes,
    capacity,
    async read(hash) {
      const found = await store.findPrincipal(Buffer.from(hash, 'hex'));
      if (found === null) return null;
      const { key, workspace } = found;
      const grants = new Set(key.permissions);
      return {
        principal: { workspaceId: workspace.id, actor: key.id, grants, limits: workspace.limits },
        keyDisabled: key.disabledAt !== null,
        workspaceDisabled: workspace.disabledAt !== null,
        expiresAt: key.expiresAt,
      };
    },
    keysOf({ kind, key }, entries) {
      if (kind === 'root_key') return [key];
      if (kind !== 'workspace') return [];
      return [...entries].filter(([, { value }]) => value?.principal.workspaceId === key).map(([hash]) => hash);
    },
  });
}
