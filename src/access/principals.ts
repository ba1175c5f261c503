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

/** Keys by their SHA-256 in hex. */
export interface Principals {
  /** What is remembered of a key: null that there is none, undefined nothing. */
  remembered(keyHash: string): KnownKey | null | undefined;
  /** Reads a key from the store; null when there is none. Rejects with `StoreUnavailable`. */
  read(keyHash: string): Promise<KnownKey | null>;
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
  const memory = new Map<string, KnownKey | null>();
  let forgotten = 0;

  news?.onChange((change) => {
    forgotten += 1;
    if (change === null) memory.clear();
    else if (change.kind === 'root_key') memory.delete(change.key);
    else if (change.kind === 'workspace') forgetWorkspace(change.key);
  });

  function forgetWorkspace(workspaceId: string): void {
    for (const [hash, known] of memory) {
      if (known?.principal.workspaceId === workspaceId) memory.delete(hash);
    }
  }

  function remember(hash: string, known: KnownKey | null): void {
    memory.delete(hash);
    memory.set(hash, known);
    if (memory.size > capacity) {
      for (const eldest of memory.keys()) {
        memory.delete(eldest);
        break;
      }
    }
  }

  return {
    remembered(hash) {
      if (news?.trusted() !== true) return undefined;
      const known = memory.get(hash);
      if (known !== undefined) remember(hash, known);
      return known;
    },
    async read(hash) {
      const before = forgotten;
      const stored = await store.findPrincipal(Buffer.from(hash, 'hex'));
      const known = stored === null ? null : know(stored);
      // What was read before a change was announced may be older than the change.
      if (news?.trusted() === true && forgotten === before) remember(hash, known);
      return known;
    },
  };
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
