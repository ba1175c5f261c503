import type { ChangeFeed } from '../cache/change-feed.ts';
import type { Clock } from '../clock.ts';
import type { AccessStore } from '../store/contract/store.ts';
import type { Access } from './authenticate.ts';
import { tokenReader } from './dashboard-token.ts';
import { countAttempts } from './failure-limit.ts';
import { cachedPrincipals } from './principal-cache.ts';
import { cachedWorkspaces } from './workspace-cache.ts';

/** What authentication works with, on a store. Without a change feed nothing is cached. */
export function accessOn(store: AccessStore, clock: Clock, changes?: ChangeFeed): Access {
  return {
    principals: cachedPrincipals(store, changes),
    tokens: tokenReader(store, clock, changes),
    workspaces: cachedWorkspaces(store, changes),
    attempts: countAttempts(clock),
    clock,
  };
}
