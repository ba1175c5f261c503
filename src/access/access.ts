import { createLoadingCache } from '../cache/cache.ts';
import type { ChangeFeed } from '../cache/change-feed.ts';
import type { Clock } from '../clock.ts';
import type { AccessStore } from '../store/contract/store.ts';
import { type Authentication, type AuthenticationDeps, authenticate } from './authenticate.ts';
import { createTokenVerifier } from './dashboard-token.ts';
import { createFailureLimit } from './failure-limit.ts';
import { createRootKeyCache } from './root-key-cache.ts';

/** Most workspaces cached. */
const WORKSPACES = 10_000;

/** Authenticates requests by an `Authorization` header and a client address. Without a change feed nothing is cached. */
export type Authenticate = (
  header: string | undefined,
  client: { readonly ip: string },
) => Authentication | Promise<Authentication>;

export function createAuthenticate(
  store: AccessStore,
  clock: Clock,
  changes?: ChangeFeed,
  failures = createFailureLimit(clock),
): Authenticate {
  const deps: AuthenticationDeps = {
    rootKeys: createRootKeyCache(store, changes),
    tokens: createTokenVerifier(store, clock, changes),
    workspaces: createLoadingCache({
      changes,
      capacity: WORKSPACES,
      read: (workspaceId) => store.findWorkspace(workspaceId),
      keysOf: ({ kind, key }) => (kind === 'workspace' ? [key] : []),
    }),
    failures,
    clock,
  };
  return (header, client) => authenticate(header, client, deps);
}
