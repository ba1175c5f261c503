import { createMemory, type Memory } from '../cache/cache.ts';
import type { News } from '../cache/change-feed.ts';
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

/** What is known of one root key. */
export interface KnownKey {
  principal: Principal;
  keyDisabled: boolean;
  workspaceDisabled: boolean;
  /** Unix ms, or null. */
  expiresAt: number | null;
}

/** Keys by their SHA-256 in hex. */
export type Principals = Memory<KnownKey>;

const CAPACITY = 10_000;

/** Root keys, read from the store and remembered. */
export function cachedPrincipals(
  store: Pick<AccessStore, 'findPrincipal'>,
  news?: News,
  capacity = CAPACITY,
): Principals {
  return createMemory({
    news,
    capacity,
    async find(hash) {
      const stored = await store.findPrincipal(Buffer.from(hash, 'hex'));
      return stored === null ? null : know(stored);
    },
    forget(keys, { kind, key }) {
      if (kind === 'root_key') keys.delete(key);
      if (kind !== 'workspace') return;
      for (const [hash, known] of keys) if (known?.principal.workspaceId === key) keys.delete(hash);
    },
  });
}

function know({ key, workspace }: StoredPrincipal): KnownKey {
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
