import type { ChangeFeed } from '../cache/change-feed.ts';
import type { Clock } from '../clock.ts';
import type { Change } from '../store/contract/store.ts';
import { credentialOf, keyHashOf, type Standing } from './authenticate.ts';
import type { Principal } from './root-key-cache.ts';

/** Credentials of requests that go on for long: what becomes of a credential is known within a second, at the cost of one check for all who use it. */
export interface Sessions {
  /**
   * Authenticates by an `Authorization` header, and again, until `close`, whenever the change feed names its key, its link or its workspace, and when it
   * expires. `onCheck` is called after each check but the first. Rejects with `StoreUnavailable`.
   */
  open(header: string, principal: Principal, onCheck: () => void): Promise<OpenSession>;
}

export interface OpenSession {
  /** The result of the last check. */
  standing(): Standing;
  close(): void;
}

interface SessionsDeps {
  clock: Clock;
  changes: ChangeFeed | undefined;
  check(header: string): Promise<Standing>;
}

/** All sessions of one credential. */
interface Credential {
  header: string;
  /** Undefined for a token. */
  keyHash: string | undefined;
  /** Of the token of a session of a set-up link; else undefined. */
  linkId: string | undefined;
  workspaceId: string;
  /** Unix ms; null: never. */
  expiresAt: number | null;
  listeners: Set<() => void>;
  standing: Standing | undefined;
  /** To be checked once more: it may have changed. */
  stale: boolean;
  checking: boolean;
}

/** How often sessions are looked at that have expired, or could not be checked. */
const TICK_MS = 250;

export function createSessions({ clock, changes, check }: SessionsDeps): Sessions {
  const credentials = new Map<string, Credential>();
  let timer: NodeJS.Timeout | undefined;

  changes?.subscribe((change) => {
    if (change?.kind === 'domain' || credentials.size === 0) return;
    for (const credential of credentials.values()) if (concerns(change, credential)) void recheck(credential);
  });

  /** Never rejects: while the store is down, it is tried again with every tick. */
  async function recheck(credential: Credential): Promise<void> {
    credential.stale = true;
    if (credential.checking) return;
    credential.checking = true;
    try {
      while (credential.stale) {
        credential.stale = false;
        keep(credential, await check(credential.header));
        for (const listener of [...credential.listeners]) listener();
      }
    } catch {
      credential.stale = true;
    } finally {
      credential.checking = false;
    }
  }

  function tick(): void {
    for (const credential of credentials.values()) {
      const { stale, expiresAt } = credential;
      if (stale || (expiresAt !== null && expiresAt <= clock.now())) void recheck(credential);
    }
  }

  function add(header: string, { workspaceId, session }: Principal): Credential {
    const about = {
      header,
      keyHash: keyHashOf(credentialOf(header)),
      linkId: session?.linkId,
      workspaceId,
      expiresAt: null,
      standing: undefined,
    };
    const credential = { ...about, listeners: new Set<() => void>(), stale: false, checking: false };
    credentials.set(header, credential);
    timer ??= setInterval(tick, TICK_MS).unref();
    return credential;
  }

  function remove(credential: Credential, listener: () => void): void {
    credential.listeners.delete(listener);
    if (credential.listeners.size > 0) return;
    credentials.delete(credential.header);
    if (credentials.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    async open(header, principal, onCheck) {
      const credential = credentials.get(header) ?? add(header, principal);
      // A listener may be one function for several sessions.
      const listener = () => onCheck();
      credential.listeners.add(listener);
      try {
        // Each change from here on is heard. What came before is in the first check.
        const first = credential.standing ?? (await check(header));
        if (credential.standing === undefined) keep(credential, first);
        return { standing: () => credential.standing ?? first, close: () => remove(credential, listener) };
      } catch (error) {
        remove(credential, listener);
        throw error;
      }
    },
  };
}

function keep(credential: Credential, standing: Standing): void {
  credential.standing = standing;
  credential.expiresAt = standing.ok ? standing.expiresAt : null;
}

/** Whether a credential may give more or less after a change; null: everything may have changed. */
function concerns(change: Change | null, { keyHash, linkId, workspaceId }: Credential): boolean {
  if (change === null) return true;
  if (change.kind === 'root_key') return change.key === keyHash;
  if (change.kind === 'setup_link') return change.key === linkId;
  if (change.kind === 'workspace') return change.key === workspaceId;
  return change.kind === 'signing_key' && keyHash === undefined;
}
