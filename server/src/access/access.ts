import type { Clock } from '../base/clock.ts';
import { createLoadingCache } from '../store/cache/cache.ts';
import type { ChangeFeed } from '../store/cache/change-feed.ts';
import type {
  AccessStore,
  DashboardSession,
  DashboardStore,
  DomainStore,
  ListedRootKey,
  SetupStore,
  Workspace,
} from '../store/store.ts';
import {
  type Authentication,
  type AuthenticationDeps,
  authenticate,
  type Standing,
  standingOf,
} from './authenticate.ts';
import { createTokenVerifier } from './dashboard-token.ts';
import { createFailureLimit } from './failure-limit.ts';
import { createRootKeyCache } from './root-key-cache.ts';
import { createSetupSessions, type SetupSessions } from './setup-session.ts';
import { signatureVerifier } from './signed-token.ts';

/** Most workspaces cached. */
const WORKSPACES = 10_000;
/** Most sessions of the dashboard cached. */
const SESSIONS = 1000;
/** Most root keys cached that made tokens. */
const MAKERS = 1000;

/**
 * Authenticates requests by an `Authorization` header and a client address. Without a change feed nothing is cached.
 */
export type Authenticate = (
  header: string | undefined,
  client: { readonly ip: string },
) => Authentication | Promise<Authentication>;

export interface Access {
  authenticate: Authenticate;
  /** Authenticates again the holder of a set-up link that was found by its token. Rejects with `StoreUnavailable`. */
  standingOfLink: SetupSessions['standingOf'];
  /** Authenticates a long-running request again, and counts no failure. Rejects with `StoreUnavailable`. */
  standingOf(header: string): Promise<Standing>;
}

export function createAccess(
  store: AccessStore &
    Pick<DashboardStore, 'findDashboardSession'> &
    Pick<SetupStore, 'findSetupLink'> &
    Pick<DomainStore, 'findDomainById'>,
  clock: Clock,
  changes?: ChangeFeed,
  failures = createFailureLimit(clock),
): Access {
  const verifySignature = signatureVerifier(store, clock, changes);
  const workspaces = createLoadingCache<Workspace>({
    changes,
    capacity: WORKSPACES,
    read: (workspaceId) => store.findWorkspace(workspaceId),
    keysOf: ({ kind, key }) => (kind === 'workspace' ? [key] : []),
  });
  const makers = createLoadingCache<ListedRootKey>({
    changes,
    capacity: MAKERS,
    read: (keyId) => store.findRootKey(keyId),
    // The log names keys by their hash. They change rarely.
    keysOf: ({ kind }, entries) => (kind === 'root_key' ? Array.from(entries, ([keyId]) => keyId) : []),
  });
  const sessions = createLoadingCache<DashboardSession>({
    changes,
    capacity: SESSIONS,
    read: (sessionId) => store.findDashboardSession(sessionId),
    keysOf: ({ kind, key }) => (kind === 'dashboard_session' ? [key] : []),
  });
  const setupSessions = createSetupSessions({ store, clock, changes, workspaces, verifySignature });
  const deps: AuthenticationDeps = {
    rootKeys: createRootKeyCache(store, changes),
    tokens: createTokenVerifier(verifySignature),
    checkSession: setupSessions.check,
    isKnownSession: setupSessions.isKnown,
    workspaces,
    makers,
    sessions,
    failures,
    clock,
  };
  return {
    authenticate: (header, client) => authenticate(header, client, deps),
    standingOfLink: setupSessions.standingOf,
    standingOf: (header) => standingOf(header, deps),
  };
}
