import type { ChangeNews } from '../store/changes.ts';
import type { AccessStore, StoredPrincipal, WorkspaceLimits } from '../store/store.ts';

/** Who makes a request. */
export interface Principal {
  workspaceId: string;
  keyId: string;
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

/** What a cache needs to hear of the log of changes. */
export type KeyNews = Pick<ChangeNews, 'trusted' | 'onChange'>;

/** Finds keys by their SHA-256 in hex. */
export interface Principals {
  /** Null when there is no such key. Rejects with `StoreUnavailable`. */
  find(keyHash: string): Promise<KnownKey | null>;
}

/** Most keys remembered; unknown ones count, so that a flood of them stays bounded. */
const CAPACITY = 10_000;

/** Reads keys from the store and remembers the most recently used for as long as the news can be trusted. Without news nothing is remembered. */
export function cachedPrincipals(
  store: Pick<AccessStore, 'findPrincipal'>,
  news?: KeyNews,
  capacity = CAPACITY,
): Principals {
  // In order of use: a Map keeps the order of insertion.
  const remembered = new Map<string, KnownKey | null>();
  let forgotten = 0;

  news?.onChange((change) => {
    forgotten += 1;
    if (change === null) remembered.clear();
    else if (change.kind === 'root_key') remembered.delete(change.key);
    else if (change.kind === 'workspace') forgetWorkspace(change.key);
  });

  function forgetWorkspace(workspaceId: string): void {
    for (const [hash, known] of remembered) {
      if (known?.principal.workspaceId === workspaceId) remembered.delete(hash);
    }
  }

  function remember(hash: string, known: KnownKey | null): void {
    remembered.delete(hash);
    remembered.set(hash, known);
    if (remembered.size > capacity) {
      for (const eldest of remembered.keys()) {
        remembered.delete(eldest);
        break;
      }
    }
  }

  return {
    async find(hash) {
      if (news?.trusted() !== true) return read(store, hash);
      const known = remembered.get(hash);
      if (known !== undefined) {
        remember(hash, known);
        return known;
      }
      const before = forgotten;
      const found = await read(store, hash);
      // What was read before a change was announced may be older than the change.
      if (forgotten === before) remember(hash, found);
      return found;
    },
  };
}

async function read(store: Pick<AccessStore, 'findPrincipal'>, hash: string): Promise<KnownKey | null> {
  const stored = await store.findPrincipal(Buffer.from(hash, 'hex'));
  return stored === null ? null : know(stored);
}

function know({ key, workspace }: StoredPrincipal): KnownKey {
  return {
    principal: {
      workspaceId: workspace.id,
      keyId: key.id,
      grants: new Set(key.permissions),
      limits: workspace.limits,
    },
    keyDisabled: key.disabledAt !== null,
    workspaceDisabled: workspace.disabledAt !== null,
    expiresAt: key.expiresAt,
  };
}
