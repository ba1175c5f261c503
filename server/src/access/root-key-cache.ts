import { LRUCache } from 'lru-cache';
import { createLoadingCache, type LoadingCache } from '../store/cache/cache.ts';
import type { ChangeFeed } from '../store/cache/change-feed.ts';
import type { AccessStore, AuthorKind, LinkPurpose, WorkspaceLimits } from '../store/store.ts';

/** The caller of a request. */
export interface Principal {
  workspaceId: string;
  /** The id of a root key or of a set-up link, or the `sub` of a dashboard token. */
  actor: string;
  /** The kind of credential. */
  kind: Exclude<AuthorKind, 'command'>;
  /** The grants as they were given, see `permissions`. */
  grants: ReadonlySet<string>;
  limits: WorkspaceLimits;
  /** Id of the session of our own dashboard (`ses_…`), where the caller has a token of one. */
  signedIn?: string;
  /** Set for a session of a set-up link, which reaches one domain. Absent for a root key or a dashboard token. */
  session?: SessionScope;
}

/** The link and the domain that a session is bound to. */
export interface SessionScope {
  linkId: string;
  purpose: LinkPurpose;
  domainId: string;
  domainName: string;
  /** When the link expires, Unix ms. */
  expiresAt: number;
}

export interface CachedRootKey {
  principal: Principal;
  keyDisabled: boolean;
  workspaceDisabled: boolean;
  /** Unix ms, or null. */
  expiresAt: number | null;
}

/** Root keys by their SHA-256 in hex. */
export interface RootKeyCache extends LoadingCache<CachedRootKey> {
  /**
   * The last record of this hash that the store returned, though it may have changed since; undefined when it returned
   * none. Only for telling keys in use from guesses: neither changes nor unknown keys evict it.
   */
  lastFound(hash: string): CachedRootKey | undefined;
}

const CAPACITY = 10_000;

export function createRootKeyCache(
  store: Pick<AccessStore, 'findPrincipal'>,
  changes?: ChangeFeed,
  capacity = CAPACITY,
): RootKeyCache {
  const lastFound = new LRUCache<string, CachedRootKey>({ max: capacity });

  async function read(hash: string): Promise<CachedRootKey | null> {
    const found = await store.findPrincipal(Buffer.from(hash, 'hex'));
    if (found === null) {
      lastFound.delete(hash);
      return null;
    }
    const { key, workspace } = found;
    const grants = new Set(key.permissions);
    const cached: CachedRootKey = {
      principal: { kind: 'root_key', workspaceId: workspace.id, actor: key.id, grants, limits: workspace.limits },
      keyDisabled: key.disabledAt !== null,
      workspaceDisabled: workspace.disabledAt !== null,
      expiresAt: key.expiresAt,
    };
    lastFound.set(hash, cached);
    return cached;
  }

  const cache = createLoadingCache<CachedRootKey>({
    changes,
    capacity,
    read,
    keysOf({ kind, key }, entries) {
      if (kind === 'root_key') return [key];
      if (kind !== 'workspace') return [];
      return [...entries].filter(([, { value }]) => value?.principal.workspaceId === key).map(([hash]) => hash);
    },
  });
  return { ...cache, lastFound: (hash) => lastFound.get(hash) };
}
