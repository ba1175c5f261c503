import { createLoadingCache, type LoadingCache } from '../cache/cache.ts';
import type { ChangeFeed } from '../cache/change-feed.ts';
import type { AccessStore, StoredPrincipal, WorkspaceLimits } from '../store/contract/store.ts';

/** Who makes a request. */
export interface Principal {
  workspaceId: string;
  /** Whom actions are ascribed to: the id of a root key, or the `sub` of a dashboard token. */
  actor: string;
  /** As they were given, see `permissions`. */
  grants: ReadonlySet<string>;
  limits: WorkspaceLimits;
}

/** A root key as the cache holds it. */
export interface CachedKey {
  principal: Principal;
  keyDisabled: boolean;
  workspaceDisabled: boolean;
  /** Unix ms, or null. */
  expiresAt: number | null;
}

/** Root keys by their SHA-256 in hex. */
export type Principals = LoadingCache<CachedKey>;

const CAPACITY = 10_000;

export function cachedPrincipals(
  store: Pick<AccessStore, 'findPrincipal'>,
  changes?: ChangeFeed,
  capacity = CAPACITY,
): Principals {
  return createLoadingCache({
    changes,
    capacity,
    async read(hash) {
      const stored = await store.findPrincipal(Buffer.from(hash, 'hex'));
      return stored === null ? null : toCachedKey(stored);
    },
    keysOf({ kind, key }, entries) {
      if (kind === 'root_key') return [key];
      if (kind !== 'workspace') return [];
      return [...entries].filter(([, { value }]) => value?.principal.workspaceId === key).map(([hash]) => hash);
    },
  });
}

function toCachedKey({ key, workspace }: StoredPrincipal): CachedKey {
  return {
    principal: {
      workspaceId: workspace.id,
      actor: key.id,
      grants: new Set(key.permissions),
      limits: workspace.limits,
    },
    keyDisabled: key.disabledAt !== null,
    workspaceDisabled: workspace.disabledAt !== null,
    expiresAt: key.expiresAt,
  };
}
